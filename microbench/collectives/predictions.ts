/**
 * What the collectives of the comparison take by the model.
 *
 * - broadcast, reduce: the roots are the tree's root and the last leaf of a broadcast in turn, so that none runs ahead.
 *   All other PEs are ahead of a reduction: what it waits for is the value of the root before, on its way up.
 * - barrier by dissemination, allreduce by exchange: in each round two PEs signal, or send to, each other at once. Both
 *   are measured for each pair (`meet`, `exchange`); a model without them has a message there.
 *
 * Each has the time of its call itself, on one PE alone, in addition.
 *
 * Example: messages of 100 ns between all, meetings of 60: on 2 PEs broadcast and reduce take 100, a barrier 60, if
 * calls take nothing.
 */
import { allreduceLatencies } from "../../src/collectives/calls/decide.ts";
import { exchangePartners } from "../../src/collectives/team/link-map.ts";
import { parentsIn, reroot } from "../../src/collectives/team/route.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { disseminationLatency } from "../../trees/barrier/dissemination.ts";
import { schedule } from "../../trees/draw/schedule.ts";
import { groupCosts } from "../../trees/model/group-costs.ts";
import { treeLatency } from "../../trees/model/latency.ts";
import { cut } from "../../trees/model/problem.ts";
import type { Tree, TreeProblem, Trees } from "../../trees/model/tree.ts";
import type { Measured, Prediction } from "../pairs/profiled.ts";

/** The time when each PE has a broadcast, ns. */
const informedAt = (tree: Tree, model: MachineModel): Map<number, number> =>
  new Map(schedule(tree, model, "broadcast").map(({ pe, at }) => [pe, at]));

/** The PE that a broadcast from the tree's root reaches last. */
export function lastLeaf(tree: Tree, model: MachineModel): number {
  const times = informedAt(tree, model);
  let last = tree.root;
  for (const [pe, time] of times) if (time > (times.get(last) ?? 0)) last = pe;
  return last;
}

const rerooted = (tree: Tree, model: MachineModel, root: number): Tree => ({
  ...tree,
  ...reroot(tree, model.pes.length, root),
});

type Times = readonly Pick<Measured, "what" | "ns">[];

/**
 * @param last the other root of broadcasts and reductions
 * @param ours what was measured
 * @param alone the same on one PE
 */
export function predictions(trees: Trees, model: MachineModel, last: number, ours: Times, alone: Times): Prediction[] {
  const { barrier, broadcast, reduce } = trees;
  const back = informedAt(rerooted(broadcast, model, last), model).get(broadcast.root) ?? 0;
  const there = informedAt(broadcast, model).get(last) ?? 0;
  const timeOf = (times: Times, what: string): number => times.find((entry) => entry.what === what)?.ns ?? Number.NaN;
  const both = (what: string, time: number) => ({
    predicted: time + timeOf(alone, what),
    measured: timeOf(ours, what),
  });
  const { exchange, tree } = allreduceLatencies(trees, model.pes.length);
  const isExchange = exchange <= tree;
  const up = (from: number, to: number) => wayUp(rerooted(reduce, model, to), model, from);
  return [
    {
      operation: "barrier",
      algorithm: barrier.kind,
      ...both("barrier", barrier.kind === "dissemination" ? meetings(model, barrier.order) : barrier.latency),
    },
    {
      operation: "broadcast",
      algorithm: broadcast.from ?? broadcast.algorithm,
      ...both("broadcast f64", (there + back) / 2),
    },
    {
      operation: "reduce",
      algorithm: reduce.from ?? reduce.algorithm,
      ...both("reduce f64", (up(broadcast.root, last) + up(last, broadcast.root)) / 2),
    },
    {
      operation: "allreduce",
      algorithm: isExchange ? "exchange" : (reduce.from ?? reduce.algorithm),
      ...both(
        "allreduce f64",
        isExchange ? exchanges(model) : reduce.latency + treeLatency(rerooted(broadcast, model, reduce.root), model),
      ),
    },
  ];
}

const costsOf = (model: MachineModel): TreeProblem => groupCosts(model, [...model.pes.keys()]);

const messageOf =
  ({ size, send, propagate, receive }: TreeProblem) =>
  (from: number, to: number): number => {
    const edge = from * size + to;
    return (send[edge] as number) + (propagate[edge] as number) + (receive[edge] as number);
  };

/** A PE's value on its way to the root, which has all others. */
function wayUp(tree: Tree, model: MachineModel, from: number): number {
  const costs = costsOf(model);
  const message = messageOf(costs);
  const parents = parentsIn(tree, costs.size);
  let time = 0;
  for (let pe = from; pe !== tree.root; pe = parents[pe] as number) {
    time += (pe === from ? 0 : (costs.relay[pe] as number)) + message(pe, parents[pe] as number);
  }
  return time;
}

/** A barrier by dissemination. */
function meetings(model: MachineModel, order: readonly number[]): number {
  const costs = costsOf(model);
  if (model.meet === undefined) return disseminationLatency(costs, order);
  const none = new Float64Array(costs.size ** 2);
  const propagate = cut(model.meet, costs.cores);
  return disseminationLatency({ ...costs, send: none, receive: none, propagate }, order);
}

/** An allreduce by exchange (src/collectives/node/exchange.ts). */
function exchanges(model: MachineModel): number {
  const costs = costsOf(model);
  const { size, relay } = costs;
  const message = messageOf(costs);
  const { exchange } = model;
  const partners = Array.from({ length: size }, (_, pe) => exchangePartners(size, pe));
  let clock = new Float64Array(size);
  // those beyond the core send their values first
  for (const [pe, { folded }] of partners.entries()) if (folded > pe) clock[pe] = message(folded, pe);
  for (let round = 0; round < (partners[0]?.rounds.length ?? 0); round++) {
    clock = clock.map((time, pe) => {
      const partner = partners[pe]?.rounds[round];
      if (partner === undefined) return time;
      const begun = Math.max(time + forwards(pe), (clock[partner] as number) + forwards(partner));
      return begun + (exchange?.[pe]?.[partner] ?? message(partner, pe));
    });
  }
  function forwards(pe: number): number {
    return clock[pe] === 0 ? 0 : (relay[pe] as number);
  }
  for (const [pe, { folded }] of partners.entries()) {
    if (folded > pe) clock[folded] = (clock[pe] as number) + forwards(pe) + message(pe, folded);
  }
  return clock.reduce((most, time) => Math.max(most, time), 0);
}
