/** Node's permission model: what a world needs of it, and what is told where that is missing. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fixture, root } from "../../support/paths.ts";
import { testUnless } from "../../support/skip.ts";

const test = suite("permissions");
const [major = 0] = process.versions.node.split(".").map(Number);
// Node 20 has it by another option, without that for add-ons
const missing = major < 22 || process.versions.deno || process.versions.bun ? "needs Node 22 or later" : null;

const library = JSON.stringify(new URL("../../../src/index.js", import.meta.url).href);
const program = JSON.stringify(fixture("programs", "world-rank.mjs"));
const code = `import { launch } from ${library};
  await launch(${program}, { pes: 2, timeout: 30000 }).then(
    (all) => console.log(all.map(({ sum }) => sum).join()),
    (error) => console.log(error.code, error.message),
  );`;

/** What the program prints with these permissions. */
async function printed(...permissions: string[]): Promise<string> {
  return printedReading("*", ...permissions);
}

/** As {@link printed}. @param path what it may read */
async function printedReading(path: string, ...permissions: string[]): Promise<string> {
  const flags = ["--no-warnings", "--permission", `--allow-fs-read=${path}`, ...permissions];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, "--input-type=module", "-e", code]);
  return stdout;
}

testUnless(test, missing, "with add-ons, and without", async () => {
  assert.is(await printed("--allow-worker", "--allow-addons"), "1,1\n");
  assert.is(await printed("--allow-worker"), "1,1\n");
});

testUnless(test, missing, "reading its own folder only, not /sys, and starting no program", async () => {
  assert.is(await printedReading(root, "--allow-worker"), "1,1\n");
});

testUnless(test, missing, "without workers", async () => {
  assert.match(await printed(), /^ERR_TUNDISH_RANK_LOST PE 0 could not be started: .*--allow-worker/);
});

test.run();
