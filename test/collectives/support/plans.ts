/** Plans to run the collectives on: trees of every algorithm over machines that never were. */
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import type { Algorithm, Tree, Trees } from "../../../trees/model/tree.ts";

export const ALGORITHMS: readonly Algorithm[] = [
  "adaptive",
  "smelt",
  "sequential",
  "binary",
  "fibonacci",
  "mst",
  "cluster",
  "bad",
];

/** A machine of `n` PEs in two packages, with costs that differ from pair to pair. */
export function syntheticMachine(n: number): MachineModel {
  const cost = (from: number, to: number): number =>
    from === to ? 0 : (from % 2 === to % 2 ? 20 : 90) + ((from * 7 + to * 13) % 11);
  const ranks = Array.from({ length: n }, (_, rank) => rank);
  const matrix = (share: number) => ranks.map((from) => ranks.map((to) => share * cost(from, to)));
  return {
    schema: "tundish/machine@1",
    name: `synthetic ${n}`,
    source: "made for a test",
    unit: "ns",
    measured: "nothing",
    pes: ranks.map((cpu) => ({ cpu, core: cpu, numa: cpu % 2, package: cpu % 2 })),
    send: matrix(0.3),
    receive: matrix(0.7),
  };
}

/** The trees of an algorithm over `n` PEs; its barrier is a pair of trees, except perhaps with `adaptive`. */
export const treesOf = (n: number, algorithm: Algorithm): Trees => generateTrees(syntheticMachine(n), { algorithm });

/** Trees, with a dissemination barrier over the ranks in an order of its own. */
export function disseminating(n: number): Trees {
  const order = Array.from({ length: n }, (_, rank) => rank).reverse();
  order.push(...order.splice(0, n >> 1));
  return { ...treesOf(n, "binary"), barrier: { kind: "dissemination", latency: 0, order } };
}

/** Trees, with a hybrid barrier: every other rank a domain of its own leader, which is not the lowest. */
export function hybrid(n: number): Trees {
  const homes = [0, 1]
    .map((odd) => Array.from({ length: n }, (_, rank) => rank).filter((rank) => rank % 2 === odd))
    .filter((ranks) => ranks.length > 0);
  const leaders = homes.map((ranks) => ranks[ranks.length >> 1] as number);
  const star = (ranks: readonly number[], root: number): Tree => {
    const others = ranks.filter((rank) => rank !== root);
    return {
      algorithm: "sequential",
      root,
      children: others.length > 0 ? { [root]: others } : {},
      latency: 0,
    };
  };
  const line = (ranks: readonly number[], root: number): Tree => {
    const order = [root, ...ranks.filter((rank) => rank !== root)];
    const children = Object.fromEntries(order.slice(0, -1).map((rank, i) => [rank, [order[i + 1] as number]]));
    return { algorithm: "mst", root, children, latency: 0 };
  };
  const pick = (tree: typeof star) => homes.map((ranks, i) => tree(ranks, leaders[i] as number));
  const barrier = { kind: "hybrid", latency: 0, leaders, reduce: pick(line), broadcast: pick(star) } as const;
  return { ...treesOf(n, "binary"), barrier };
}

/** A chain as a plan: the deepest trees there are, with the barrier's two trees in opposite directions. */
export function chain(n: number): Trees {
  const ranks = Array.from({ length: n }, (_, rank) => rank);
  const line = (order: readonly number[]) => ({
    algorithm: "bad" as const,
    root: order[0],
    children: Object.fromEntries(order.slice(0, -1).map((rank, i) => [rank, [order[i + 1]]])),
    latency: 0,
  });
  const there = line(ranks);
  const back = line([0, ...ranks.slice(1).reverse()]);
  return {
    ...treesOf(n, "bad"),
    broadcast: there,
    reduce: line([...ranks].reverse()),
    barrier: { kind: "tree", latency: 0, root: 0, reduce: there, broadcast: back },
  };
}
