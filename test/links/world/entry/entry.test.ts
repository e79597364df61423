/** isEntry: true in the main thread of the file that was started, however that was named, and nowhere else. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import { isEntry, UsageError } from "../../../../src/index.ts";
import { root } from "../../../support/paths.ts";

const exec = promisify(execFile);
const dir = mkdtempSync(join(root, "dist", "entry-"));
const program = `import { isEntry, launch, spmd } from "tundish";
export const entry: boolean = isEntry(import.meta);
export default spmd<unknown, boolean>(() => isEntry(import.meta));
if (entry) console.log("started", await launch(import.meta.url, { pes: 1, timeout: 60_000 }));
`;
const plain = program.replaceAll(/: boolean|<unknown, boolean>/g, "");

const test: Test = suite("isEntry");
const write = (name: string, text: string) => writeFileSync(join(dir, name), text);
test.before(() => {
  write("one.mjs", plain);
  write("bare.js", plain);
  write("typed.ts", program);
  symlinkSync("one.mjs", join(dir, "tool"));
  mkdirSync(join(dir, "folder"));
  write("folder/index.js", plain);
});
test.after(() => rmSync(dir, { recursive: true, force: true }));

const node = async (...args: string[]): Promise<string> => {
  const { stdout, stderr } = await exec(process.execPath, args, { cwd: dir, timeout: 90_000 });
  return stdout + stderr;
};
const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
const STARTED = "started [ false ]\n";

const ways: Readonly<Record<string, readonly string[]>> = {
  "by its name": ["one.mjs"],
  "by a path": [join(dir, "one.mjs"), "more"],
  "by a link without an ending, as npm makes for commands": ["tool"],
  "by a link that is kept": ["--preserve-symlinks", "one.mjs"],
  "without its ending": ["bare"],
  "as a folder": ["folder"],
  "by tsx": [tsx, "typed.ts"],
  "by tsx, without its ending": [tsx, "typed"],
  "by node with tsx": ["--import", "tsx", "typed.ts"],
};
for (const [way, args] of Object.entries(ways))
  test(`started ${way}`, async () => assert.is(await node(...args), STARTED));

test("bundled in one file", async () => {
  const options = { bundle: true, format: "esm", platform: "node", logLevel: "error" } as const;
  await build({ ...options, entryPoints: [join(dir, "one.mjs")], outfile: join(dir, "bundled.mjs") });
  assert.is(await node("bundled.mjs"), STARTED);
});

test("not where another module imports it, nor in a worker, by --eval or by tundish", async () => {
  write("other.mjs", 'const { entry } = await import("./one.mjs"); console.log("other", entry);');
  assert.is(await node("other.mjs"), "other false\n");
  const worker = 'new Worker(new URL("./one.mjs", import.meta.url)).on("exit", () => console.log("worker"));';
  write("starter.mjs", `import { Worker } from "node:worker_threads"; ${worker}`);
  assert.is(await node("starter.mjs"), "worker\n");
  const code = 'import("./one.mjs").then(({ entry }) => console.log("eval", entry))';
  assert.is(await node("-e", code, "one.mjs"), "eval false\n");
  assert.is(await node("--import", "./one.mjs", "-e", '""', "--", "one.mjs"), "");
  assert.is(await node(join(root, "dist/lib/main.js"), "run", "one.mjs", "-n", "1"), "0: false\n");
});

test("CommonJS has another word for it, which its error names", async () => {
  assert.throws(
    () => isEntry({} as ImportMeta),
    (error: Error) =>
      error instanceof UsageError &&
      /expected import\.meta, .* got \{\}\..* `if \(require\.main === module\)`/.test(error.message),
  );
  assert.throws(() => isEntry(undefined as never), /got undefined/);
  write(
    "one.cjs",
    `const { launch, spmd } = require("tundish");
module.exports = spmd(() => require.main === module);
if (require.main === module) launch(__filename, { pes: 1, timeout: 60_000 }).then((all) => console.log("started", all));`,
  );
  assert.is(await node("--no-warnings", "one.cjs"), STARTED);
});

test.run();
