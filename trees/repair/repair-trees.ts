/**
 * Repairs the trees of a group that one PE has left: broadcast, reduce and barrier, over the ranks of those that are
 * left.
 *
 * What: each tree by {@link repairTree}; the barrier is the best of the repaired trees as a pair, dissemination and a
 * hybrid. The same input gives the same trees, so that each PE of the group finds them by itself.
 *
 * Example: of 0 -> [2, 1], 2 -> [3] rank 2 leaves, and 3 has its place: 0 -> [3, 1]. Ranks above 2 are one less now: 0
 * -> [2, 1].
 */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { selectPEs } from "../../src/machine/model/select.ts";
import { barriersBeside } from "../generate/generate.ts";
import { treeProblem } from "../model/problem.ts";
import type { CollectivePlan, Operation, Tree, Trees } from "../model/tree.ts";
import { least } from "../search/candidates.ts";
import { repairTree } from "./repair.ts";

/**
 * @param trees over the ranks of the group, which are the numbers of the given model
 * @param leave the rank that leaves; not the only one
 */
export function repairTrees(trees: CollectivePlan, given: MachineModel, leave: number): Trees {
  // PEs of a world may share CPUs, which repairTree takes for a mistake
  const model = { ...given, pes: given.pes.map((pe, cpu) => ({ ...pe, cpu })) };
  const repaired = (operation: Operation, root?: number): Tree =>
    renumbered(repairTree(trees[operation], model, { leave }, { operation, root }).tree, leave);
  const broadcast = repaired("broadcast");
  const reduce = repaired("reduce");
  const cores = model.pes.flatMap((_, rank) => (rank < leave ? rank : rank > leave ? rank - 1 : []));
  const { name: machine, unit } = model;
  const rows = model.pes.flatMap((_, rank) => (rank === leave ? [] : rank));
  const root = rows[broadcast.root] as number;
  const back = reduce.root === broadcast.root ? reduce : repaired("reduce", root);
  const latency = broadcast.latency + back.latency;
  const pair = { kind: "tree", latency, root: broadcast.root, reduce: back, broadcast } as const;
  const barrier = least(
    [pair, ...barriersBeside(treeProblem(selectPEs(model, rows), cores, {}))],
    (one) => one.latency,
  );
  const bound = { broadcast: 0, reduce: 0 };
  return { schema: "tundish/trees@1", machine, unit, cores, broadcast, reduce, barrier, baselines: [], bound };
}

/** The tree with the numbers of the PEs when one is gone. */
function renumbered(tree: Tree, gone: number): Tree {
  const number = (pe: number): number => (pe > gone ? pe - 1 : pe);
  const children = Object.entries(tree.children).map(([pe, list]) => [number(Number(pe)), list.map(number)] as const);
  return { ...tree, root: number(tree.root), children: Object.fromEntries(children) };
}
