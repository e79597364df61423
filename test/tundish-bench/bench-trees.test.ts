/** `bench trees`: its comparisons beside the generator itself, and its sums on numbers made up. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Progress } from "../../microbench/pairs/profiled.ts";
import { benchTrees, groupsOf, type ModelResult, ratioOf } from "../../packages/tundish-bench/src/trees/bench-trees.ts";
import { totalsOf } from "../../packages/tundish-bench/src/trees/bench-trees-summary.ts";
import { benchTreesInThread } from "../../packages/tundish-bench/src/trees/trees-thread.ts";
import { generateTrees } from "../../trees/generate/generate.ts";
import { LONG, rounds } from "../support/long.ts";
import { assertClose, loadMachine, model, uniform } from "../trees/support/reference.ts";

const test = suite("bench trees");
const named = (name: string) => ({ file: `${name}.json`, machine: loadMachine(name) });
const small = named("c2c-amd-ryzen-5-3500x-6-core-processor");
const brie = named("smelt-hist-brie");
const xeon = named("smelt-intel-xeon-e5-v2-2x10");
const made = (size: number) => ({ file: undefined, machine: model(uniform(size, 2), uniform(size, 3)) });

/** Without what differs from call to call. */
const timeless = (results: readonly ModelResult[]) => results.map(({ ms: _, ...rest }) => rest);

test("one PE, two PEs: nothing to choose, so all ratios are 1 and nothing is above the bound", () => {
  for (const result of benchTrees([made(1), made(2)])) {
    assert.is(result.file, null);
    for (const operation of ["broadcast", "reduce"] as const) {
      assert.equal(new Set(Object.values(result[operation].ratios)), new Set([1]));
      assert.is(result[operation].bestStatic.ratio, 1);
      assert.is(result[operation].aboveBound, 0);
    }
    assert.equal([result.groups, result.runs], [[], null]);
  }
});

test("a ratio of nothing to nothing is 1", () => {
  assert.equal([ratioOf(0, 0), ratioOf(3, 2), ratioOf(1, 0)], [1, 1.5, Number.POSITIVE_INFINITY]);
});

test("latencies, ratios and bounds are the generator's", () => {
  const [result] = benchTrees([xeon], { seed: 7 });
  const trees = generateTrees(xeon.machine, { seed: 7 });
  assert.is(result.file, "smelt-intel-xeon-e5-v2-2x10.json");
  assert.equal([result.name, result.pes, result.unit], [xeon.machine.name, 20, "cycles"]);
  assert.ok(result.ms > 0);
  assert.is(result.barrier.kind, trees.barrier.kind);
  for (const operation of ["broadcast", "reduce", "barrier"] as const) {
    const { latency, ratios, bestStatic } = result[operation];
    assert.is(latency, trees[operation].latency);
    for (const row of trees.baselines) assert.is(ratios[row.algorithm], row[operation] / latency);
    const { smelt: _, bad: __, ...others } = ratios;
    assert.is(bestStatic.ratio, Math.min(...Object.values(others)));
    assert.is(ratios[bestStatic.algorithm], bestStatic.ratio);
  }
  for (const operation of ["broadcast", "reduce"] as const) {
    assert.is(result[operation].bound, trees.bound[operation]);
    assertClose(result[operation].aboveBound, trees[operation].latency / trees.bound[operation] - 1, "gap");
  }
});

test("groups: 8 to 13 different PEs, all different, the same for a seed", () => {
  const groups = groupsOf(xeon.machine, 200, 1);
  assert.is(groups.length, 200);
  assert.is(new Set(groups.map(String)).size, 200);
  assert.equal(
    [...new Set(groups.map(({ length }) => length))].sort((a, b) => a - b),
    [8, 9, 10, 11, 12, 13],
  );
  for (const group of groups) {
    assert.is(new Set(group).size, group.length);
    assert.ok(group.every((pe, i) => pe >= 0 && pe < 20 && (i === 0 || pe > group[i - 1])));
  }
  assert.equal(groupsOf(xeon.machine, 3, 1), groups.slice(0, 3));
  assert.not.equal(groupsOf(xeon.machine, 3, 2), groups.slice(0, 3));
  const whole = made(8).machine;
  assert.equal(groupsOf(whole, 5, 1), [[0, 1, 2, 3, 4, 5, 6, 7]], "there is only one of 8 among 8");
});

