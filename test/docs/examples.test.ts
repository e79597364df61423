/** Every program in docs/collectives.md runs and prints what stands behind it; that of docs/trees.md runs. */
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
import { root } from "../helpers/paths.ts";

const exec = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "tundish-examples-"));
const test = suite("examples of the documentation");

test.before(() => {
  writeFileSync(join(dir, "package.json"), '{"type": "module"}');
  // as an installed package would be found
  const modules = join(dir, "node_modules");
  mkdirSync(modules);
  symlinkSync(root, join(modules, "tundish"));
});
test.after(() => rmSync(dir, { recursive: true, force: true }));

const page = readFileSync(join(root, "docs/collectives.md"), "utf8");
const blocks = [...page.matchAll(/^## (.*?)\n[^#]*?```js\n(.*?)```\n\n```\n(.*?)```/gms)];

test("there is one for each collective, for groups, for Async and for algorithms", () => {
  const names = blocks.map(([, name]) => name);
  assert.equal(names, [
    ..."barrier broadcast reduce allreduce scan exscan gather allgather scatter alltoall alltoallv".split(
      " ",
    ),
    "Groups",
    "Async",
    "Algorithms",
  ]);
});

for (const [, name, code, expected] of blocks) {
  test(name, async () => {
    const file = join(dir, `${name}.mjs`);
    writeFileSync(file, code);
    const cli = join(root, "dist/lib/main.js");
    const args = [cli, "run", file, "-n", "3", "--timeout", "20000"];
    const { stdout } = await exec(process.execPath, args, { cwd: dir, timeout: 30_000 });
    assert.is(stdout, expected);
  });
}
test("trees", async () => {
  const trees = readFileSync(join(root, "docs/trees.md"), "utf8");
  const code = /```js\n(.*?)```/s.exec(trees)?.[1] as string;
  copyFileSync(
    join(root, "test/fixtures/machines/smelt-intel-xeon-e5-v2-2x10.json"),
    join(dir, "machine.json"),
  );
  writeFileSync(join(dir, "trees.mjs"), code);
  const { stdout } = await exec(process.execPath, ["trees.mjs"], { cwd: dir, timeout: 60_000 });
  const lines = stdout.trimEnd().split("\n");
  assert.match(lines[0] as string, /^0 \{.*\} true$/s);
  assert.match(stdout, /^(dissemination|tree|hybrid) true$/m);
  assert.match(stdout, /^(capped|two-tree|tree) [12]$/m);
  assert.not.match(stdout, /false/);
});

test.run();
