/** The trees of virtual PEs: those that threads would get for the model, or binomial ones after a long search. */
import { worldTrees } from "../../../trees/generate/world-trees.ts";
import type { Tree, Trees } from "../../../trees/model/tree.ts";
import type { MachineModel, Matrix } from "../../machine/model/machine-model.ts";
import { selectPEs } from "../../machine/model/select.ts";

/** Most PEs whose trees are searched for, which takes seconds; for 4096 it would take minutes. */
const MOST_SEARCHED = 256;
/** The costs of a message without a model, ns (running/simulate/machine.ts). */
const COST = 50;

/** Some PEs of a node. @param rows their numbers in the model @param model of the node; undefined for equal costs */
export function treesFor(model: MachineModel | undefined, rows: readonly number[]): Trees {
  if (rows.length <= MOST_SEARCHED) {
    return worldTrees(model === undefined ? equalCosts(rows.length) : selectPEs(model, rows), false, null);
  }
  return binomialTrees(model, rows);
}

function equalCosts(size: number): MachineModel {
  const costs: Matrix = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => (i === j ? 0 : COST)),
  );
  const pes = costs.map((_, cpu) => ({ cpu, core: null, numa: null, package: null }));
  const about = {
    name: "equal costs",
    source: "the simulator",
    unit: "ns",
    measured: "not measured",
  } as const;
  return { schema: "tundish/machine@1", ...about, pes, send: costs, receive: costs };
}

/**
 * Binomial trees: in each round every PE that has the message sends it to one that has not.
 *
 * Example, 6 PEs: 0 -> 1, 2, 4; 1 -> 3, 5.
 */
function binomialTrees(model: MachineModel | undefined, rows: readonly number[]): Trees {
  const size = rows.length;
  const children: Record<string, number[]> = {};
  for (let rank = 0; rank < size; rank++) {
    const own: number[] = [];
    for (let step = 1; rank + step < size; step *= 2) if (step > rank) own.push(rank + step);
    if (own.length > 0) children[rank] = own;
  }
  const cost = (matrix: Matrix | undefined, from: number, to: number): number =>
    model === undefined ? COST : (matrix?.[rows[from] as number]?.[rows[to] as number] ?? 0);
  const { send, receive, propagate, relay } = model ?? {};
  const relayOf = (rank: number): number => (rank === 0 ? 0 : (relay?.[rows[rank] as number] ?? 0));
  // a reduction is the broadcast on the mirrored costs (trees/model/latency.ts)
  const broadcast = latencyOf(children, relayOf, (p, c) => ({
    busy: cost(send, p, c),
    edge: (model === undefined ? 0 : cost(propagate, p, c)) + cost(receive, p, c),
  }));
  const reduce = latencyOf(children, relayOf, (p, c) => ({
    busy: cost(receive, c, p),
    edge: (model === undefined ? 0 : cost(propagate, c, p)) + cost(send, c, p),
  }));
  const tree = (latency: number): Tree => ({ algorithm: "adaptive", root: 0, children, latency });
  const trees = { broadcast: tree(broadcast), reduce: tree(reduce) };
  return {
    schema: "tundish/trees@1",
    machine: model?.name ?? "equal costs",
    unit: model?.unit ?? "ns",
    cores: rows.map((_, rank) => rank),
    ...trees,
    barrier: { kind: "tree", latency: broadcast + reduce, root: 0, ...trees },
    baselines: [],
    bound: { broadcast: 0, reduce: 0 },
  };
}

interface EdgeCost {
  readonly busy: number;
  readonly edge: number;
}

function latencyOf(
  children: Readonly<Record<string, readonly number[]>>,
  relayOf: (rank: number) => number,
  costs: (parent: number, child: number) => EdgeCost,
): number {
  let latest = 0;
  const reach = (parent: number, at: number): void => {
    latest = Math.max(latest, at);
    let clock = at + relayOf(parent);
    for (const child of children[parent] ?? []) {
      const { busy, edge } = costs(parent, child);
      clock += busy;
      reach(child, clock + edge);
    }
  };
  reach(0, 0);
  return latest;
}
