/** The parts of `bench conveyors --mixed` and `--cold`: their loops, on pooled worlds, and the break-even; nothing about speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ConveyorAnswer } from "../../microbench/conveyors/job.ts";
import type { Measured } from "../../microbench/pairs/profiled.ts";
import { probeWords } from "../../microbench/turns/distance.ts";
import type { ColdAnswer } from "../../packages/tundish-bench/src/conveyors/bench-cold.program.ts";
import { ALONE, breakEvens } from "../../packages/tundish-bench/src/conveyors/bench-cold.ts";
import type { MixedJob } from "../../packages/tundish-bench/src/conveyors/bench-mixed.program.ts";
import { type ColdJob, SPENT } from "../../packages/tundish-bench/src/conveyors/cold-jobs.ts";
import { mixedBy } from "../../packages/tundish-bench/src/conveyors/mixed.ts";
import { cpuTime } from "../../packages/tundish-bench/src/turns/cpu-time.ts";
import { launchPooled } from "../support/thread-pool.ts";

const test = suite("bench conveyors, parts");
const module = (name: string) =>
  new URL(`../../packages/tundish-bench/src/conveyors/${name}.program.js`, import.meta.url);

test("every loop over every type gets what was pushed, together with the others", async () => {
  for (const way of ["item-wise", "batch-wise", "run"] as const) {
    const types = mixedBy(way);
    const words = probeWords(3, way === "run" ? 2 : 3);
    const args: MixedJob = { types, way, sessions: 2, sessionMs: 0.2, warmMs: 0, words };
    const [{ timed }] = await launchPooled<ConveyorAnswer>(module("bench-mixed"), { pes: 3, args, heapBytes: 2 ** 25 });
    assert.is(timed.length, types.length);
    for (const { items, samples, probes } of timed) {
      assert.ok(items >= 1000 && samples.length === 2);
      assert.is(probes?.length, way === "run" ? undefined : 2);
      assert.ok(probes?.flat().every((ns) => ns > 0) ?? true);
    }
  }
});

const spentParts = Object.values(SPENT);

test("a thread's account: what it computes is its own, and its process has at least that", () => {
  const before = cpuTime();
  if (before === null) return assert.is.not(process.platform, "linux");
  const begun = performance.now();
  while (performance.now() - begun < 20);
  const after = cpuTime();
  assert.ok(after !== null);
  const [thread, waiting] = [after.thread - before.thread, after.waiting - before.waiting];
  // the rest is what the machine under this virtual one has taken
  assert.ok(thread + waiting > 5e6, `${thread} ns run, ${waiting} ns waited`);
  // the clock of the process counts in other steps
  assert.ok(after.process - before.process > thread - 10e6);
  assert.ok(waiting >= 0);
});

test("jobs of fresh processes: what they measure, and that it is checked", async () => {
  const run = async (pes: number, args: ColdJob) => {
    const [{ entries }] = await launchPooled<ColdAnswer>(module("bench-cold"), { pes, args });
    assert.ok(
      entries.every(({ what, samples }) => {
        const least = spentParts.some((part) => what.endsWith(part)) ? 0 : Number.MIN_VALUE;
        return samples.length > 0 && samples.every((ns) => ns >= least);
      }),
    );
    return entries.map(({ what }) => what);
  };
  const later = { warmMs: 0, batches: 2 };
  const sessions = [
    ...["1st session", "2nd session", "3rd session", "10th session"].flatMap((what) => [
      what,
      ...(cpuTime() === null ? [] : spentParts.map((part) => `${what}, ${part}`)),
    ]),
    "warm session",
  ];
  assert.equal(await run(3, { kind: "sessions", way: "run", items: 500, ...later }), sessions);
  // some rings full of items, more than one block of them
  for (const way of ["batch-wise", "item-wise"] as const)
    assert.equal(await run(2, { kind: "own", way, items: 20_001, ...later }), sessions);
  for (const [kind, what] of [
    ["anew", "3 sessions, a conveyor for each"],
    ["kept", "3 sessions, one conveyor"],
  ] as const) {
    assert.equal(await run(3, { kind, way: "batch-wise", items: 500, sessions: 3 }), [what]);
  }
  assert.equal(await run(3, { kind: "empty", ...later }), [
    ...["making the first conveyor", "1st empty session", "10th empty session", "empty session, warm"],
  ]);
  for (const pes of [1, 3]) {
    // no multiple of the PEs, nor of the keys that are pushed at once
    const whats = await run(pes, { kind: "tally", items: 10_001, ...later });
    assert.equal(whats, ["tally of 10001, first", "tally of 10001, warm"]);
  }
});

test("the break-even: between two numbers, from the first on, never; only where both were measured", () => {
  const tallies = [100, 1000, 10_000];
  const at = (mode: number | null, ours: readonly number[], theirs: readonly number[]): Measured[] =>
    tallies.flatMap((items, i) =>
      [
        { name: "tundish, batch-wise", ns: ours[i] },
        { name: ALONE, ns: theirs[i] },
      ].flatMap(({ name, ns }) =>
        ns === undefined
          ? []
          : [{ name, what: `tally of ${items}, warm`, ns, low: ns, high: ns, batch: 1, batches: 1, mode }],
      ),
    );
  const of = (mode: number | null, ours: number[], theirs: number[]) =>
    breakEvens({ measured: at(mode, ours, theirs), modes: [{ mode, turns: 1 }] }, tallies);
  const items = (...numbers: number[]) => of(105, numbers, [10, 10, 10]).map((one) => one.items);
  assert.equal(items(20, 20, 5), [3162]); // as far above as below: half way between the logarithms
  assert.equal(items(9, 9, 9), [100]);
  assert.equal(items(9, 11, 10), [null]);
  assert.equal(items(9, 20, 9), [Math.round(1000 * 10 ** (Math.log(2) / Math.log(2 / 0.9)))]);
  assert.equal(of(105, [1, 1, 1], [10, 10, 10]), [{ state: "warm", mode: 105, items: 100 }]);
  assert.equal(of(105, [1, 1, 1], [10, 10]), []);
  assert.equal(of(null, [1, 1, 1], [10, 10, 10]), []);
});

test.run();
