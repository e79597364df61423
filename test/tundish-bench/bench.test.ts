/** The parts of `tundish bench`: turns, modes, targets and crossovers, on numbers made up; nothing about speed. */

import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { threadCpuTime } from "../../microbench/pairs/clock.ts";
import { inLargestMode, modesOf } from "../../microbench/pairs/modes.ts";
import type { Measured, Progress } from "../../microbench/pairs/profiled.ts";
import { inFirstMode } from "../../microbench/turns/figures.ts";
import { type Contender, type TurnOptions, takeTurns } from "../../microbench/turns/turns.ts";
import { benchCollectives } from "../../packages/tundish-bench/src/collectives/bench-collectives.ts";
import {
  benchCrossovers,
  type CrossoverPoint,
  crossoversOf,
} from "../../packages/tundish-bench/src/collectives/crossovers.ts";
import { checkTargets, IDLE, TARGETS, WAKE } from "../../packages/tundish-bench/src/turns/targets.ts";
import { EnvironmentError, UsageError } from "../../src/ground/base/errors.ts";
import { parseMachine } from "../../src/machine/model/model.ts";
import { selectPEs } from "../../src/machine/model/select.ts";
import { guessModel } from "../../src/machine/topology/guess.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { usableCpus } from "../../src/machine/topology/usable.ts";
import { testUnless } from "../support/skip.ts";

const topology = await readTopology();
const usable = usableCpus(topology).map(({ cpu }) => cpu);

/** What a rejected promise was rejected with. */
async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error("expected an error, got none");
}

const turns = suite("turns");
const everyTurn: TurnOptions = {
  ...{ cpus: usable.slice(0, 2), turns: 2, maxTurns: 4, budgetMs: 60_000 },
  probe: async () => 105,
};

/** Probes of 105 ns before and after some turns, of 560 ns of others; two for each letter. */
function probes(turns: string): () => Promise<number> {
  let probe = 0;
  return async () => {
    const letter = turns[Math.floor(probe / 2) % turns.length];
    const after = probe++ % 2 === 1;
    return letter === "n" || (letter === "m" && after) ? 105 : 560;
  };
}

/** A contender whose k-th turn gives the k-th list of samples. */
function contender(name: string, lists: readonly (readonly number[])[], required = false): Contender {
  let turn = 0;
  const run = async () => {
    const samples = lists[turn++ % lists.length];
    if (samples.length === 0) throw new Error(`${name} is not here\nand more`);
    return [{ name, what: "thing", batch: 10, samples }];
  };
  return { name, required, run };
}

turns("everybody gets as many as asked for, in turn; samples of all turns are one", async () => {
  const stages: Progress[] = [];
  const { measured, ...rest } = await takeTurns(
    [
      contender("a", [
        [1, 2],
        [3, 4, 5],
      ]),
      contender("b", [[6], [9, 8, 7, 5]]),
    ],
    { ...everyTurn, onProgress: (progress) => stages.push(progress) },
  );
  assert.equal(measured, [
    { name: "a", what: "thing", ns: 3, low: 2, high: 4, batch: 10, batches: 5, mode: 105 },
    { name: "b", what: "thing", ns: 7, low: 6, high: 8, batch: 10, batches: 5, mode: 105 },
  ]);
  assert.is(rest.probe.length, 8);
  assert.equal(rest.modes, [{ mode: 105, turns: 4 }]);
  assert.equal([rest.complete, rest.turns, rest.left, rest.missing], [true, 4, 0, []]);
  assert.equal(
    stages.map(({ stage }) => stage),
    ["turn 1: a", "turn 1: b", "turn 2: a", "turn 2: b"],
  );
  assert.ok(stages.every(({ done }, i) => done >= 0 && done < 1 && done >= (stages[i - 1]?.done ?? 0)));
});

