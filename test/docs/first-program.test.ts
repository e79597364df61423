/** The programs of docs/first-program.md print what stands behind them, by tsx, as a user starts them. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";

const exec = promisify(execFile);
const test = suite("the first program");
const page = readFileSync(join(root, "docs/first-program.md"), "utf8");
const programs = [...page.matchAll(/^```ts\n(\/\/ (\S+\.ts): .*?)^```\n\n<!--.*?-->\n\n```text\n(.*?)^```/gms)].map(
  ([, code = "", name = "", printed = ""]) => ({ code, name, printed }),
);

const dir = mkdtempSync(join(tmpdir(), "tundish-first-"));
test.before(() => {
  writeFileSync(join(dir, "package.json"), '{"type": "module"}');
  writeFileSync(join(dir, "tsconfig.json"), /^```json\n(.*?)^```/ms.exec(page)?.[1] as string);
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(root, join(dir, "node_modules/tundish"));
  for (const name of ["tsx", "@types"]) symlinkSync(join(root, "node_modules", name), join(dir, "node_modules", name));
  for (const { name, code } of programs) writeFileSync(join(dir, name), code);
});
test.after(() => rmSync(dir, { recursive: true, force: true }));

const node = async (...args: string[]) => (await exec(process.execPath, args, { cwd: dir, timeout: 60_000 })).stdout;

test("the page has programs", () =>
  assert.equal(
    programs.map(({ name }) => name),
    ["sum.ts", "start.ts", "degrees.ts"],
  ));

test("its tsconfig.json is the one that init writes", () => {
  const written = readFileSync(join(root, "templates/tsconfig.json"), "utf8");
  assert.equal(JSON.parse(readFileSync(join(dir, "tsconfig.json"), "utf8")), JSON.parse(written));
});

for (const { name, printed } of programs) {
  test(`tsx ${name}`, async () => {
    assert.is(await node(join(root, "node_modules/tsx/dist/cli.mjs"), name), printed);
  });
}

test("built by tsc with the tsconfig.json of the page they print the same", async () => {
  await node(join(root, "node_modules/typescript-native/bin/tsc"), "-p", ".");
  // a file that names another one by its ending cannot be both
  for (const { name, printed } of programs.filter(({ code }) => !code.includes('"./sum.ts"'))) {
    assert.is(await node(join("dist", name.replace(/ts$/, "js"))), printed);
  }
});

test.run();
