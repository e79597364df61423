/** A module that calls launch() while a PE imports it would start worlds without end: it is refused, by name. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import { findTsx } from "../../../src/ground/base/thread/tsx.ts";
import { root } from "../../support/paths.ts";
import { testUnless } from "../../support/skip.ts";

/** Without the check a world starts a world, and so on, of one PE each, until it is killed. */
const LIMIT_MS = 60_000;

const ESM =
  'import { createWorld, isEntry, launch, spmd } from "tundish"; import { isMainThread } from "node:worker_threads";\n';
const SUM = 'export default spmd((pe) => pe.allreduce(pe.rank + 1, "sum"));\n';
const SELF = "launch(new URL(import.meta.url), { pes: 1, heapBytes: 2 ** 22 })";

/** Runs a program below the checkout, so that it finds the package. */
async function run(
  name: string,
  source: string,
  flags: readonly string[] = [],
): Promise<{ code: unknown; text: string }> {
  const folder = mkdtempSync(join(root, "dist", "in-main-"));
  try {
    const file = join(folder, name);
    writeFileSync(file, source);
    const child = spawn(process.execPath, [...flags, file], { stdio: ["ignore", "pipe", "pipe"] });
    const kill = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
    const [code] = await once(child, "close");
    clearTimeout(kill);
    return { code, text };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const refused: readonly [name: string, source: string][] = [
  ["one.mjs", `${ESM}${SUM}console.log(await ${SELF});`],
  // nobody waits for it
  ["float.mjs", `${ESM}${SUM}${SELF}.then(console.log);`],
  ["group.mjs", `${ESM}${SUM}if (isMainThread) await ${SELF}; else await createWorld({ pes: 1 });`],
  [
    "one.cjs",
    'const { launch, spmd } = require("tundish"); module.exports = spmd((pe) => pe.rank);\n' +
      "launch(__filename, { pes: 1, heapBytes: 2 ** 22 }).then(console.log);",
  ],
];

const inMain: Test = suite("worlds of a PE");
for (const [name, source] of refused) {
  inMain(`a module that starts one while a PE imports it: ${name}`, async () => {
    const { code, text } = await run(name, source);
    assert.is(code, 1, text);
    assert.match(text, /ModuleError: file:.* calls (launch|createWorld)\(\) outside the main/);
    assert.match(text, /Write `if \(isEntry\(import\.meta\)\) await launch\(…\)`.*export default spmd/);
    assert.match(text, "[ERR_TUNDISH_MODULE]");
  });
}

testUnless(inMain, findTsx(import.meta.url) ? null : "needs tsx", "the same in TypeScript", async () => {
  const { code, text } = await run("one.mts", `${ESM}${SUM}console.log(await ${SELF} as number[]);`, [
    "--import",
    "tsx",
  ]);
  assert.is(code, 1, text);
  assert.match(text, /ModuleError: file:.* calls launch\(\) outside the main/);
});

inMain("a program in one file with isEntry, and a world that a PE starts within its main", async () => {
  const { code, text } = await run(
    "guarded.mjs",
    `${ESM}export default spmd(async (pe, depth) => {
      if (depth === 0) return pe.size;
      const results = await launch(new URL(import.meta.url), { pes: 2, args: depth - 1 });
      const host = await createWorld({ pes: 3 });
      return [...results, host.size];
    });
    if (isEntry(import.meta)) console.log(JSON.stringify(await launch(new URL(import.meta.url), { pes: 1, args: 1 })));`,
  );
  assert.is(text, "[[2,2,3]]\n");
  assert.is(code, 0);
});
inMain.run();