turns("what several contenders measure is one figure; who fails again is told once", async () => {
  const again = [contender("c", [[]]), contender("c", [[]])];
  const contenders = [contender("a", [[1]]), contender("b", [[5]]), contender("a", [[3]]), ...again];
  const { measured, missing } = await takeTurns(contenders, { ...everyTurn, turns: 1 });
  assert.equal(
    measured.map(({ name, ns, batches }) => [name, ns, batches]),
    [
      ["a", 2, 2],
      ["b", 5, 1],
    ],
  );
  assert.equal(missing, [{ name: "c", reason: "c is not here" }]);
});

turns("turns in another mode are made up for, and both have their figures", async () => {
  const taken = await takeTurns([contender("a", [[100], [2], [4]]), contender("b", [[6]])], {
    ...{ ...everyTurn, probe: probes("fnnnn") },
  });
  assert.equal([taken.complete, taken.turns, taken.left], [true, 5, 0]);
  assert.equal(taken.modes, [
    { mode: 105, turns: 4 },
    { mode: 560, turns: 1 },
  ]);
  assert.equal(
    taken.measured.map(({ name, mode, ns, batches }) => [name, mode, ns, batches]),
    [
      ["a", 105, 3, 2],
      ["a", 560, 100, 1],
      ["b", 105, 6, 2],
    ],
  );
  assert.equal(
    inFirstMode(taken).map(({ name, mode }) => [name, mode]),
    [
      ["a", 105],
      ["b", 105],
    ],
  );
});

turns("a turn during which the mode changed counts only for who has no other", async () => {
  const contenders = [contender("a", [[1], [2]]), contender("b", [[3], [4]]), contender("c", [[5], [6]])];
  const options = { ...everyTurn, turns: 1, maxTurns: 1 };
  const taken = await takeTurns(contenders, { ...options, probe: probes("nmn") });
  assert.equal([taken.complete, taken.turns, taken.left], [false, 3, 0]);
  assert.equal(
    taken.measured.map(({ name, mode }) => [name, mode]),
    [
      ["a", 105],
      ["b", null],
      ["c", 105],
    ],
  );
  assert.equal(taken.modes.at(-1), { mode: null, turns: 1 });
  const made = await takeTurns(contenders, { ...options, maxTurns: 2, probe: probes("nmnn") });
  assert.equal([made.complete, made.turns, made.left, made.probe.length], [true, 4, 1, 6]);
});

turns("batches with probes of their own are told apart within a turn", async () => {
  const run = async () => [
    {
      name: "a",
      what: "x",
      batch: 1,
      samples: [1, 50, 3],
      probes: [
        [60, 61],
        [540, 560],
        [40, 60],
      ],
    },
    {
      name: "a",
      what: "y",
      batch: 1,
      samples: [7, 8],
      probes: [
        [550, 60],
        [60, 545],
      ],
    },
  ];
  const taken = await takeTurns([{ name: "a", run }], { ...everyTurn, turns: 1, probe: async () => 115 });
  assert.equal(
    taken.measured.map(({ what, ns, mode, batches }) => [what, ns, mode, batches]),
    [
      ["x", 2, 60, 2],
      ["x", 50, 548, 1],
      // of this operation there is nothing else
      ["y", 7.5, null, 2],
    ],
  );
  assert.equal([taken.complete, taken.turns, taken.left, taken.probe], [true, 1, 0, [115, 115]]);
});

turns("only a mode that was asked for counts, unless nobody was measured in it", async () => {
  const contenders = [contender("a", [[1]]), contender("b", [[2]])];
  const far = await takeTurns(contenders, { ...everyTurn, mode: 500, probe: probes("nnff") });
  assert.equal([far.complete, far.turns, far.left], [true, 8, 4]);
  assert.equal(far.modes, [{ mode: 560, turns: 4 }]);
  const never = await takeTurns(contenders, { ...everyTurn, mode: 300 });
  assert.equal([never.complete, never.turns, never.left], [false, 2 * 4, 0]);
  assert.equal(
    never.measured.map(({ ns, mode }) => [ns, mode]),
    [
      [1, 105],
      [2, 105],
    ],
  );
});

turns("beyond the budget nobody gets more than the turns asked for", async () => {
  const { turns } = await takeTurns([contender("a", [[1]])], { ...everyTurn, budgetMs: 0, mode: 300 });
  assert.is(turns, 2);
});

