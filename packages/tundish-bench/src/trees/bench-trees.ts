/**
 * Compares `adaptive` with the published algorithms, a lower bound, the optimum and long searches, over machine models.
 *
 * All comparisons use model latencies; nothing is sent.
 *
 * - For each model the trees of all its PEs: the latency of each published algorithm relative to adaptive's, the
 *   distance of adaptive from the lower bound, and the time to derive them (wall time of one call; the first one
 *   includes the start of the JIT).
 * - `groups`: random groups of 8 to 13 PEs, which can be solved exactly. `search` is adaptive's method for larger
 *   groups, although it would solve most of these exactly; `adaptive` is its actual result.
 * - `ranks`: trees over a number of ranks on nodes like each model (bench-trees-nodes.ts).
 * - `runs`: for models of at most 256 PEs, searches of ten times the usual length with other seeds. The usual result is
 *   compared with the best known tree, which is the best of them and of itself.
 *
 * Limits: the search of groups and the long runs leave out adaptive's additional search for barriers; its own trees can
 * profit from that, those cannot. Means are arithmetic.
 *
 * Example: 2 PEs have one tree, a line, so every ratio is 1 and nothing is above the bound.
 */

import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { randomNumbers } from "../../../../src/ground/base/random.ts";
import { baselines } from "../../../../src/ground/base/tree-algorithms.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { generateTrees } from "../../../../trees/generate/generate.ts";
import { mirror, treeProblem } from "../../../../trees/model/problem.ts";
import { movesOf } from "../../../../trees/model/search-budget.ts";
import type { Barrier, Baseline, Finder, Operation, Tree, TreeProblem, Trees } from "../../../../trees/model/tree.ts";
import { type Found, searchTrees } from "../../../../trees/search/adaptive.ts";
import { least } from "../../../../trees/search/candidates.ts";
import { solveExactly } from "../../../../trees/search/exact.ts";
import { benchNodes, type NodesResult } from "./bench-trees-nodes.ts";

/** A machine model and its source. */
export interface NamedModel {
  /** Undefined: it was guessed. */
  readonly file: string | undefined;
  readonly machine: MachineModel;
}

/** Options of {@link benchTrees}. */
export interface TreesBenchOptions {
  /** Seed of adaptive and of the random groups. @default 1 */
  readonly seed?: number;
  /** Time for adaptive to search in ms, per model or group. @default none: by the size of the group */
  readonly budget?: number;
  /** Random groups per model of 8 PEs or more, without repetition. @default 0 */
  readonly groups?: number;
  /** Long runs per model of at most 256 PEs. @default 0 */
  readonly runs?: number;
  /** Number of ranks over nodes like each model (bench-trees-nodes.ts). @default 0: none */
  readonly ranks?: number;
  readonly onProgress?: (progress: Progress) => void;
}

/** Adaptive in one operation, and the latencies of the published algorithms relative to it. */
export interface Compared {
  readonly latency: number;
  readonly ratios: Readonly<Record<Baseline, number>>;
  /** The best of sequential, binary, fibonacci, mst and cluster, which Smelt was compared with. */
  readonly bestStatic: { readonly algorithm: Baseline; readonly ratio: number };
}

/** The same for one tree. */
export interface ComparedTree extends Compared {
  readonly from: Finder;
  readonly bound: number;
  /** latency / bound - 1 */
  readonly aboveBound: number;
}

/** The same for a barrier. */
export interface ComparedBarrier extends Compared {
  readonly kind: Barrier["kind"];
}

/** A latency for each operation that has one tree. */
export type Latencies = Readonly<Record<Operation, number>>;

/** A group that was solved exactly. */
export interface GroupResult {
  readonly cores: readonly number[];
  readonly optimum: Latencies;
  readonly search: Latencies;
  readonly adaptive: Latencies;
}

/** The result of long runs. */
export interface RunsResult {
  /** Number of runs: 0 if the bound is reached, as nothing better can be found. */
  readonly made: number;
  /** The best known latencies. */
  readonly best: Latencies;
  /** The latencies of the usual result relative to those. */
  readonly ratio: Latencies;
}

/** The results for one model. */
export interface ModelResult {
  readonly file: string | null;
  readonly name: string;
  readonly pes: number;
  readonly unit: MachineModel["unit"];
  readonly broadcast: ComparedTree;
  readonly reduce: ComparedTree;
  readonly barrier: ComparedBarrier;
  /** Time to derive all of these trees. */
  readonly ms: number;
  readonly groups: readonly GroupResult[];
  /** Null: not requested, or the model is too large. */
  readonly runs: RunsResult | null;
  /** Null: not requested. */
  readonly nodes: NodesResult | null;
}

/** Without `bad`, which is bad on purpose. */
const STATIC: readonly Baseline[] = baselines.filter((name) => name !== "smelt" && name !== "bad");
/** The sizes of groups. The exact solution takes some 30 ms for the largest. */
const GROUP = { least: 8, most: 13 } as const;
const LONG = 10;
const MOST_FOR_RUNS = 256;

/** The ratio of two latencies; 1 if both are zero. */
export function ratioOf(latency: number, to: number): number {
  return latency === to ? 1 : latency / to;
}

