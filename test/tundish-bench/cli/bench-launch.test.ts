/** `tundish bench launch` from end to end, with little input: shape and sense, not speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { IMPORT, launchesOf, opensOf, TOGETHER } from "../../../microbench/launch/starts.ts";
import { printLaunch } from "../../../packages/tundish-bench/src/cli/text/launch-text.ts";
import {
  breakEvens,
  compare,
  type LaunchBench,
  worksOf,
} from "../../../packages/tundish-bench/src/launch/bench-launch.ts";
import { QUICK, whatsOf } from "../../../packages/tundish-bench/src/launch/launch-jobs.ts";
import { WORKS } from "../../../packages/tundish-bench/src/launch/works.ts";
import { ALONE } from "../../../packages/tundish-bench/src/programs/bench-programs.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { cli, cliHere } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { testUnless } from "../../support/skip.ts";
import { SHORT } from "../short.ts";

const alone = usableCpus(await readTopology()).length < 2 ? "fewer than two usable CPUs" : null;
const test = suite("cli bench launch");

testUnless(test, alone, "launches, and each size by one thread and by all PEs; as text", async () => {
  const { code, stdout, stderr } = await cli(["bench", "launch", ...SHORT, "--json"]);
  assert.is(code, 0, stderr);
  const bench = JSON.parse(stdout) as LaunchBench & { schema: string };
  assert.is(bench.schema, "tundish/bench-launch@1");
  assert.equal(bench.missing, []);
  assert.equal(
    new Set(bench.measured.map(({ name, what }) => `${name}: ${what}`)),
    new Set([
      ...[IMPORT, ...launchesOf(2), ...launchesOf(4), ...opensOf(2), ...opensOf(4)].map(
        (what) => `${TOGETHER}: ${what}`,
      ),
      ...worksOf(QUICK).flatMap((work) =>
        [ALONE, TOGETHER].flatMap((who) => whatsOf(work).map((what) => `${who}: ${what}`)),
      ),
    ]),
  );
  for (const { ns, low, high } of bench.measured) assert.ok(ns > 0 && low <= ns && ns <= high);
  const output = new Kept({});
  printLaunch(bench, output);
  for (const row of [
    /^Starting PEs that return at once, on CPUs .*, ms$/m,
    / launch of 4 PEs, later +[\d.]+ +[\d.]+ to [\d.]+/,
    / sum, 3000 terms, first +[\d.]+ +[\d.]+ to [\d.]+ +[\d.]+ +[\d.]+ to [\d.]+/,
    /^Probe: /m,
  ]) {
    assert.match(output.text, row);
  }
});

test("a sum is pi, and its parts give the whole; a wrong result is refused", () => {
  const size = 1000;
  const whole = WORKS.sum({ size, first: 0, end: size }, () => {});
  assert.ok(Math.abs(whole[0] - Math.PI) < 1e-6);
  let others = 0;
  WORKS.sum({ size, first: 0, end: 300 }, ([value]) => {
    others = value;
  });
  const result = WORKS.sum({ size, first: 300, end: size }, (values) => {
    values[0] += others;
  });
  const work = { name: "sum", size } as const;
  compare(work, result, whole);
  for (const wrong of [[3.1], [], [...whole, 0], [Number.NaN]])
    assert.throws(() => compare(work, wrong, whole), /bench launch: sum: expected \[3\.14.*\], got \[/);
});

test("from which size on: between those beside it, in each state and mode", () => {
  const one = (name: string, what: string, ms: number, mode: number | null) => {
    const ns = ms * 1e6;
    return { name, what, ns, low: ns, high: ns, batch: 1, batches: 1, mode };
  };
  const measured = worksOf(QUICK).flatMap((work) => {
    const isLarge = work.size === QUICK.sizes[work.name][1];
    return whatsOf(work).flatMap((what, at) => [
      one(ALONE, what, 10, null),
      // the first run never pays, later ones at the larger size
      one(TOGETHER, what, (isLarge && at === 1) || at === 2 ? 5 : 20, 105),
    ]);
  });
  const found = breakEvens({ measured, modes: [{ mode: 105, turns: 1 }] }, QUICK);
  assert.equal(found, [
    { name: "sum", state: "first", mode: 105, items: null },
    { name: "sum", state: "warm", mode: 105, items: 1732 },
    { name: "sum", state: "open", mode: 105, items: 1000 },
    { name: "k-means", state: "first", mode: 105, items: null },
    { name: "k-means", state: "warm", mode: 105, items: 173 },
    { name: "k-means", state: "open", mode: 105, items: 100 },
  ]);
  assert.equal(breakEvens({ measured: measured.slice(1), modes: [{ mode: 105, turns: 1 }] }, QUICK).length, 5);
  const bench: LaunchBench = {
    ...{ cpus: [0, 1], pinned: true, stable: true, probe: [105, 106], modes: [{ mode: 105, turns: 1 }] },
    ...{ turns: 1, left: 0, missing: [], measured, targets: [], breakEven: found },
    memory: [{ pes: 2, runs: 1000, settled: 100e6, last: 101e6 }],
  };
  const output = new Kept({});
  printLaunch(bench, output);
  assert.match(
    output.text,
    /^sum: all PEs are faster than one thread from about 1732 terms on \(later runs, 105 ns\)\.$/m,
  );
  assert.match(output.text, /^k-means: .* for none of these sizes \(first run of a process, 105 ns\)\.$/m);
  assert.match(output.text, /^Memory of .* open world of 2 PEs: 100\.0 MB after 100 runs, 101\.0 MB after 1000\.$/m);
  assert.match(output.text, /2\.00 x +105 ns +sum, 3000 terms, later +5\.00 /);
});

test("the help says what is measured", async () => {
  const { code, stdout } = await cliHere(["bench", "launch", "--help"]);
  assert.is(code, 0);
  assert.match(stdout, /tundish bench launch --turns 1 --json/);
});

test.run();