turns("a budget may end them after the least that is asked for", async () => {
  const options = { ...everyTurn, budgetMs: 0, turns: 5, maxTurns: 9 };
  const { turns } = await takeTurns([contender("a", [[1]]), contender("b", [[2]])], {
    ...options,
    least: 1,
  });
  assert.is(turns, 2);
});

turns("the CPUs are probed when nothing else is said", async () => {
  if (usable.length < 2) return;
  const { probe } = await takeTurns([contender("a", [[1]])], { ...everyTurn, probe: undefined, turns: 1 });
  assert.ok(probe.length === 2 && probe.every((ns) => ns > 0));
});

turns("who fails is told with the reason and asked no more; who is required ends it all", async () => {
  const { measured, missing, complete } = await takeTurns(
    [contender("a", [[1]], true), contender("b", [[]])],
    everyTurn,
  );
  assert.is(measured.length, 1);
  assert.is(complete, true);
  assert.equal(missing, [{ name: "b", reason: "b is not here" }]);
  const error = await failure(takeTurns([contender("a", [[]], true)], everyTurn));
  assert.match(error.message, "a is not here");
});

turns("an abort is thrown, also when it made a turn fail", async () => {
  const stop = new AbortController();
  const aborting: Contender = {
    name: "a",
    run: async () => {
      stop.abort(new Error("enough"));
      throw new Error("something else");
    },
  };
  const error = await failure(takeTurns([aborting], { ...everyTurn, signal: stop.signal }));
  assert.match(error.message, "enough");
});
turns.run();

const modes = suite("modes of turns");
const probed = (before: number, after: number) => ({ probe: [before, after] as const });

modes("probes of any number of modes, with names; a turn between two has none", () => {
  const near = [60, 40, 44, 66].map((ns) => [ns, 60]);
  const middle = [110, 121, 135, 148, 104].map((ns) => [115, ns]);
  const far = [551, 590, 502].map((ns) => [ns, 580]);
  const found = modesOf([...near, ...middle, ...far, [60, 560], [121, 66]]);
  assert.equal(found, [60, 60, 60, 60, 115, 115, 115, 115, 115, 580, 580, 580, null, null]);
  assert.equal(modesOf([[0, 0]]), [0], "one CPU");
  assert.equal(modesOf([]), []);
});

modes("the mode of most counts, the later one when two have as many", () => {
  const near = [probed(105, 110), probed(108, 104), probed(112, 106)];
  const far = [probed(500, 520), probed(510, 505)];
  const changing = probed(105, 500);
  assert.equal(inLargestMode([near[0], far[0], changing, near[1], far[1], near[2]]), near);
  assert.equal(inLargestMode([near[0], near[1], changing, far[0], far[1]]), far);
  assert.equal(inLargestMode([changing]), []);
  assert.equal(inLargestMode([]), []);
});
modes.run();

const targets = suite("targets");
const measured = (name: string, what: string, ns: number): Measured => ({
  ...{ name, what, ns, low: 0.9 * ns, high: 1.2 * ns },
  ...{ batch: 100, batches: 15 },
});
const verdicts = (all: readonly Measured[], what: string): (string | number | null)[] =>
  checkTargets(all)
    .filter(({ target }) => target.what === what)
    .flatMap(({ verdict, reached }) => [verdict, reached]);

targets("a bound that is met is reached, a bit beyond is missed", () => {
  const rivals = [measured("C flags", "barrier", 100), measured("Open MPI", "barrier", 250)];
  const gomp = measured("GOMP", "barrier", 402.5);
  const at = (ns: number) => verdicts([measured("tundish", "barrier", ns), ...rivals, gomp], "barrier");
  assert.equal(at(100), ["reached", 1, "reached", 2.5, "reached", 4.025]);
  assert.equal(
    at(115).filter((_, i) => i % 2 === 0),
    ["reached", "missed", "reached"],
  );
  assert.equal(
    at(116).filter((_, i) => i % 2 === 0),
    ["missed", "missed", "missed"],
  );
});