test("groups: nothing is below the optimum, and the optimum is the exact algorithm's", () => {
  const [six, twenty] = benchTrees([small, xeon], { groups: rounds(2, 4) });
  assert.equal(six.groups, [], "too few PEs");
  assert.is(twenty.groups.length, rounds(2, 4));
  for (const { cores, optimum, search, adaptive } of twenty.groups) {
    const exact = generateTrees(xeon.machine, { cores, algorithm: "exact" });
    for (const operation of ["broadcast", "reduce"] as const) {
      assertClose(optimum[operation], exact[operation].latency, operation);
      assert.ok(search[operation] >= optimum[operation] * (1 - 1e-9));
      assert.ok(adaptive[operation] >= optimum[operation] * (1 - 1e-9));
      assert.ok(adaptive[operation] <= search[operation] * (1 + 1e-9) || cores.length > 12);
    }
  }
});

test("long runs: ten times the moves, other seeds; none where the bound is met or the model is large", () => {
  const [tiny, twenty, many] = benchTrees([brie, xeon, made(257)], { runs: 2, budget: 4 });
  assert.equal(tiny.runs, {
    made: 0,
    best: { broadcast: tiny.broadcast.latency, reduce: tiny.reduce.latency },
    ratio: { broadcast: 1, reduce: 1 },
  });
  assert.is(twenty.runs?.made, 2);
  for (const operation of ["broadcast", "reduce"] as const) {
    assert.ok((twenty.runs?.ratio[operation] ?? 0) >= 1);
    assert.ok((twenty.runs?.best[operation] ?? 0) >= twenty[operation].bound);
  }
  assert.is(many.runs, null);
});

test("the same seed gives the same, in long runs too; progress begins with nothing done and grows", () => {
  const told: Progress[] = [];
  // a long run takes seconds: in a plain run it is cut short, and what is compared has none
  const options = { runs: 1, groups: 1, ...(LONG ? {} : { budget: 5 }) };
  // of those that are too large for exact trees the quickest
  const core = named("c2c-intel-core-i9-9900k-cpu-3-60-ghz");
  const first = benchTrees([small, core], { ...options, onProgress: (progress) => told.push(progress) });
  assert.is(first[1].runs?.made, 1);
  const [again, once] = LONG ? [options, first] : [{ groups: 1 }, benchTrees([small, core], { groups: 1 })];
  assert.equal(timeless(benchTrees([core], again)), timeless(once.slice(1)));
  assert.is(told[0].done, 0);
  assert.ok(told.every(({ done }, i) => done < 1 && (i === 0 || done > told[i - 1].done)));
  assert.equal([...new Set(told.map(({ stage }) => stage.split(":")[0]))], ["trees", "groups", "long runs"]);
});

test("over nodes: as many as have the ranks, above no bound", () => {
  const { nodes } = benchTrees([small], { ranks: 4 * small.machine.pes.length + 1 })[0];
  assert.is(nodes?.nodes, 4);
  assert.is(nodes?.ranks, 4 * small.machine.pes.length);
  assert.ok((nodes?.broadcast.aboveBound ?? -1) >= 0 && (nodes?.reduce.aboveBound ?? -1) >= 0);
});

