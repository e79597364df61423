/** `tundish bench loops` from end to end, with little input: shape and sense, not speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { printLoops } from "../../../packages/tundish-bench/src/cli/text/loops/loops-text.ts";
import type { LoopsBench } from "../../../packages/tundish-bench/src/loops/bench-loops.ts";
import { chunksOf } from "../../../packages/tundish-bench/src/loops/even.ts";
import { ALONE, FIRST, LATER, QUADRATURE, SYNC, WORK_ALONE } from "../../../packages/tundish-bench/src/loops/job.ts";
import { OURS, RUNTIMES, UNEVEN_C, withPes } from "../../../packages/tundish-bench/src/loops/names.ts";
import { OUTSIDE, worksOf } from "../../../packages/tundish-bench/src/loops/outside.ts";
import { schedulesOf } from "../../../packages/tundish-bench/src/loops/uneven.ts";
import { UNEVEN_NAMES, type UnevenName } from "../../../packages/tundish-bench/src/loops/works.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { cli, cliHere } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { testUnless } from "../../support/skip.ts";
import { SHORT } from "../short.ts";

const alone = usableCpus(await readTopology()).length < 2 ? "fewer than two usable CPUs" : null;
const test = suite("cli bench loops");

testUnless(test, alone, "every schedule of ours, those of OpenMP that are there, uneven work; as text", async () => {
  const { code, stdout, stderr } = await cli(["bench", "loops", ...SHORT, "--json"]);
  assert.is(code, 0, stderr);
  const bench = JSON.parse(stdout) as LoopsBench & { schema: string };
  assert.is(bench.schema, "tundish/bench-loops@1");
  const whats = (name: string) => new Set(bench.measured.filter((one) => one.name === name).map(({ what }) => what));
  const chunked = (schedules: readonly string[]) =>
    schedules.flatMap((schedule) => chunksOf(true).map((chunk) => `${schedule}, ${chunk}`));
  const uneven = (schedulesOf: (work: UnevenName) => readonly string[]) =>
    UNEVEN_NAMES.flatMap((name) =>
      schedulesOf(name).flatMap((schedule) => [FIRST, LATER].map((when) => `${name}, ${schedule}, ${when}`)),
    );
  assert.equal(
    whats(withPes(OURS, 2)),
    new Set([
      ALONE,
      "static",
      "steal",
      "auto",
      "task",
      ...chunked(["static", "dynamic", "guided", "steal"]),
      WORK_ALONE,
      ...SYNC,
      `${QUADRATURE}, tasks`,
      ...uneven((work) => schedulesOf(work, true)),
    ]),
  );
  assert.equal(whats(withPes(OURS, 1)), new Set([`${QUADRATURE}, ${ALONE}`, ...uneven(() => [ALONE])]));
  if (!bench.missing.some((one) => one.name === UNEVEN_C)) assert.is(whats(UNEVEN_C).size, 4 * UNEVEN_NAMES.length);
  for (const name of Object.keys(RUNTIMES)) {
    if (bench.missing.some((one) => one.name === name)) continue;
    assert.equal(
      whats(withPes(name, 2)),
      new Set([
        ...[ALONE, "static", "task", WORK_ALONE, ...SYNC, `${QUADRATURE}, ${ALONE}`, `${QUADRATURE}, tasks`],
        ...chunked(["static", "dynamic", "guided"]),
      ]),
    );
  }
  for (const [way, name] of Object.entries(OUTSIDE)) {
    if (bench.missing.some((one) => one.name === name)) continue;
    const works = worksOf(way as keyof typeof OUTSIDE, true);
    assert.equal(whats(name), new Set(works.flatMap((work) => [`${work}, ${FIRST}`, `${work}, ${LATER}`])));
  }
  // piscina is installed here
  assert.ok(!bench.missing.some(({ name }) => name === OUTSIDE.piscina), JSON.stringify(bench.missing));
  for (const { ns, low, high } of bench.measured) assert.ok(ns > 0 && low <= ns && ns <= high);
  const output = new Kept({});
  printLoops(bench, output);
  assert.match(output.text, /^Schedules on CPUs .*above those of one thread/m);
  assert.match(output.text, / dynamic, 128 /);
  assert.match(output.text, /^Synchronisation on .*: ns for a construct/m);
  assert.match(output.text, / lock and unlock +-?[\d.]+/);
  assert.match(output.text, / x +[^\n]* adaptive quadrature, tasks +tundish, 2 PEs +[\d.]+/);
  // what was measured in another mode has a row of its own
  assert.match(
    output.text,
    /^ *triangle +first +[^\n]*(static|dynamic|guided|steal|auto), [\d.]+ x +(\+\d+ %|-) +(\+\d+ %|-)/m,
  );
  assert.match(output.text, /^Uneven work from a main thread/m);
  assert.match(output.text, /^Probe: /m);
});

test("overhead is what is above one thread, times the PEs that share a CPU; other work as text", () => {
  const one = (name: string, what: string, ns: number) => ({
    ...{ name, what, ns, low: ns, high: ns, batch: 1, batches: 1, mode: 105 },
  });
  const bench: LoopsBench = {
    ...{ cpus: [0, 1], pinned: true, stable: true, probe: [105, 106], modes: [{ mode: 105, turns: 2 }] },
    ...{
      turns: 2,
      left: 0,
      missing: [],
      targets: [],
      parts: ["schedules", "uneven", "outside"],
      versions: { gcc: "12" },
      chunks: { [`${OUTSIDE.piscina}, triangle`]: [7, 8] },
    },
    measured: [
      one("tundish, 4 PEs", ALONE, 20),
      one("tundish, 4 PEs", "dynamic, 1", 71),
      one("GOMP, 4 PEs", ALONE, 30),
      one("GOMP, 4 PEs", "dynamic, 1", 102),
      one("tundish, 1 PE", `triangle, ${ALONE}, later`, 3e6),
      one("tundish, 2 PEs", "triangle, static, later", 2.5e6),
      one("tundish, 2 PEs", "triangle, guided, later", 2e6),
      one("tundish, 2 PEs", "triangle, steal, later", 2.1e6),
      one("C", `triangle, ${ALONE}`, 1.5e6),
      one("C", "triangle, dynamic", 1e6),
      one(OUTSIDE.alone, "triangle, later", 3e6),
      one(OUTSIDE.tundish, "triangle, later", 1.5e6),
      one(OUTSIDE.piscina, "triangle, later", 2e6),
    ],
  };
  const output = new Kept({});
  printLoops(bench, output);
  assert.match(output.text, /4 +105 ns +dynamic, 1 +31\.0 +42\.0 +-/);
  assert.match(
    output.text,
    /triangle +later +105 ns +3\.00 +2\.50 +- +2\.00 +2\.10 +- +guided, 1\.50 x +\+5 % +- +1\.50 +1\.00, 1\.50 x/,
  );
  assert.match(output.text, /triangle +later +105 ns +3\.00 +1\.50, 2\.00 x +2\.00, 1\.50 x +- +7, 8 +-/);
});

test("quick: each schedule and each way is met by two of the works, and each work by one of them; else all by all", () => {
  const names = ["static", "dynamic", "guided", "steal", "auto"];
  const quick = UNEVEN_NAMES.flatMap((work) => schedulesOf(work, true));
  for (const name of names) assert.is(quick.filter((one) => one === name).length, 2, name);
  assert.is(quick.length, 10);
  const ways = Object.keys(OUTSIDE) as (keyof typeof OUTSIDE)[];
  assert.equal(new Set(ways.flatMap((way) => worksOf(way, true))), new Set(UNEVEN_NAMES));
  for (const way of ways) assert.equal([worksOf(way, true).length, worksOf(way, false)], [2, UNEVEN_NAMES]);
  for (const work of UNEVEN_NAMES) assert.equal(schedulesOf(work, false), names);
});

test("the help says what is measured", async () => {
  const { code, stdout } = await cliHere(["bench", "loops", "--help"]);
  assert.is(code, 0);
  assert.match(stdout, /tundish bench loops --turns 1 --json/);
});

test.run();