targets("the fastest variant of a rival counts", () => {
  const all = [
    measured("tundish", "barrier", 50),
    measured("C flags", "barrier", 60),
    measured("C flags", "barrier, seq_cst", 40),
    measured("C flags", "barrier, pthread", 1),
    measured("GOMP", "barrier", 300),
    measured("GOMP, active", "barrier", 175),
  ];
  const results = checkTargets(all).filter(({ target }) => target.what === "barrier");
  assert.equal(
    results.map(({ verdict, reached, rival }) => [verdict, reached, rival?.ns ?? null]),
    [
      ["missed", 1.25, 40],
      ["not measured", null, null],
      ["reached", 3.5, 175],
    ],
  );
});

targets("are compared in every mode that both were measured in, and in no other", () => {
  const at = (one: Measured, mode: number | null): Measured => ({ ...one, mode });
  const all = [
    at(measured("tundish", "barrier", 100), 105),
    at(measured("tundish", "barrier", 300), 560),
    at(measured("C flags", "barrier", 100), 105),
    at(measured("C flags", "barrier", 150), 560),
    at(measured("Open MPI", "barrier", 1000), 560),
    // during both of these turns the mode changed: into which is not known
    at(measured("tundish", "barrier", 200), null),
    at(measured("GOMP", "barrier", 1000), null),
  ];
  const results = checkTargets(all).filter(({ target }) => target.what === "barrier");
  assert.equal(
    results.map(({ mode, verdict, reached }) => [mode, verdict, reached]),
    [
      [105, "reached", 1],
      [560, "missed", 2],
      [560, "reached", 1000 / 300],
      [null, "in different modes", null],
    ],
  );
  assert.equal([results[3].ours?.ns, results[3].rival?.mode], [100, null]);
});

targets("two broadcasts bring a value there and back", () => {
  const all = [measured("tundish", "broadcast 8 B", 50), measured("postMessage", "round trip", 9900)];
  const result = checkTargets(all).find(({ target }) => target.operations === 2);
  assert.is(result?.verdict, "missed");
  assert.is(result?.reached, 99);
  assert.equal([result?.ours?.ns, result?.ours?.low, result?.ours?.high], [100, 90, 120]);
});

targets("a time of ours alone has its bound in ns; 1 % of a core is 10 ms per second", () => {
  const all = [measured("tundish", IDLE, 2e6), measured("tundish", WAKE, 15_001)];
  assert.equal(verdicts(all, IDLE), ["reached", 2e6]);
  assert.equal(verdicts(all, WAKE), ["missed", 15_001]);
});

targets("without measurements nothing is reached and nothing missed", () => {
  for (const { verdict, reached } of checkTargets([])) {
    assert.is(verdict, "not measured");
    assert.is(reached, null);
  }
  assert.is(checkTargets([]).length, TARGETS.length);
});
targets.run();

const crossovers = suite("crossovers");
/** Points of a broadcast at sizes 1, 2, 4, …, by how many times the long algorithm's time the short one takes. */
const points = (ratios: readonly number[], memory: "alloc" | "private" = "alloc"): CrossoverPoint[] =>
  ratios.map((ratio, i) => ({
    ...{ call: "broadcast", memory, bytes: 2 ** i },
    times: [
      { algorithm: "tree", ns: 100 * ratio },
      { algorithm: "single-copy", ns: 100 },
    ],
  }));
const bound = (all: readonly CrossoverPoint[]): number => crossoversOf(all).broadcast;

crossovers("the largest size at which the short one is still faster; all or none of them, too", () => {
  assert.is(bound(points([0.5, 0.7, 0.9, 1.1, 2, 9])), 4);
  assert.is(bound(points([0.5, 0.6])), 2);
  assert.is(bound(points([1.1, 2])), 0);
  assert.is(bound(points([])), 0);
});

crossovers("one odd size does not move it far", () => {
  assert.is(bound(points([0.5, 0.8, 1.2, 0.99, 1.6, 9, 30, 0.98])), 2);
  assert.is(bound(points([0.4, 1.1, 0.5, 0.7, 1.5, 3])), 8);
});