/** Makes the comparisons on each model. */
export function benchTrees(models: readonly NamedModel[], options: TreesBenchOptions = {}): ModelResult[] {
  const { seed = 1, budget, groups = 0, runs = 0, ranks = 0 } = options;
  const sizes = models.map(({ machine }) => machine.pes.length);
  const runnable = sizes.map((size) => (size <= MOST_FOR_RUNS ? runs : 0));
  const drawn = models.map(({ machine }, i) => (sizes[i] >= GROUP.least ? groupsOf(machine, groups, seed) : []));
  const work = sizes.map(
    (size, i) => size + drawn[i].length * GROUP.most + runnable[i] * LONG * size + (ranks > 0 ? size : 0),
  );
  const all = work.reduce((sum, one) => sum + one, 0);
  let done = 0;
  const step = <T>(stage: string, weight: number, find: () => T): T => {
    options.onProgress?.({ stage, done: done / all });
    done += weight;
    return find();
  };
  const of = (what: string, i: number): string => `${what}: ${models[i].machine.name}, ${sizes[i]} PEs`;

  const found = models.map(({ machine }, i) =>
    step(of("trees", i), sizes[i], () => {
      const began = performance.now();
      const trees = generateTrees(machine, { seed, budget });
      return { trees, ms: performance.now() - began };
    }),
  );
  const grouped = models.map(({ machine }, i) =>
    drawn[i].map((cores) => step(of("groups", i), GROUP.most, () => solveGroup(machine, cores, seed, budget))),
  );
  const long = models.map(({ machine }, i) => {
    if (runnable[i] === 0) return null;
    const run = (more: number): Found =>
      step(of("long runs", i), LONG * sizes[i], () => longRun(machine, seed + more, budget));
    return runsOf(found[i].trees, runnable[i], run);
  });
  const nodes = models.map(({ machine }, i) =>
    ranks === 0 ? null : step(of(`trees over ${ranks} ranks`, i), sizes[i], () => benchNodes(machine, ranks, seed)),
  );
  return models.map(({ file, machine }, i) => ({
    file: file ?? null,
    name: machine.name,
    pes: sizes[i],
    unit: machine.unit,
    ...comparedTrees(found[i].trees),
    ms: found[i].ms,
    groups: grouped[i],
    runs: long[i],
    nodes: nodes[i],
  }));
}

function comparedTrees(trees: Trees): Pick<ModelResult, Operation | "barrier"> {
  const compared = (operation: Operation | "barrier"): Compared => {
    const { latency } = trees[operation];
    const ratios = Object.fromEntries(
      trees.baselines.map((row) => [row.algorithm, ratioOf(row[operation], latency)]),
    ) as Record<Baseline, number>;
    const algorithm = least(STATIC, (name) => ratios[name]);
    return { latency, ratios, bestStatic: { algorithm, ratio: ratios[algorithm] } };
  };
  const tree = (operation: Operation): ComparedTree => ({
    ...compared(operation),
    from: (trees[operation] as Tree & { from: Finder }).from,
    bound: trees.bound[operation],
    aboveBound: ratioOf(trees[operation].latency, trees.bound[operation]) - 1,
  });
  return {
    broadcast: tree("broadcast"),
    reduce: tree("reduce"),
    barrier: { ...compared("barrier"), kind: trees.barrier.kind },
  };
}

/** Random groups of a model, all different; they depend only on the seed and the model's name. */
export function groupsOf({ name, pes }: MachineModel, count: number, seed: number): number[][] {
  // by the name as well, or the groups of all models would have the same sizes
  const random = randomNumbers([...name].reduce((sum, char) => Math.imul(sum, 31) + char.charCodeAt(0), seed));
  const below = (end: number): number => Math.floor(random() * end);
  const most = Math.min(GROUP.most, pes.length);
  const groups = new Map<string, number[]>();
  for (let drawn = 0; drawn < count; drawn++) {
    const all = pes.map((_, pe) => pe);
    const size = GROUP.least + below(most - GROUP.least + 1);
    const group = Array.from({ length: size }, () => all.splice(below(all.length), 1)[0]);
    group.sort((a, b) => a - b);
    groups.set(String(group), group);
  }
  return [...groups.values()];
}

function solveGroup(
  machine: MachineModel,
  cores: readonly number[],
  seed: number,
  budget: number | undefined,
): GroupResult {
  const problem = treeProblem(machine, cores, { seed, budget });
  const optimum = (costs: TreeProblem): number => Math.min(...solveExactly(costs).latency);
  const { broadcast, reduce } = generateTrees(machine, { cores, seed, budget });
  return {
    cores,
    optimum: { broadcast: optimum(problem), reduce: optimum(mirror(problem)) },
    search: latenciesOf(searchTrees(problem, { exactly: false, otherBarrier: 0 })),
    adaptive: { broadcast: broadcast.latency, reduce: reduce.latency },
  };
}

function longRun(machine: MachineModel, seed: number, budget: number | undefined): Found {
  const all = machine.pes.map((_, pe) => pe);
  const problem = treeProblem(machine, all, { seed, budget });
  const searchBudget = budget === undefined ? { moves: LONG * movesOf(problem) } : { budget: LONG * budget };
  return searchTrees({ ...problem, ...searchBudget }, { otherBarrier: 0 });
}

function latenciesOf({ broadcast, reduce }: Found): Latencies {
  return { broadcast: broadcast.latency, reduce: reduce.latency };
}

function runsOf(usual: Trees, count: number, run: (more: number) => Found): RunsResult {
  const own = { broadcast: usual.broadcast.latency, reduce: usual.reduce.latency };
  const isMet = own.broadcast <= usual.bound.broadcast && own.reduce <= usual.bound.reduce;
  const made = isMet ? 0 : count;
  const all: Latencies[] = [own, ...Array.from({ length: made }, (_, i) => latenciesOf(run(i + 1)))];
  const best = {
    broadcast: Math.min(...all.map(({ broadcast }) => broadcast)),
    reduce: Math.min(...all.map(({ reduce }) => reduce)),
  };
  const ratio = {
    broadcast: ratioOf(own.broadcast, best.broadcast),
    reduce: ratioOf(own.reduce, best.reduce),
  };
  return { made, best, ratio };
}
