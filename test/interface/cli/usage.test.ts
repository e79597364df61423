/** What holds for the CLI as a whole: help, version, exit codes of wrong usage, colour, pipes. */
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../../support/paths.ts";
import { testUnless } from "../../support/skip.ts";
import { cli, cliHere, ended, model, program, startCli } from "./support/cli.ts";

const test = suite("cli usage");
const big = model("c2c-amd-epyc-9754-128-core-processor");

test("without arguments: help on stdout, exit code 0", async () => {
  const { code, stdout, stderr } = await cli([]);
  assert.is(code, 0);
  assert.match(stdout, /Usage: tundish/);
  assert.is(stderr, "");
});

test("-V and --version print the version of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  assert.is((await cli(["-V"])).stdout, `${version}\n`);
  assert.is((await cliHere(["--version"])).stdout, `${version}\n`);
});

const wrong: [args: string[], message: RegExp][] = [
  [["tre"], /unknown command 'tre'\n\(Did you mean tree\?\)/],
  [["ini"], /unknown command 'ini'\n\(Did you mean init\?\)/],
  [["bench", "conveyor"], /unknown command 'conveyor'\n\(Did you mean conveyors\?\)/],
  [["tree", "--jsn"], /unknown option '--jsn'\n\(Did you mean --json\?\)\nSee: tundish tree --help/],
  [["tree", "a.json", "b.json"], /too many arguments/],
  [["tree", "--cores", "0,x"], /--cores.*'0,x' is invalid\. Expected numbers and ranges/],
  [["tree", "--cores", "0-2,1"], /got 1 twice/],
  [["tree", "--algorithm", "best"], /'best' is invalid\. Allowed choices are adaptive, exact, smelt/],
  [["profile", "--rounds", "0"], /Expected a whole number from 1 on/],
  [["profile", "--budget", "soon"], /Expected a number of milliseconds above 0/],
  [["profile", "--machine", "core:2", "--xml", "a.xml"], /cannot be used with option '--xml/],
  [["profile", "-o", "no/such/folder/machine.json"], /--output expected a file in a folder/],
  [["profile", "--guess", "-o", "-"], /--output expected a file, got -\. With --json/],
  [["start", "-o", "-"], /--output expected a file, got -/],
  [["run"], /missing required argument 'module'/],
  [["run", "a.js", "-n", "0"], /Expected a whole number from 1 to 4096/],
  [["run", "a.js", "--heap", "much"], /Expected a number of bytes, such as/],
];
for (const [args, message] of wrong) {
  test(`wrong usage: ${args.join(" ")}`, async () => {
    // the first one as users meet it
    const { code, stdout, stderr } = await (args[0] === "tre" ? cli : cliHere)(args);
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.ok(stderr.startsWith("error ERR_TUNDISH_USAGE: "), stderr);
    assert.match(stderr, message);
  });
}

const failures: [args: string[], exitCode: number, code: string, message: RegExp][] = [
  [["tree", "--jsn", "--json"], 2, "ERR_TUNDISH_USAGE", /^unknown option '--jsn'/],
  [["--json"], 2, "ERR_TUNDISH_USAGE", /^unknown option '--json'/],
  [["bench", "--json"], 2, "ERR_TUNDISH_USAGE", /./],
  [["tree", "--json", "missing.json"], 2, "ERR_TUNDISH_MODEL_INVALID", /^missing\.json: expected a machine/],
  [["plan", "--json", "--load", "1"], 2, "ERR_TUNDISH_USAGE", /--item-bytes/],
  [["profile", "--guess", "--json", "-o", "-"], 2, "ERR_TUNDISH_USAGE", /^--output expected a file/],
  [
    ["run", "--json", program("fails"), "-n", "2"],
    1,
    "ERR_TUNDISH_RANK_LOST",
    /PE 1 threw Error: boom \(\S*cli-fails\.mjs:5\)$/,
  ],
  [["run", "--json", join(root, "package.json"), "-n", "2"], 2, "ERR_TUNDISH_MODULE", /Expected a JavaScript/],
  [["simulate", "--json", "-n", "2", join(root, "package.json")], 2, "ERR_TUNDISH_MODULE", /JavaScript/],
  [["simulate", "--json", "-n", "2", program("no-program")], 2, "ERR_TUNDISH_MODULE", /spmd\(async/],
];
for (const [args, exitCode, code, message] of failures) {
  test(`--json: one document of the error: ${args.slice(0, 3).join(" ")}`, async () => {
    const ended = await (args[0] === "run" || args[0] === "--json" ? cli : cliHere)(args);
    const { schema, error, ...rest } = JSON.parse(ended.stdout);
    assert.equal(rest, {});
    assert.is(schema, "tundish/error@1");
    assert.match(error.message, message);
    assert.is(error.code, code);
    assert.is(error.exitCode, exitCode);
    assert.is(ended.code, exitCode);
    if (args.includes(program("fails"))) assert.equal(error.causes, ["Error: boom", "RangeError: deep down"]);
    assert.ok(ended.stderr.includes(error.message) || args[0] === "bench", ended.stderr);
  });
}

test("--json that is meant for the program asks for no document", async () => {
  const { code, stdout } = await cli(["run", program("fails"), "-n", "2", "--", "--json"]);
  assert.is(code, 1);
  assert.is(stdout, "");
});

const esc = String.fromCharCode(27);
test("colour: none in a pipe, none with NO_COLOR, some with FORCE_COLOR", async () => {
  const coloured = async (env: NodeJS.ProcessEnv) =>
    (await cli(["tree", model("c2c-apple-m1-air")], { env })).stdout.includes(esc);
  assert.is(await coloured({}), false);
  assert.is(await coloured({ NO_COLOR: "1" }), false);
  assert.is(await coloured({ FORCE_COLOR: "1" }), true);
  assert.is(await coloured({ FORCE_COLOR: "0" }), false);
});

test("a reader that leaves early is no error", async () => {
  const child = startCli(["tree", big, "--budget", "0", "--json"]);
  child.stdin?.end();
  child.stdout?.destroy();
  const { code, stderr } = await ended(child);
  assert.is(code, 0);
  assert.is(stderr, "");
});

const noFullDisk = existsSync("/dev/full") ? null : "no /dev/full here";
testUnless(test, noFullDisk, "a full disk is an error of one line", async () => {
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, [join(root, "dist/lib/main.js"), "tree", big, "--budget", "0"], {
    stdio: ["ignore", full, "pipe"],
  });
  const { code, stderr } = await ended(child);
  closeSync(full);
  assert.is(code, 1);
  assert.match(stderr, /^tundish: cannot write the output: ENOSPC: .*\n$/);
});

testUnless(test, noFullDisk, "a full disk for the trace: the results are there, exit code 1", async () => {
  const args = ["run", program("results"), "-n", "2", "--trace", "/dev/full"];
  const said = /^error ERR_TUNDISH_ENVIRONMENT: Cannot write the trace to \/dev\/full: ENOSPC: .*\n$/;
  const text = await cli(args);
  assert.is(text.stdout, "0: 3\n1: 3\n");
  assert.match(text.stderr, said);
  assert.is(text.code, 1);
  const { stdout, stderr, code } = await cli([...args, "--json"]);
  const { results, error } = JSON.parse(stdout);
  assert.equal(results, [3, 3]);
  assert.is(error.code, "ERR_TUNDISH_ENVIRONMENT");
  assert.is(error.exitCode, 1);
  assert.match(stderr, said);
  assert.is(code, 1);
});

test.run();
