/** `tundish bench programs` from end to end, with little input: shape and sense, not speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { printPrograms } from "../../../packages/tundish-bench/src/cli/text/bench-programs-text.ts";
import {
  ALONE,
  BY_CONVEYOR,
  POOL,
  PROGRAM_TARGETS,
  targetsOf,
  whatsOf,
} from "../../../packages/tundish-bench/src/programs/bench-programs.ts";
import { FULL, PROGRAMS, QUICK, sizesOf } from "../../../packages/tundish-bench/src/programs/jobs.ts";
import type { PartBench } from "../../../packages/tundish-bench/src/turns/part.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { cli, cliHere } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { testUnless } from "../../support/skip.ts";
import { SHORT } from "../short.ts";

const usable = usableCpus(await readTopology()).map(({ cpu }) => cpu);
const alone = usable.length < 2 ? "fewer than two usable CPUs" : null;

const test = suite("cli bench programs");

/** Programs that a pool runs, too; piscina is installed here. */
const POOLED: readonly string[] = ["k-means", "word count", "sample sort"];
const LAUNCH = ["launch, until all PEs have begun", "launch, until its result"];

testUnless(test, alone, "every program by all PEs and by one thread, the launch; as text", async () => {
  const { code, stdout, stderr } = await cli(["bench", "programs", ...SHORT, "--json"]);
  assert.is(code, 0, stderr);
  const bench = JSON.parse(stdout) as PartBench & { schema: string };
  assert.is(bench.schema, "tundish/bench-programs@1");
  assert.equal(bench.missing, []);
  assert.equal(
    [...new Set(bench.measured.map(({ name, what }) => `${name}: ${what}`))],
    [
      ...LAUNCH.map((what) => `tundish: ${what}`),
      ...sizesOf(QUICK).flatMap(([name, size]) =>
        [
          ALONE,
          ...(POOLED.includes(name) ? [POOL] : []),
          "tundish",
          ...(PROGRAMS[name].byConveyor ? [BY_CONVEYOR] : []),
        ].flatMap((who) => whatsOf(name, size).map((what) => `${who}: ${what}`)),
      ),
    ],
  );
  for (const { ns, low, high } of bench.measured) assert.ok(ns > 0 && low <= ns && ns <= high);
  assert.equal(
    [...new Set(bench.targets.map(({ target }) => JSON.stringify(target)))].map((text) => JSON.parse(text)),
    PROGRAM_TARGETS,
  );
  const output = new Kept({});
  printPrograms(bench, output);
  for (const row of [
    /^Programs, 2 PEs on CPUs .*, beside one thread in plain JavaScript, a pool of piscina, and conveyors, ms$/m,
    / +PageRank, 2000 edges, first run +[\d.]+ +[\d.]+ to [\d.]+ +/,
    / +launch, until all PEs have begun +\d/,
    /^Probe: /m,
  ]) {
    assert.match(output.text, row);
  }
});

test("ours in each mode beside one thread in any, as that uses one CPU", () => {
  const [name, size] = sizesOf(FULL)[0];
  const [what] = whatsOf(name, size);
  const one = (who: string, ms: number, mode: number | null) => {
    const ns = ms * 1e6;
    return { name: who, what, ns, low: ns, high: ns, batch: 1, batches: 1, mode };
  };
  const measured = [
    one("tundish", 40, 105),
    one("tundish", 60, 510),
    one("tundish", 50, null),
    one(ALONE, 60, 105),
    one(POOL, 45, 510),
  ];
  const targets = targetsOf(measured).filter(({ target }) => target.what === what);
  assert.equal(
    targets.map(({ mode, reached, verdict }) => [mode, reached, verdict]),
    [
      [105, 1.5, "reached"],
      [510, 1, "missed"],
    ],
  );
  const bench: PartBench = {
    ...{ cpus: [0, 1], pinned: true, stable: true, probe: [105, 106], modes: [{ mode: 105, turns: 2 }] },
    ...{ turns: 2, left: 0, missing: [{ name: POOL, reason: "it is not installed" }], measured, targets },
  };
  const output = new Kept({});
  printPrograms(bench, output);
  for (const row of [
    /1\.50 x +reached \(1\.2\) +105 ns +PageRank, 2000000 edges, first run +40\.0 .* 60\.0 .* 45\.0 /,
    /1\.00 x +missed \(1\.2\) +510 ns +PageRank, 2000000 edges, first run +60\.0 .* 60\.0 /,
    /1\.20 x +mixed +PageRank, 2000000 edges, first run +50\.0 .* 60\.0 /,
    /^not measured: npm piscina \(it is not installed\)$/m,
  ]) {
    assert.match(output.text, row);
  }
});

test("the help says what is measured", async () => {
  const { code, stdout } = await cliHere(["bench", "programs", "--help"]);
  assert.is(code, 0);
  assert.match(stdout, /tundish bench programs --turns 1 --json/);
});

test.run();
