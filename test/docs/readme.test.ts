/** The program that README.md shows in part is the one that `tundish init` writes, and prints what stands behind it. */
import { execFile } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";

const test = suite("the first program of README.md");
const readme = readFileSync(join(root, "README.md"), "utf8");
const [, shown = "", printed = ""] =
  /^```ts\n\/\/ k-means\.ts: .*?\n(.*?)^```\n.*?^```text\n(.*?)^```/ms.exec(readme) ?? [];
const file = join(root, "templates/k-means.ts");

test("each line that is shown is one of the program, in the same order", () => {
  const lines = readFileSync(file, "utf8").split("\n");
  let at = 0;
  for (const line of shown.trimEnd().split("\n")) {
    if (line.includes("// …")) continue;
    const found = lines.indexOf(line, at);
    assert.ok(found >= 0, `not in ${file}, or not in this order: ${line}`);
    at = found + 1;
  }
  assert.ok(at > 20);
});

test("it prints lines like those that are shown", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tundish-readme-"));
  try {
    writeFileSync(join(dir, "package.json"), '{"type": "module"}');
    copyFileSync(file, join(dir, "k-means.ts"));
    mkdirSync(join(dir, "node_modules"));
    symlinkSync(root, join(dir, "node_modules/tundish"));
    symlinkSync(join(root, "node_modules/tsx"), join(dir, "node_modules/tsx"));
    const args = [join(root, "node_modules/tsx/dist/cli.mjs"), "k-means.ts", "3000"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: dir, timeout: 60_000 });
    // any number of digits
    const shape = (text: string) => text.replaceAll(/[\d.…]+/g, "#");
    assert.is(shape(stdout).replace("PEs", "PE"), shape(printed).replace("PEs", "PE"));
    const wrong = await promisify(execFile)(process.execPath, [...args.slice(0, -1), "abc"], {
      cwd: dir,
      timeout: 60_000,
    }).catch((error: { code: number; stderr: string }) => error);
    assert.equal("code" in wrong && wrong.code, 1);
    assert.match(wrong.stderr, /RangeError: expected a number of points, 6 or more, got NaN/);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test.run();