crossovers("both kinds of memory have a say, in any order", () => {
  const alloc = points([0.5, 0.9, 2, 4]);
  const own = points([0.5, 0.6, 0.7, 4], "private");
  assert.equal([bound(alloc), bound(own)], [2, 4]);
  assert.is(bound([...own, ...alloc]), 2);
  assert.is(bound([...alloc, ...own].reverse()), 2);
});

crossovers("the faster of two short algorithms is what the long one has to beat", () => {
  const point = (bytes: number, exchange: number, tree: number): CrossoverPoint => ({
    ...{ call: "allreduce", memory: "alloc", bytes },
    times: [
      { algorithm: "exchange", ns: exchange },
      { algorithm: "tree", ns: tree },
      { algorithm: "scatter", ns: 100 },
    ],
  });
  const all = [point(8, 50, 90), point(16, 120, 80), point(32, 130, 110)];
  assert.equal(crossoversOf(all), { broadcast: 0, reduce: 0, allreduce: 16 });
});

crossovers("no other bound costs less, whatever was measured", () => {
  const ratio = fc.double({ min: 0.01, max: 100, noNaN: true });
  fc.assert(
    fc.property(fc.array(ratio, { minLength: 1, maxLength: 12 }), (ratios) => {
      // the loss of a bound: how many times the best is taken, over all sizes
      const loss = (limit: number): number =>
        ratios.reduce((sum, r, i) => sum + Math.max(0, 2 ** i <= limit ? Math.log(r) : -Math.log(r)), 0);
      const least = Math.min(loss(0), ...ratios.map((_, i) => loss(2 ** i)));
      assert.ok(loss(bound(points(ratios))) <= least + 1e-9);
    }),
  );
});

crossovers("are part of the machine model, checked, and stay when PEs are selected", () => {
  const model = { ...guessModel(topology), crossovers: { broadcast: 1, reduce: 0, allreduce: 1e6 } };
  assert.equal(parseMachine(model).crossovers, model.crossovers);
  assert.equal(selectPEs(model, [0]).crossovers, model.crossovers);
  assert.is("crossovers" in selectPEs(guessModel(topology), [0]), false);
  for (const [bad, path] of [
    [{ ...model.crossovers, reduce: -1 }, "crossovers.reduce"],
    [{ broadcast: 1, reduce: 1 }, "crossovers.allreduce"],
    [448, "crossovers"],
  ] as const) {
    assert.throws(() => parseMachine({ ...model, crossovers: bad }), new RegExp(`^${path}: expected `));
  }
});
crossovers.run();

const bench = suite("bench");

testUnless(
  bench,
  threadCpuTime() === null ? "the CPU time of a thread is not told here" : null,
  "CPU time passes while a thread works, and hardly while it sleeps",
  () => {
    const nap = new Int32Array(new SharedArrayBuffer(4));
    // exact just after a sleep
    const now = (): number => {
      Atomics.wait(nap, 0, 0, 10);
      return threadCpuTime() as number;
    };
    const start = now();
    for (const until = performance.now() + 200; performance.now() < until; );
    const worked = now() - start;
    const before = now();
    Atomics.wait(nap, 0, 0, 200);
    const slept = now() - before;
    assert.ok(worked <= 230e6 && slept < worked / 2, `${worked} ns of work, ${slept} ns of sleep`);
  },
);

bench("refuses CPUs that are not there, too few, and another machine's model", async () => {
  for (const cpus of [[], [usable[0]], [usable[0], 4095], [usable[0], usable[0]]]) {
    assert.instance(await failure(benchCollectives({ cpus })), UsageError);
  }
  const model = guessModel(topology);
  const foreign = { ...model, fingerprint: "0123456789abcdef" };
  assert.instance(await failure(benchCrossovers(foreign)), UsageError);
  assert.instance(await failure(benchCrossovers(selectPEs(model, [0]))), EnvironmentError);
});

bench.run();
