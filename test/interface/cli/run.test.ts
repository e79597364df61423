/** `tundish run`: results, arguments, failures, time limits, Ctrl-C. */

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { algorithms } from "../../../src/ground/base/tree-algorithms.ts";
import { cli, cliHere, emptyFolder, ended, model, program, startCli } from "./support/cli.ts";

const test = suite("cli run");

test("prints one line per PE, in rank order", async () => {
  const { code, stdout, stderr } = await cli(["run", program("results"), "-n", "3"]);
  assert.is(code, 0, stderr);
  assert.is(stdout, "0: 6\n1: 6\n2: 6\n");
  assert.is(stderr, "");
});

test("arguments reach main; a PE that returns nothing prints nothing", async () => {
  const { stdout } = await cli(["run", "-n", "2", program("results"), "--", "args", "--size", "10", "a b"]);
  assert.is(stdout, "0: [ 'args', '--size', '10', 'a b' ]\n");
});

test("a process of several that srun has started without MPI: a warning, unless TUNDISH_MPI is off", async () => {
  const env = { SLURM_STEP_NUM_TASKS: "2" };
  const { code, stdout, stderr } = await cli(["run", program("results"), "-n", "2"], { env });
  assert.equal([code, stdout], [0, "0: 3\n1: 3\n"]);
  assert.match(stderr, /TUNDISH_ALONE.*srun has started 2 processes without MPI/);
  const meant = await cli(["run", program("results"), "-n", "2"], { env: { ...env, TUNDISH_MPI: "off" } });
  assert.equal([meant.stdout, meant.stderr], ["0: 3\n1: 3\n", ""]);
});

test("--json: one document, whatever is returned", async () => {
  const { code, stdout } = await cli(["run", program("results"), "-n", "2", "--json", "types"]);
  assert.is(code, 0);
  const result = (rank: number) => ({
    big: "5",
    integers: ["1", "-2"],
    numbers: [0.5, "NaN", "-Infinity"],
    bytes: [1, rank],
    map: [["a", 1]],
    set: [7],
  });
  assert.equal(JSON.parse(stdout), { schema: "tundish/run@1", results: [result(0), result(1)] });
});

test("what a program logs goes to stdout, with --json to stderr", async () => {
  const plain = await cli(["run", program("results"), "-n", "2", "log"]);
  assert.match(plain.stdout, /^PE 1 says hello$/m);
  assert.match(plain.stdout, /^1: 1$/m);
  const json = await cli(["run", program("results"), "-n", "2", "--json", "log"]);
  assert.equal(JSON.parse(json.stdout), { schema: "tundish/run@1", results: [0, 1] });
  assert.match(json.stderr, /^PE 0 says hello$/m);
});

test("--no-pin leaves PEs unbound; --heap is checked", async () => {
  assert.is((await cli(["run", program("results"), "-n", "2", "--no-pin", "cpu"])).stdout, "0: null\n1: null\n");
  assert.is((await cli(["run", program("results"), "-n", "2", "--heap", "64M"])).code, 0);
  const { code, stderr } = await cliHere(["run", program("results"), "--heap", "8G"]);
  assert.is(code, 2);
  assert.match(stderr, /heapBytes: expected a whole number from 1 to 4294967296/);
});

test("a PE that throws: exit code 1, its error, its stack, its cause", async () => {
  const { code, stdout, stderr } = await cli(["run", program("fails"), "-n", "3"]);
  assert.is(code, 1);
  assert.is(stdout, "");
  assert.match(stderr, /^error ERR_TUNDISH_RANK_LOST: PE 1 threw Error: boom \(\S*cli-fails\.mjs:5\)$/m);
  assert.match(stderr, /^ {2}caused by Error: boom\n {4}at .*failingMain .*cli-fails\.mjs:5/m);
  assert.match(stderr, /^ {2}caused by RangeError: deep down$/m);
});

test("a PE that throws what is no error: one line", async () => {
  const { code, stdout, stderr } = await cli(["run", program("throws-text"), "-n", "2"]);
  assert.is(code, 1);
  assert.is(stdout, "");
  assert.is(stderr, 'error ERR_TUNDISH_RANK_LOST: PE 1 threw "just text"\n');
});

test("--timeout and --wait-timeout end a run that hangs: exit code 1", async () => {
  const whole = await cli(["run", program("hangs"), "-n", "2", "--timeout", "700"]);
  assert.is(whole.code, 1);
  assert.match(whole.stderr, /^error ERR_TUNDISH_TIMEOUT: The run took longer than 700 ms/);
  const wait = await cli(["run", program("hangs"), "-n", "2", "--wait-timeout", "300"]);
  assert.is(wait.code, 1);
  assert.match(wait.stderr, /^error ERR_TUNDISH_TIMEOUT: PE 0 waited/);
});

