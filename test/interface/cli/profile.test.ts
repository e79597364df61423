/** `tundish profile` with few rounds: files, documents, exit codes; and guesses of other machines. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseMachine } from "../../../src/machine/model/schema.ts";
import { readProcessBinding } from "../../../src/machine/topology/affinity.ts";
import { libhwlocVersion } from "../../../src/machine/topology/hwloc.ts";
import { testUnless } from "../../support/skip.ts";
import { cli, emptyFolder } from "./support/cli.ts";

const test = suite("cli profile");
const quick = ["--rounds", "50", "--budget", "100"];
const parse = (text: string) => parseMachine(JSON.parse(text));
const cpus = readProcessBinding() ?? [0];

test("measures, prints and writes a model; exit code 0 when stable, 4 when not", async () => {
  const cwd = emptyFolder();
  const { code, stdout, stderr } = await cli(["profile", ...quick, "-o", "m.json"], { cwd });
  const machine = parse(readFileSync(join(cwd, "m.json"), "utf8"));
  assert.is(code, machine.noise?.stable ? 0 : 4, stderr);
  assert.equal(readdirSync(cwd), ["m.json"]);
  assert.match(stderr, /^wrote m\.json$/m);
  assert.match(stderr, /^profile: /m);
  assert.is(/not stable/.test(stderr), code === 4);
  assert.match(stdout, /^Topology\n/);
  assert.match(stdout, /^Noise: /m);
  if (machine.pes.length > 1) assert.match(stdout, /^Send: the sender is busy, ns/m);
});

test("writes machine.json when nothing else is said; --quiet says nothing", async () => {
  const cwd = emptyFolder();
  const { stderr } = await cli(["profile", ...quick, "--quiet", "--cpus", `${cpus[0]}`], { cwd });
  assert.is(stderr, "");
  parse(readFileSync(join(cwd, "machine.json"), "utf8"));
});

test("--json prints the document and writes nothing; --cpus chooses", async () => {
  const cwd = emptyFolder();
  const { code, stdout } = await cli(["profile", ...quick, "--json", "--cpus", `${cpus[0]}`], { cwd });
  assert.ok(code === 0 || code === 4);
  assert.equal(
    parse(stdout).pes.map(({ cpu }) => cpu),
    [cpus[0]],
  );
  assert.equal(readdirSync(cwd), []);
});

test("CPUs that are not there: exit code 2", async () => {
  const { code, stderr } = await cli(["profile", "--cpus", "99999", "--json"]);
  assert.is(code, 2);
  assert.match(stderr, /^error ERR_TUNDISH_USAGE: .*99999/m);
});

test("--guess measures nothing and writes only with -o", async () => {
  const cwd = emptyFolder();
  const { code, stdout, stderr } = await cli(["profile", "--guess"], { cwd });
  assert.is(code, 0, stderr);
  assert.match(stdout, /Guessed from the topology, not measured\./);
  assert.not(existsSync(join(cwd, "machine.json")));
  assert.is((await cli(["profile", "--guess", "-o", "guess.json"], { cwd })).code, 0);
  assert.is(parse(readFileSync(join(cwd, "guess.json"), "utf8")).measured, "guessed from the topology");
});

const noHwloc = (() => {
  try {
    libhwlocVersion();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
})();

testUnless(test, noHwloc, "hwloc: guesses a machine from a description", async () => {
  const description = "pack:2 [numa] l3:4 core:8 pu:2";
  const { code, stdout } = await cli(["profile", "--machine", description, "--json"]);
  assert.is(code, 0);
  const { pes, send } = parse(stdout);
  assert.is(pes.length, 64);
  assert.is(new Set(pes.map((pe) => pe.l3)).size, 8);
  assert.ok(send[0][1] < send[0][8] && send[0][8] < send[0][63]);
  const text = await cli(["profile", "--machine", description]);
  assert.match(text.stdout, /^Package 1$/m);
  assert.match(text.stdout, /^ {6}Cores 56-63: CPUs 112-127/m);
  // 8 caches of 8 cores: 8 * 8 * 7 ordered pairs
  assert.match(text.stdout, /^same last-level cache +448 /m);
  const bad = await cli(["profile", "--machine", "core:many"]);
  assert.is(bad.code, 2);
  assert.match(bad.stderr, /^error ERR_TUNDISH_HWLOC: /);
});

testUnless(test, noHwloc, "hwloc: guesses a machine from an XML file", async () => {
  const cwd = emptyFolder();
  const missing = await cli(["profile", "--xml", "missing.xml"], { cwd });
  assert.is(missing.code, 2);
  assert.match(missing.stderr, /missing\.xml/);
  writeFileSync(join(cwd, "text.xml"), "<no>topology</no>");
  assert.is((await cli(["profile", "--xml", "text.xml"], { cwd })).code, 2);
});

test("another machine without libhwloc: exit code 3", async () => {
  const { code, stderr } = await cli(["profile", "--machine", "core:2"], {
    env: { TUNDISH_LIBHWLOC: "off" },
  });
  assert.is(code, 3);
  assert.match(stderr, /^error ERR_TUNDISH_NO_HWLOC: .*apt-get install libhwloc15/);
});

test.run();
