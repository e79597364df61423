/**
 * The tests that docs/testing.md shows: that of node:test passes, all have the types that they should have. Those of Vitest
 * and Jest were run by hand, as they are not installed here: their functions are declared as far as the page uses them.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";
import { blocksOf } from "./support/blocks.ts";

const test = suite("docs/testing.md");
const page = "docs/testing.md";
const blocks = blocksOf(page, readFileSync(join(root, page), "utf8"));
const named = blocks.flatMap((block) => {
  const name = /^\/\/ ([\w.]+\.(?:ts|js))\b/.exec(block.text)?.[1];
  return name === undefined ? [] : [{ ...block, file: name }];
});
const declared = `type Matchers = { toBe(value: unknown): void; toEqual(value: unknown): void };
declare module "vitest" {
  export function expect(value: unknown): Matchers;
  export function test(name: string, run: () => unknown): void;
}
declare module "@jest/globals" {
  export { expect, test } from "vitest";
}
`;

const dir = mkdtempSync(join(tmpdir(), "tundish-testing-"));
const node = async (...args: string[]) =>
  promisify(execFile)(process.execPath, args, { cwd: dir, timeout: 90_000 }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }): string => {
      throw new Error(`${stdout}${stderr}`);
    },
  );
test.before(() => {
  const json = (name: string, value: unknown) => writeFileSync(join(dir, name), JSON.stringify(value));
  json("package.json", { type: "module" });
  const template = JSON.parse(readFileSync(join(root, "templates/tsconfig.json"), "utf8"));
  json("tsconfig.json", {
    compilerOptions: { ...template.compilerOptions, allowJs: true, checkJs: true, noEmit: true },
    include: ["*.ts", "*.js"],
  });
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(root, join(dir, "node_modules/tundish"));
  for (const name of ["tsx", "@types"]) symlinkSync(join(root, "node_modules", name), join(dir, "node_modules", name));
  for (const { file, text } of named) writeFileSync(join(dir, file), text);
  writeFileSync(join(dir, "declared.d.ts"), declared);
  // a test of Jest names what is built
  mkdirSync(join(dir, "dist"));
  writeFileSync(join(dir, "dist/sum.d.ts"), 'export { default, squares } from "../sum.ts";');
});
test.after(() => rmSync(dir, { recursive: true, force: true }));

test("it shows a program and three tests", () =>
  assert.equal(
    named.map(({ file }) => file),
    ["sum.ts", "node.test.ts", "vitest.test.ts", "jest.test.js"],
  ));

test("node:test: the import starts nothing, and the tests pass", async () => {
  const printed = await node("--import", "tsx", "--test", "--test-reporter=tap", "node.test.ts");
  assert.match(printed, /^# pass 2$/m);
  assert.match(printed, /^# fail 0$/m);
  assert.not.match(printed, /3328335/);
});

test("types", async () => {
  await node(join(root, "node_modules/typescript-native/bin/tsc"), "-p", ".");
});

test("the program of simulated PEs prints what stands behind it", async () => {
  const program = blocks.find(({ text }) => text.includes("simulateAsync"));
  writeFileSync(join(dir, "simulated.mjs"), program?.text as string);
  const output = blocks[blocks.indexOf(program as (typeof blocks)[number]) + 1];
  assert.is(await node("simulated.mjs"), output?.text);
});

test.run();