/** Adaptive takes 10 in everything, the others `ratio` times that. */
function result(name: string, pes: number, ratio: number, more: Partial<ModelResult> = {}): ModelResult {
  const names = ["smelt", "sequential", "binary", "fibonacci", "mst", "cluster", "bad"] as const;
  const ratios = Object.fromEntries(names.map((one) => [one, ratio])) as ModelResult["barrier"]["ratios"];
  const compared = { latency: 10, ratios, bestStatic: { algorithm: "binary", ratio } } as const;
  const tree = { ...compared, from: "ecef", bound: 10 / ratio, aboveBound: ratio - 1 } as const;
  return {
    ...{ file: null, name, pes, unit: "ns", broadcast: tree, reduce: tree, ms: 100 * ratio },
    barrier: { ...compared, kind: "hybrid" },
    ...{ groups: [], runs: null, nodes: null, ...more },
  };
}

test("sums: means and maxima over models with 8 PEs or more, but all count that are above", () => {
  const totals = totalsOf([result("a", 8, 2), result("b", 9, 1), result("c", 7, 0.5)]);
  assert.equal([totals.above, totals.comparisons, totals.ms], [21, 63, 350]);
  assert.is(totals.summary?.models, 2);
  assert.equal(totals.summary?.broadcast.smelt, { mean: 1.5, max: 2 });
  assert.equal(totals.summary?.barrier.bestStatic, { mean: 1.5, max: 2 });
  assert.equal(totals.summary?.aboveBound.reduce, { mean: 0.5, max: 1 });
  assert.equal(totals.summary?.ms, { mean: 150, max: 200 });
  assert.equal([totals.groups, totals.runs], [null, null]);
  assert.is(totalsOf([result("c", 7, 1 - 1e-12)]).above, 0, "rounding");
  assert.is(totalsOf([result("c", 7, 1)]).summary, null);
});

test("sums: groups and long runs", () => {
  const latencies = (broadcast: number, reduce: number) => ({ broadcast, reduce });
  const group = (cores: number[], search: number) => ({
    ...{ cores, optimum: latencies(10, 20), adaptive: latencies(10, 20) },
    search: latencies(search, 20),
  });
  const runs = (ratio: number) => ({ made: 1, best: latencies(1, 1), ratio: latencies(ratio, 1) });
  const { groups, runs: long } = totalsOf([
    result("a", 8, 2, { groups: [group([1], 10), group([2], 15)], runs: runs(1.5) }),
    result("b", 9, 2, { groups: [group([3], 11)], runs: runs(1) }),
    result("c", 7, 2, { runs: runs(9) }),
  ]);
  assert.is(groups?.groups, 3);
  const { mean, ...others } = groups?.search.broadcast ?? { mean: 0 };
  assertClose(mean, 1.2, "mean");
  assert.equal(others, { max: 1.5, optimal: 1 / 3, worst: { name: "a", cores: [2] } });
  assert.is(groups?.adaptive.reduce.optimal, 1);
  assert.equal(long, { models: 2, broadcast: { mean: 1.25, max: 1.5 }, reduce: { mean: 1, max: 1 } });
});

test("in a thread: the same, with progress", async () => {
  const told: Progress[] = [];
  const results = await benchTreesInThread([xeon], { seed: 3, onProgress: (one) => told.push(one) });
  assert.equal(timeless(results), timeless(benchTrees([xeon], { seed: 3 })));
  assert.equal(told, [{ stage: `trees: ${xeon.machine.name}, 20 PEs`, done: 0 }]);
});

test("in a thread: aborted at once, before and during; its errors arrive", async () => {
  const thrown = (work: Promise<unknown>): Promise<unknown> => work.then(() => null).catch((error) => error);
  const reason = new Error("enough");
  assert.is(await thrown(benchTreesInThread([xeon], {}, AbortSignal.abort(reason))), reason);
  const controller = new AbortController();
  const began = performance.now();
  const options = { budget: 60_000, onProgress: () => controller.abort(reason) };
  assert.is(await thrown(benchTreesInThread([xeon], options, controller.signal)), reason);
  assert.ok(performance.now() - began < 20_000);
  assert.match(String(await thrown(benchTreesInThread([xeon], { seed: -1 }))), /seed: expected/);
});

test.run();
