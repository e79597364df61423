/** From a machine model to a group's trees: broadcast, reduce, barrier, published algorithms, a lower bound. */
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import { baselines } from "../../src/ground/base/tree-algorithms.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { bestDissemination, bestHybrid, type Hybrid } from "../barrier/barriers.ts";
import { lowerBound } from "../bound/bound.ts";
import { builders } from "../build/builders.ts";
import { type Clock, Deadline, NEVER_OVER } from "../model/deadline.ts";
import { denoise } from "../model/denoise.ts";
import { broadcastLatency, latencyOf, reduceLatency } from "../model/latency.ts";
import { canonicalDomains, checkMachine, mirror, reversed, treeProblem } from "../model/problem.ts";
import { treeOf } from "../model/shape.ts";
import type {
  Barrier,
  Baseline,
  HybridBarrier,
  Operation,
  Shape,
  Tree,
  TreeBarrier,
  TreeProblem,
  Trees,
} from "../model/tree.ts";
import { searchTrees } from "../search/adaptive.ts";
import { least, type Pair } from "../search/candidates.ts";
import { checkTreeOptions, type TreeOptions } from "./options.ts";

/**
 * Derives the trees of a group from a machine model. All latencies are model latencies in the unit of
 * the model; all PEs are numbers of the model.
 *
 * With `adaptive`, the default, and with `exact`, broadcast and reduce have a tree each, and the barrier is
 * the best of a pair of trees with a common root, dissemination and a hybrid of both. With a published
 * algorithm, one tree serves all three, as in Smelt.
 *
 * @throws UsageError for an invalid option
 * @throws ModelError for an invalid model: a cost that is not a number from 0 to 1e100, a CPU named twice
 */
export function generateTrees(machine: MachineModel, options: TreeOptions = {}): Trees {
  checkMachine(machine);
  return treesOf(machine, options);
}

/** As {@link generateTrees}, for a checked model; its PEs may share CPUs. `clock` is for tests. */
export function treesOf(machine: MachineModel, options: TreeOptions, clock: Clock = monotonic): Trees {
  const { algorithm, cores, denoise: isNoisy, ...rest } = checkTreeOptions(machine, options);
  const deadline = new Deadline(rest.budget, clock);
  const problem = treeProblem(isNoisy ? denoise(machine) : machine, cores, rest);
  const published = new Map(baselines.map((name) => [name, oneTree(problem, name)]));
  const { trees, optimal } =
    algorithm === "adaptive" || algorithm === "exact"
      ? bestTrees(problem, algorithm, [...published.values()], deadline.share(1 - FOR_BOUNDS))
      : separate(published.get(algorithm) as TreeBarrier);
  return {
    schema: "tundish/trees@1",
    machine: machine.name,
    unit: machine.unit,
    cores: [...cores],
    ...trees,
    baselines: [...published].map(([name, { reduce, broadcast, latency }]) => ({
      algorithm: name,
      broadcast: broadcast.latency,
      reduce: reduce.latency,
      barrier: latency,
    })),
    bound: {
      broadcast: boundOf(problem, trees.broadcast, optimal, deadline.share(1 / 2)),
      reduce: boundOf(mirror(problem), trees.reduce, optimal, deadline),
    },
  };
}

/** Shares of a time budget. */
const FOR_BOUNDS = 0.15;
const FOR_BARRIERS = 0.15;

const fastest = (barriers: readonly Barrier[]): number => Math.min(...barriers.map(({ latency }) => latency));

/** The chosen trees, and whether they are known to be optimal. */
interface Chosen {
  readonly trees: Pick<Trees, Operation | "barrier">;
  readonly optimal: boolean;
}

function boundOf(problem: TreeProblem, { latency }: Tree, optimal: boolean, deadline: Deadline): number {
  // the two are summed in different orders: when the bound is met, they differ only by rounding
  return optimal ? latency : Math.min(lowerBound(problem, deadline), latency);
}

function bestTrees(
  problem: TreeProblem,
  algorithm: "adaptive" | "exact",
  published: readonly TreeBarrier[],
  deadline: Deadline,
): Chosen {
  const beside = barriersBeside(problem, deadline.share(FOR_BARRIERS));
  const exactly = algorithm === "exact" ? { exactly: true } : {};
  const found = searchTrees(problem, {
    ...exactly,
    otherBarrier: fastest(beside),
    mirroredBarrier: () => fastest(barriersBeside(reversed(problem), deadline.share(FOR_BARRIERS))),
    deadline,
  });
  // with the same sums as treeLatency: a rounding difference must not put a tree above a baseline
  const tree = (pair: Pair, operation: Operation): Tree => {
    const { shape, from } = pair[operation];
    return treeOf(problem, shape, algorithm, latencyOf(problem, shape, operation), from);
  };
  // with the PEs' own numbers, a published algorithm may build another tree than the search has seen
  const renamed = (one: Tree): Tree => ({ ...one, algorithm, from: one.algorithm as Baseline });
  const best = (operation: Operation): Tree => {
    const known = published.map((one) => renamed(one[operation]));
    return least([tree(found, operation), ...known], ({ latency }) => latency);
  };
  const pairs = [
    treeBarrier(tree(found.barrier, "reduce"), tree(found.barrier, "broadcast")),
    ...published.map((one) => treeBarrier(renamed(one.reduce), renamed(one.broadcast))),
  ];
  const trees = {
    broadcast: best("broadcast"),
    reduce: best("reduce"),
    barrier: least([...pairs, ...beside], ({ latency }) => latency),
  };
  return { trees, optimal: found.optimal };
}

/** The best barriers that are not a pair of trees, independent of the PEs' numbers. */
export function barriersBeside(given: TreeProblem, deadline: Deadline = NEVER_OVER): Barrier[] {
  // the members keep their numbers: copying a large matrix would take longer than everything else here
  const problem = { ...given, domains: canonicalDomains(given) };
  const { order, latency } = bestDissemination(problem, deadline.share(1 / 3));
  const hybrid = bestHybrid(problem, deadline);
  const pe = (member: number): number => problem.cores[member] as number;
  return [
    { kind: "dissemination", latency, order: order.map(pe) },
    ...(hybrid === undefined ? [] : [hybridBarrier(problem, hybrid)]),
  ];
}

function hybridBarrier(problem: TreeProblem, { leaders, reduce, broadcast, latency }: Hybrid): HybridBarrier {
  const tree = (shape: Shape, time: number): Tree => treeOf(problem, shape, "adaptive", time);
  return {
    kind: "hybrid",
    latency,
    leaders: leaders.map((member) => problem.cores[member] as number),
    reduce: reduce.map((shape) => tree(shape, reduceLatency(problem, shape))),
    broadcast: broadcast.map((shape) => tree(shape, broadcastLatency(problem, shape))),
  };
}

/** A published algorithm as Smelt uses it: the broadcast tree serves the reduction as well. */
export function oneTree(problem: TreeProblem, name: Baseline): TreeBarrier {
  const shape = builders[name](problem);
  return treeBarrier(
    treeOf(problem, shape, name, reduceLatency(problem, shape)),
    treeOf(problem, shape, name, broadcastLatency(problem, shape)),
  );
}

function treeBarrier(reduce: Tree, broadcast: Tree): TreeBarrier {
  const latency = reduce.latency + broadcast.latency;
  return { kind: "tree", latency, root: broadcast.root, reduce, broadcast };
}

function separate(barrier: TreeBarrier): Chosen {
  const { broadcast, reduce } = barrier;
  return { trees: { broadcast, reduce, barrier }, optimal: false };
}