test("Ctrl-C ends the threads: exit code 130", async () => {
  if (process.platform === "win32") return; // there are no signals to send
  const child = startCli(["run", program("hangs"), "-n", "2"]);
  const end = ended(child);
  await once(child.stdout as NonNullable<typeof child.stdout>, "data");
  child.kill("SIGINT");
  const { code, stderr } = await end;
  assert.is(code, 130);
  assert.match(stderr, /^interrupted: ending the threads/);
  assert.match(stderr, /^error ERR_TUNDISH_ABORTED: /m);
});

test("a module that is not there or has no program: exit code 2", async () => {
  const missing = await cliHere(["run", "no-such-file.js"]);
  assert.is(missing.code, 2);
  assert.match(missing.stderr, /^error ERR_TUNDISH_MODULE: .*no-such-file\.js/);
  const empty = await cli(["run", program("no-program"), "-n", "1"]);
  assert.is(empty.code, 2);
  assert.match(empty.stderr, /has no SPMD program/);
});

test("--machine: a bad model is wrong usage, machine.json here is used", async () => {
  const bad = await cliHere(["run", program("results"), "--machine", "missing.json"]);
  assert.is(bad.code, 2);
  assert.match(bad.stderr, /^error ERR_TUNDISH_MODEL_INVALID: missing\.json/);
  const good = await cli(["run", program("results"), "-n", "2", "--machine", model("c2c-apple-m1-air")]);
  assert.is(good.stdout, "0: 3\n1: 3\n");
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "machine.json"), "{}");
  const here = await cli(["run", program("results"), "-n", "2"], { cwd });
  assert.is(here.code, 2);
  assert.match(here.stderr, /machine\.json: schema: expected "tundish\/machine@1"/);
});

test("--channel and TUNDISH_CHANNEL choose the channels, and pe.explain() says so", async () => {
  const file = fileURLToPath(new URL("./support/explain.program.js", import.meta.url));
  for (const [args, env] of [
    [["--channel", "fastforward"], {}],
    [[], { TUNDISH_CHANNEL: "fastforward" }],
  ] as const) {
    const { code, stdout, stderr } = await cli(["run", file, "-n", "2", "--json", ...args], { env });
    assert.is(code, 0, stderr);
    const { results } = JSON.parse(stdout) as { results: string[][] };
    assert.ok(results.length === 2 && results.every((texts) => texts.length > 0));
    for (const told of results.flat()) assert.match(told, /^channels: fastforward$/m);
  }
  const { code, stderr } = await cliHere(["run", file, "--channel", "pipe"]);
  assert.is(code, 2);
  assert.match(stderr, /^error ERR_TUNDISH_USAGE: .*'--channel <kind>'.*pipe.*ump, fastforward/);
});

test("--trees and TUNDISH_TREES force the trees, and pe.explain() says so", async () => {
  const file = fileURLToPath(new URL("./support/explain.program.js", import.meta.url));
  const explained = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const { code, stdout, stderr } = await cli(["run", file, "-n", "2", "--json", ...args], { env });
    assert.is(code, 0, stderr);
    return (JSON.parse(stdout) as { results: [world: string, group: string][] }).results[0] as string[];
  };
  for (const told of await explained(["--trees", "smelt"]))
    assert.match(told, /^trees: smelt, forced by the option trees$/m);
  for (const told of await explained([], { TUNDISH_TREES: "exact" }))
    assert.match(told, /^trees: exact, forced by TUNDISH_TREES$/m);
  for (const told of await explained([])) assert.not.match(told, /forced/);
  const flag = await cliHere(["run", file, "--trees", "smlt"]);
  assert.is(flag.code, 2);
  assert.match(flag.stderr, /^error ERR_TUNDISH_USAGE: .*'--trees <name>'.*smlt.*adaptive, exact, smelt/);
  const variable = await cli(["run", file], { env: { TUNDISH_TREES: "smlt" } });
  assert.is(variable.code, 2);
  assert.match(variable.stderr, /^error ERR_TUNDISH_USAGE: TUNDISH_TREES: expected one of .*, got "smlt"/);
  for (const command of ["run", "tree"]) {
    const { stdout } = await cliHere([command, "--help"]);
    assert.match(stdout.replaceAll(/\s+/g, " "), `one of ${algorithms.join(", ")}`, `${command} --help`);
  }
});

test.run();
