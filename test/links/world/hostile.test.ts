/**
 * What other code of the program has done to the prototypes: properties that loops over objects find, also such that no
 * descriptor may inherit; prototypes that are frozen. Before anything was loaded, and after; in the main thread and in
 * PEs, by the published package, by a bundle that has it, and by its command.
 *
 * TUNDISH_TEST_LONG=1: each of them by itself, too; and intrinsics that Node has frozen.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { expectWarnings } from "../../support/expect-warnings.ts";
import { LONG } from "../../support/long.ts";
import { fixture, root } from "../../support/paths.ts";

const exec = promisify(execFile);
const early = fixture("hostile", "surroundings.cjs");
const main = fixture("hostile", "main.mjs");
// where the packages are found that a bundle does not have
const folder = mkdtempSync(join(root, "dist/hostile-"));

const LOOPED = ["string", "number", "object", "function", "getter", "then", "toJSON", "length", "lists"];
const looped = LOOPED.join(" ");
/** Where these are there, Node itself does not start. */
const LATE = ["value", "writable", "get", "set"];
const all = [...LOOPED, ...LATE].join(" ");
const HOSTILE_MACHINE = fixture("machines", "c2c-intel-core-i3-4150-3-5ghz.json");

/** The lines that a program prints. */
async function lines(args: readonly string[], surroundings: object = {}): Promise<string[]> {
  const env = { ...process.env, HOSTILE_MACHINE, ...surroundings };
  return (await exec(process.execPath, args, { env })).stdout.trim().split("\n");
}
const before = (HOSTILE: string, args: readonly string[]) => lines(["--require", early, ...args], { HOSTILE });
const after = (HOSTILE: string, args: readonly string[]) => lines(args, { HOSTILE, HOSTILE_LATE: early });

expectWarnings("Frozen in");
const test = suite("hostile surroundings");
let expected: string[] = [];
test.before(async () => {
  expected = await lines([main]);
  assert.is(expected.at(-1), "end object");
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

for (const names of [looped, "frozen", ...(LONG ? LOOPED : [])])
  test(`from the start: ${names}`, async () => assert.equal(await before(names, [main]), expected));

for (const names of [all, ...(LONG ? [...LATE, "frozen"] : [])])
  test(`after the imports: ${names}`, async () => assert.equal(await after(names, [main]), expected));

if (LONG)
  test("intrinsics that Node has frozen", async () => {
    assert.equal(await lines(["--frozen-intrinsics", "--no-warnings", main]), expected);
  });

test("a bundle of a user", async () => {
  await build({
    ...{ entryPoints: [main, fixture("hostile", "facilities.mjs")], outdir: folder, bundle: true },
    ...{ format: "esm", platform: "node", outExtension: { ".js": ".mjs" }, logLevel: "error" },
  });
  // without LATE, and without a second bundle in the same threads: esbuild's own code loops, and defines properties
  // that inherit
  const mostOf = (printed: readonly string[]) => printed.filter((line) => !line.startsWith("worlds "));
  for (const names of [looped, ...(LONG ? ["frozen"] : [])])
    assert.equal(mostOf(await after(names, [join(folder, "main.mjs")])), mostOf(expected));
});

test("the command", async () => {
  const program = join(folder, "program.mjs");
  const tundish = JSON.stringify(join(root, "dist/lib/index.js"));
  const text = 'export default spmd(async (pe) => pe.allreduceAsync(1, "sum"));';
  writeFileSync(program, `import { spmd } from ${tundish};\n${text}\n`);
  const command = join(root, "dist/lib/main.js");
  const plan = ["plan", HOSTILE_MACHINE, "--item-bytes", "4", "--load", "1e5"];
  const more = [["simulate", program, "-n", "4"], ["tree", HOSTILE_MACHINE], plan];
  for (const words of [["run", program, "-n", "2"], ...(LONG ? more : [])]) {
    const usual = await lines([command, ...words]);
    for (const names of [looped, ...(LONG ? ["frozen"] : [])])
      assert.equal(await before(names, [command, ...words]), usual, `${words[0]}: ${names}`);
  }
});

test.run();
