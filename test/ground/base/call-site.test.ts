/** Stacks: which frame is the program's. */
import { join, sep } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CallSite, callerIn } from "../../../src/ground/base/call-site/call-site.ts";
import { root } from "../../support/paths.ts";

const sites = suite("call sites");
const own = (file: string): string => join(root, file);

for (const [name, frames, expected] of [
  [
    "sources",
    [`at open (${own("src/facilities/conveyor/engine/outbox.ts")}:3:4)`, "at main (/elsewhere/floyd.ts:12:3)"],
    { line: "floyd.ts:12", call: "open" },
  ],
  [
    "the bundle of tests, a promise, an async function",
    [
      `at async Conveyor.advanceAsync2 (file://${own("dist/esm/0A1B.js")}:3:4)`,
      "at new Promise (<anonymous>)",
      `at async advanceAsync3 (file://${own("dist/esm/0A1B.js")}:5:4)`,
      "at async Object.main (file:///elsewhere/a%20b.mjs:7:1)",
    ],
    { line: "a b.mjs:7", call: "advanceAsync" },
  ],
  [
    "what users get, and generated code",
    [
      `at Refusals.add (file://${own("dist/lib/chunk-AB.js")}:3:4)`,
      "at push (tundish://conveyor/push-pull/{u32,bytes(16)}?tags=0,0:3:4)",
      "at file:///elsewhere/x.js:9:1",
    ],
    { line: "x.js:9", call: "push" },
  ],
  [
    "a path below the working directory",
    [`at f (${join(process.cwd(), "deep", "er", "y.ts")}:1:2)`],
    { line: "deep/er/y.ts:1", call: "" },
  ],
  [
    "no program",
    ["at listOnTimeout (node:internal/timers:581:17)", `at f (${own("src/ground/wait/async.ts")}:1:2)`],
    null,
  ],
] as const) {
  sites(name, () => {
    assert.equal(callerIn(["Error: here", ...frames.map((frame) => `    ${frame}`)].join("\n")), expected);
  });
}

sites("its own", () => {
  const { text } = new CallSite();
  assert.match(text, /(^|\/)call-site\.test\.[jt]s:\d+$/);
  assert.ok(!text.includes(sep === "/" ? "\\" : "//"));
});

sites.run();
