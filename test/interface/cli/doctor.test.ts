/** `tundish doctor`: what it finds here, and what it says when something is missing. */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nodeVersion } from "../../../src/interface/cli/doctor/checks-software.ts";
import type { DoctorFinding } from "../../../src/interface/cli/doctor/finding.ts";
import { type CliOptions, cli, emptyFolder, program, unwrapped } from "./support/cli.ts";

const test = suite("cli doctor");

interface Report {
  schema: string;
  usable: boolean;
  findings: DoctorFinding[];
  settings: { variable: string; value: string; set: boolean }[];
}

/** @param end the exit code to be */
async function report(options: CliOptions = {}, end = 0): Promise<Map<string, DoctorFinding>> {
  const { code, stdout, stderr } = await cli(["doctor", "--json"], options);
  assert.is(stderr, "");
  const { schema, usable, findings } = JSON.parse(stdout) as Report;
  assert.is(schema, "tundish/doctor@1");
  assert.is(code, end);
  assert.is(usable, end === 0);
  return new Map(findings.map((finding) => [finding.name, finding]));
}

test("finds here what it needs", async () => {
  const found = await report();
  for (const name of ["Node.js", "SharedArrayBuffer", "WebAssembly", "SIMD kernels", "heap"]) {
    assert.is(found.get(name)?.state, "ok", name);
  }
  assert.ok(found.get("Node.js")?.text.includes(process.version));
  const [, allowed] = /(\d+) allowed/.exec(found.get("CPUs")?.text ?? "") ?? [];
  assert.ok(Number(allowed) >= availableParallelism());
});

test("text: a line per finding with a word for its state; settings with --verbose", async () => {
  const { code, stdout } = await cli(["doctor"]);
  assert.is(code, 0);
  const [lines = "", rest = ""] = stdout.split("\n\n");
  for (const line of lines.split("\n")) {
    assert.match(line, /^(ok {5}|note {3}|missing|wrong {2}| {7}) {2}\S/);
    assert.ok(line.length <= 80, line);
  }
  assert.match(rest, /^Tundish can be used here\.$/m);
  assert.not.match(stdout, /TUNDISH_SYS/);
  const verbose = await cli(["doctor", "--verbose"], { env: { TUNDISH_MACHINE: "model.json" } });
  assert.match(verbose.stdout, /^TUNDISH_SYS +\/sys +default/m);
  assert.match(verbose.stdout, /^TUNDISH_MACHINE +model\.json +set/m);
  assert.match(unwrapped(verbose.stdout), /^wrong +machine model: model\.json: .*cannot be read/m);
});

test("without koffi and libhwloc it says what is lost, and that it can be used", async () => {
  const found = await report({ env: { TUNDISH_NATIVE: "off" } });
  assert.is(found.get("koffi")?.state, "missing");
  assert.is(found.get("pinning")?.state, "missing");
  assert.is(found.get("hwloc")?.state, "missing");
  assert.is(found.get("waiting")?.state, "note");
  assert.match(found.get("MPI")?.text ?? "", /^cannot be used with TUNDISH_NATIVE=off/);
  assert.is(found.get("MPI")?.advice, "Unset TUNDISH_NATIVE.", "no library would help");
  const plain = await report({ env: { TUNDISH_LIBHWLOC: "off" } });
  assert.match(plain.get("hwloc")?.text ?? "", /apt-get install libhwloc15|koffi/);
});

test("MPI: what is said goes with the settings", async () => {
  const off = await report({ env: { TUNDISH_MPI: "off" } });
  assert.match(off.get("MPI")?.text ?? "", /^switched off by TUNDISH_MPI/);
  const missing = await report({ env: { TUNDISH_LIBMPI: "/no/such/libmpi.so" } });
  assert.match(missing.get("MPI")?.text ?? "", /^TUNDISH_LIBMPI=\/no\/such\/libmpi\.so cannot be opened/);
});

test("a machine model that ends every run is wrong: exit code 2, as of a run", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "machine.json"), "{}");
  for (const options of [{ env: { TUNDISH_MACHINE: "/no/such/file" } }, { cwd }]) {
    const model = (await report(options, 2)).get("machine model");
    assert.is(model?.state, "wrong");
    assert.is((await cli(["run", program("results"), "-n", "1"], options)).code, 2);
  }
  const { stdout } = await cli(["doctor"], { cwd });
  assert.match(stdout, /^Tundish cannot be used here; to be corrected: machine model\.$/m);
});

test("every wrong setting is a finding, and the rest is reported as without it: exit code 2", async () => {
  const env = {
    TUNDISH_NATIVE: "maybe",
    TUNDISH_MPI: "1",
    TUNDISH_CONTEST: "of",
    TUNDISH_NODE_TIMEOUT: "soon",
    TUNDISH_TREES: "smlt",
    TUNDISH_ALGORITHMS: "broadcast=fast",
  };
  const found = await report({ env }, 2);
  for (const name of Object.keys(env)) assert.is(found.get(name)?.state, "wrong", name);
  assert.is(found.get("TUNDISH_NATIVE")?.text, 'expected on, off or node, got "maybe". Correct it, or unset it.');
  const right = await report();
  for (const name of ["koffi", "pinning", "MPI"]) assert.equal(found.get(name), right.get(name));
  const verbose = await cli(["doctor", "--verbose"], { env });
  assert.match(verbose.stdout, /^TUNDISH_NATIVE +maybe +set/m);
});

test("a switch that is neither on nor off: one sentence and exit code 2 in a command", async () => {
  const { code, stdout, stderr } = await cli(["run", program("results"), "-n", "1"], {
    env: { TUNDISH_NATIVE: "0" },
  });
  assert.is(code, 2);
  assert.is(stdout, "");
  assert.is(
    stderr,
    'error ERR_TUNDISH_USAGE: TUNDISH_NATIVE: expected on, off or node, got "0". Correct it, or unset it.\n',
  );
});

test("where code may not be generated doctor says so, and a conveyor is refused in one sentence", async () => {
  const why = /^Conveyors generate code .*--disallow-code-generation-from-strings\)\. Start it without\.$/;
  const options = { node: ["--disallow-code-generation-from-strings"] };
  const found = (await report(options, 3)).get("generated code");
  assert.is(found?.state, "missing");
  assert.match(found?.text ?? "", why);
  const { code, stderr } = await cli(["run", program("conveyor"), "-n", "1"], options);
  assert.is(code, 1);
  const [, said] = /^error ERR_TUNDISH_RANK_LOST: PE 0 threw EnvironmentError: (.*) \(\S+:\d+\)$/m.exec(stderr) ?? [];
  assert.match(said ?? stderr, why);
});

test("exit code 3 when something required is missing", async () => {
  const { code, stdout } = await cli(["doctor"], { node: ["--jitless"] });
  assert.is(code, 3);
  assert.match(unwrapped(stdout), /^missing {2}WebAssembly: .*--jitless/m);
  assert.match(stdout, /^Tundish cannot be used here; required but missing: WebAssembly/m);
  assert.is(nodeVersion("20.18.3").state, "missing");
  assert.is(nodeVersion("18.20.0").state, "missing");
  for (const version of ["20.19.0", "22.1.0", "26.0.1"]) assert.is(nodeVersion(version).state, "ok");
  assert.match(nodeVersion("26.3.0", { deno: "2.9.6" }).text, /^this is Deno 2\.9\.6, .* Node\.js 26\.3\.0;/);
  assert.is(nodeVersion("26.3.0", { bun: "1.4.5" }).state, "note");
});

test.run();
