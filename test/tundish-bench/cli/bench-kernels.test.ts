/** `tundish bench kernels` from end to end, with small matrices: shape and sense, not speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { printKernels } from "../../../packages/tundish-bench/src/cli/text/kernels-text.ts";
import { firstOf, OURS } from "../../../packages/tundish-bench/src/kernels/bench-kernels.ts";
import { QUICK, titleOf } from "../../../packages/tundish-bench/src/kernels/job.ts";
import { FUSED, RIVALS } from "../../../packages/tundish-bench/src/kernels/native.ts";
import type { PartBench } from "../../../packages/tundish-bench/src/turns/part.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { cli, cliHere } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { testUnless } from "../../support/skip.ts";
import { SHORT } from "../short.ts";

const alone = usableCpus(await readTopology()).length < 2 ? "fewer than two usable CPUs" : null;
const test = suite("cli bench kernels");

testUnless(test, alone, "both kernels, and what C there is, as JSON and as text", async () => {
  const { code, stdout, stderr } = await cli(["bench", "kernels", ...SHORT, "--json"]);
  assert.is(code, 0, stderr);
  const bench = JSON.parse(stdout) as PartBench & { schema: string };
  assert.is(bench.schema, "tundish/bench-kernels@1");
  const found = new Set(bench.measured.map(({ name, what }) => `${name}: ${what}`));
  for (const name of Object.keys(OURS))
    for (const what of [titleOf(QUICK.n), firstOf(QUICK.n)]) assert.ok(found.has(`${name}: ${what}`), stdout);
  const missing = bench.missing.map(({ name }) => name);
  for (const { name } of [...RIVALS, FUSED])
    assert.ok(missing.includes(name) !== found.has(`${name}: ${titleOf(QUICK.n)}`), stdout);
  for (const { reason } of bench.missing) assert.match(reason, /not in PATH; apt-get install|omp/);
  for (const { ns, low, high } of bench.measured) assert.ok(ns > 0 && low <= ns && ns <= high);
  const output = new Kept({});
  printKernels(bench, output);
  assert.match(output.text, /^Kernels, 2 PEs on CPUs .*, beside C with OpenMP, ms$/m);
  assert.match(output.text, / matrix product, 140 x 140 f64 +tundish, AssemblyScript +[\d.]+ +[\d.]+ to /);
});

test("the ratio is that of the faster C, in the same mode", () => {
  const what = titleOf(1024);
  const one = (name: string, ms: number, mode = 105) => ({
    ...{ name, what, ns: ms * 1e6, low: ms * 1e6, high: ms * 1e6, batch: 1, batches: 1, mode },
  });
  const [clang, gcc] = RIVALS.map(({ name }) => name) as [string, string];
  const bench: PartBench = {
    ...{ cpus: [0, 1], pinned: true, stable: true, probe: [105, 106], modes: [{ mode: 105, turns: 2 }] },
    ...{ turns: 2, left: 0, missing: [{ name: FUSED.name, reason: "clang is not in PATH" }], targets: [] },
    measured: [one("tundish, C by clang", 200), one(clang, 150), one(gcc, 100), one(gcc, 10, 400)],
  };
  const output = new Kept({});
  printKernels(bench, output);
  assert.match(output.text, /0\.50\d? x +105 ns +matrix product, 1024 x 1024 f64 +tundish, C by clang +200\.0 /);
  assert.match(output.text, /^not measured: C, clang -O3 -march=native, OpenMP \(clang is not in PATH\)$/m);
});

test("the help says what is measured", async () => {
  const { code, stdout } = await cliHere(["bench", "kernels", "--help"]);
  assert.is(code, 0);
  assert.match(stdout, /tundish bench kernels --turns 1 --json/);
});

test.run();
