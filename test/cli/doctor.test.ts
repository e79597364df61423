/** `tundish doctor`: what it finds here, and what it says when something is missing. */
import { availableParallelism } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nodeVersion } from "../../src/cli/doctor/checks-software.ts";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { cli, program } from "./support/cli.ts";

const test = suite("cli doctor");

interface Report {
  schema: string;
  usable: boolean;
  findings: Finding[];
  settings: { variable: string; value: string; set: boolean }[];
}

async function report(env: NodeJS.ProcessEnv = {}): Promise<Map<string, Finding>> {
  const { code, stdout, stderr } = await cli(["doctor", "--json"], { env });
  assert.is(stderr, "");
  const { schema, usable, findings } = JSON.parse(stdout) as Report;
  assert.is(schema, "tundish/doctor@1");
  assert.is(code, usable ? 0 : 3);
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
  for (const line of lines.split("\n")) assert.match(line, /^(ok {5}|note {3}|missing) {2}\S/);
  assert.match(rest, /^Tundish can be used here\.$/m);
  assert.not.match(stdout, /TUNDISH_SYS/);
  const verbose = await cli(["doctor", "--verbose"], { env: { TUNDISH_MACHINE: "model.json" } });
  assert.match(verbose.stdout, /^TUNDISH_SYS +\/sys +default/m);
  assert.match(verbose.stdout, /^TUNDISH_MACHINE +model\.json +set/m);
  assert.match(verbose.stdout, /^note +machine model: model\.json: .*cannot be read/m);
});

test("without koffi and libhwloc it says what is lost, and that it can be used", async () => {
  const found = await report({ TUNDISH_NATIVE: "off" });
  assert.is(found.get("koffi")?.state, "missing");
  assert.is(found.get("pinning")?.state, "missing");
  assert.is(found.get("hwloc")?.state, "missing");
  assert.is(found.get("waiting")?.state, "note");
  const plain = await report({ TUNDISH_LIBHWLOC: "off" });
  assert.match(plain.get("hwloc")?.text ?? "", /apt-get install libhwloc15|koffi/);
});

test("a switch that is neither on nor off: exit code 2 in every command", async () => {
  for (const args of [["doctor"], ["doctor", "--json"], ["run", program("results"), "-n", "1"]]) {
    const { code, stdout, stderr } = await cli(args, { env: { TUNDISH_NATIVE: "0" } });
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.is(stderr, "error ERR_TUNDISH_USAGE: TUNDISH_NATIVE: expected on or off, got 0\n");
  }
});

test("exit code 3 when something needed is missing", async () => {
  const { code, stdout } = await cli(["doctor"], { node: ["--jitless"] });
  assert.is(code, 3);
  assert.match(stdout, /^missing {2}WebAssembly: .*--jitless/m);
  assert.match(stdout, /^Tundish cannot be used here; needed and missing: WebAssembly/m);
  assert.is(nodeVersion("20.18.3").state, "missing");
  assert.is(nodeVersion("18.20.0").state, "missing");
  for (const version of ["20.19.0", "22.1.0", "26.0.1"]) assert.is(nodeVersion(version).state, "ok");
});

test.run();
