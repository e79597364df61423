/** What a program and a thread load when they begin: so many lines, and nothing of what most do not need. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";

const test = suite("what is loaded");

/** The modules that a source imports before it runs; types are gone then. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = text.matchAll(/^(?:import|export)\s+(?!type\b)(?:([^"';]*?)\bfrom\s+)?"(\.[^"]+)"/gm);
  return [...found]
    .filter(([, names = ""]) => !/^\{\s*(type [^,}]+,?\s*)+\}\s*$/.test(names))
    .map(([, , path]) => join(dirname(file), path as string));
}

function reachable(entry: string): Map<string, number> {
  const lines = new Map<string, number>();
  const left = [entry];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (lines.has(file) || !existsSync(join(root, file))) continue;
    lines.set(file, readFileSync(join(root, file), "utf8").split("\n").length);
    left.push(...importsOf(file));
  }
  return lines;
}

const sum = (lines: Map<string, number>): number => [...lines.values()].reduce((all, one) => all + one, 0);
const among = (lines: Map<string, number>, ...folders: string[]): string[] =>
  [...lines.keys()].filter((file) => folders.some((folder) => file.startsWith(folder)));

for (const [entry, most, without] of [
  ["src/index.ts", 1500, ["src/machine", "src/links", "src/collectives", "src/plan", "trees", "src/facilities"]],
  ["src/running/run/ahead.ts", 1600, ["src/collectives", "src/plan", "trees", "src/facilities"]],
  [
    "src/running/run/worker.ts",
    10_000,
    [
      "src/facilities",
      "src/plan",
      "trees",
      "src/machine/mpi",
      "src/links/diagnose",
      "src/running/trace",
      "src/links/world/nodes/job.ts",
      "src/collectives/data-calls.ts",
      "src/collectives/hierarchy",
      "src/collectives/team/payload.ts",
      "src/ground/channel/fastforward.ts",
      "src/ground/wait/async.ts",
    ],
  ],
  ["src/running/launch/start.ts", 11_350, ["src/machine/mpi/mpi.ts", "src/plan/network", "src/route", "trees/search"]],
] as const) {
  test(`${entry}: at most ${most} lines`, () => {
    const lines = reachable(entry);
    assert.ok(sum(lines) <= most, `${sum(lines)} lines in ${lines.size} files`);
    // the kernels' names, whose code is WebAssembly
    const strange = among(lines, ...without).filter((file) => !file.includes("/kernels/"));
    assert.equal(strange, []);
  });
}

test.run();
