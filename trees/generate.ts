/**
 * From a machine model to the trees of a group: broadcast, reduce, barrier, what the published
 * algorithms would give, and a lower bound.
 */
import type { MachineModel } from "../src/machine/types.ts";
import { type Pair, searchTrees } from "./adaptive.ts";
import { lowerBound } from "./bound.ts";
import { baselines, builders } from "./builders.ts";
import { disseminationLatency } from "./dissemination.ts";
import { broadcastLatency, reduceLatency } from "./latency.ts";
import { checkOptions, type TreeOptions } from "./options.ts";
import { treeProblem } from "./problem.ts";
import { treeOf } from "./shape.ts";
import type { Barrier, Baseline, Operation, Tree, TreeBarrier, TreeProblem, Trees } from "./types.ts";

/**
 * Derives the trees of a group from a machine model. All latencies are model latencies in the unit of
 * the model; all PEs are numbers of the model.
 *
 * With `adaptive`, the default, broadcast and reduce have a tree each, and the barrier is the better
 * of a pair of trees with a common root and dissemination. With a published algorithm, one tree
 * serves all three, as in Smelt.
 *
 * @throws UsageError when an option is wrong
 * @throws ModelError when a cost is no number from 0 to 1e100
 */
export function generateTrees(machine: MachineModel, options: TreeOptions = {}): Trees {
  const { algorithm, cores, ...rest } = checkOptions(machine, options);
  const problem = treeProblem(machine, cores, rest);
  const published = new Map(baselines.map((name) => [name, oneTree(problem, name)]));
  const trees =
    algorithm === "adaptive" ? adaptiveTrees(problem) : separate(published.get(algorithm) as TreeBarrier);
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
    // the two are summed in different orders: where the bound is met, only rounding is between them
    bound: { broadcast: Math.min(lowerBound(problem), trees.broadcast.latency) },
  };
}

type Chosen = Pick<Trees, Operation | "barrier">;

function adaptiveTrees(problem: TreeProblem): Chosen {
  const found = searchTrees(problem);
  const tree = (pair: Pair, operation: Operation): Tree => {
    const { shape, latency, from } = pair[operation];
    return treeOf(problem, shape, "adaptive", latency, from);
  };
  const pair = treeBarrier(tree(found.barrier, "reduce"), tree(found.barrier, "broadcast"));
  return {
    broadcast: tree(found, "broadcast"),
    reduce: tree(found, "reduce"),
    barrier: betterBarrier(problem, pair),
  };
}

function betterBarrier(problem: TreeProblem, pair: TreeBarrier): Barrier {
  const latency = disseminationLatency(
    problem,
    problem.cores.map((_, member) => member),
  );
  return latency < pair.latency ? { kind: "dissemination", latency, order: problem.cores } : pair;
}

/** A published algorithm as Smelt uses it: the broadcast tree serves the reduction as well. */
function oneTree(problem: TreeProblem, name: Baseline): TreeBarrier {
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
  return { broadcast: barrier.broadcast, reduce: barrier.reduce, barrier };
}
