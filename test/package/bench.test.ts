/**
 * `tundish bench` of the packed tarballs in an empty project: without tundish-bench, with another version of it, and
 * with it.
 */
import { execFile } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { usableCpus } from "../../src/machine/topology/usable.ts";
import { fixture, root } from "../support/paths.ts";
import { testUnless } from "../support/skip.ts";
import { installedIn } from "./installed.ts";

const dir = realpathSync(mkdtempSync(join(tmpdir(), "tundish-bench-package-")));
const elsewhere = mkdtempSync(join(tmpdir(), "tundish-bench-elsewhere-"));
const installed = join(dir, "node_modules/tundish-bench");
/** Where it is while it is not installed. */
const aside = join(dir, "tundish-bench");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
const tundish = (args: readonly string[], cwd: string = dir): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, TUNDISH_CACHE: "off" };
    execFile(join(dir, "node_modules/.bin/tundish"), args, { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

const test = suite("packed tundish-bench");

test.before(async () => {
  await installedIn(dir);
  renameSync(installed, aside);
});
test.after(() => {
  for (const folder of [dir, elsewhere]) rmSync(folder, { recursive: true, force: true });
});

/** What every command of `tundish bench` ends with. */
async function refused(message: RegExp): Promise<void> {
  const { code: helpCode, stdout: help, stderr } = await tundish(["bench", "--help"]);
  assert.is(helpCode, 3, stderr);
  assert.is(help, "");
  assert.match(stderr, message);
  assert.match(stderr, /^error ERR_TUNDISH_ENVIRONMENT: /);
  assert.match(stderr, `Run: npm install --save-dev tundish-bench@${version}\n`);
  const { code, stdout } = await tundish(["bench", "trees", "--json"]);
  const { schema, error } = JSON.parse(stdout) as { schema: string; error: Record<string, unknown> };
  assert.equal([code, schema, error.code, error.exitCode], [3, "tundish/error@1", "ERR_TUNDISH_ENVIRONMENT", 3]);
}

test("not installed: it is named, with the command that installs it", () =>
  refused(/needs the package tundish-bench, and it is not installed/));

/** In place of the package, of another version. */
function putOther(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "version": "0.0.9", "main": "index.js" }');
  writeFileSync(join(folder, "index.js"), "throw new Error('loaded');");
}

test("another version is named, too", async () => {
  putOther(installed);
  await refused(/needs tundish-bench \S+, the version of tundish, and 0\.0\.9 is installed: \/.*index\.js\./);
  rmSync(installed, { recursive: true });
});

test("installed, it prints its help, also in a folder beside the project", async () => {
  renameSync(aside, installed);
  for (const cwd of [dir, elsewhere]) {
    const { code, stdout, stderr } = await tundish(["bench", "--help"], cwd);
    assert.is(code, 0, stderr);
    assert.ok(stdout.startsWith("Usage: tundish bench "), stdout);
  }
  assert.is((await tundish(["bench", "--version"])).stdout, `${version}\n`);
  // that of the working folder comes first
  putOther(join(elsewhere, "node_modules/tundish-bench"));
  assert.match((await tundish(["bench", "--help"], elsewhere)).stderr, / 0\.0\.9 is installed: /);
});

test("it has the sources of the C programs, no test, and imports nothing that is not installed with it", () => {
  const files = (readdirSync(installed, { recursive: true }) as string[]).sort();
  const peers = readdirSync(join(root, "packages/tundish-bench/src/peers/c"), { recursive: true, encoding: "utf8" });
  const sources = peers.filter((name) => /\.[ch]$/.test(name));
  assert.ok(sources.length > 10);
  for (const name of sources) assert.ok(files.includes(`src/peers/c/${name}`), name);
  for (const name of ["LICENSE", "README.md", "dist/bench.js", "dist/bench.d.ts", "dist/worker.js"])
    assert.ok(files.includes(name), name);
  assert.equal(
    files.filter((name) => /\.test\.|(?<!\.d)\.ts$/.test(name)),
    [],
  );
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(installed, "package.json"), "utf8"),
  ) as Record<"dependencies" | "peerDependencies", Record<string, string>>;
  assert.equal(peerDependencies, { tundish: version });
  const strangers = files
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => [...readFileSync(join(installed, name), "utf8").matchAll(/^import .*"([^".][^"]*)";$/gm)])
    .map(([, name = ""]) => name)
    .filter((name) => !name.startsWith("node:") && !(name in dependencies));
  assert.equal(strangers, []);
});

test("it reads models, and an error of its own is one of the command line", async () => {
  copyFileSync(fixture("machines", "smelt-intel-xeon-e5-v2-2x10.json"), join(dir, "model.json"));
  const { stdout, stderr } = await tundish(["bench", "trees", "model.json", "--json"]);
  assert.is((JSON.parse(stdout) as { schema: string }).schema, "tundish/bench-trees@1", stderr);
  const failed = await tundish(["bench", "trees", "none.json"]);
  assert.is(failed.code, 2);
  assert.match(failed.stderr, /^error ERR_TUNDISH_MODEL_INVALID: none\.json: /m);
});

const alone = usableCpus(await readTopology()).length < 2 ? "fewer than two usable CPUs" : null;
testUnless(test, alone, "it measures worlds on threads", async () => {
  const { code, stdout, stderr } = await tundish(["bench", "channels", "--quick", "--json"]);
  assert.is(code, 0, stderr);
  assert.is((JSON.parse(stdout) as { schema: string }).schema, "tundish/bench-channels@1");
});

test.run();
