/**
 * The costs for plans of a world over nodes, from what all its nodes have measured.
 *
 * All PEs must plan alike, so all take the same: of each cost the one of the slowest node, as a session takes as long
 * as its slowest PE. The nodes may have different numbers of PEs.
 */

import { countText } from "../../ground/base/units.ts";
import type { BulkIncast } from "../../machine/model/internode.ts";
import type { ItemCostTimes, ItemTimes } from "../../machine/model/machine-model.ts";
import type { NodeCosts } from "../../machine/model/node-costs.ts";
import { measuredNetwork, measuredText, notMeasuredText } from "../network/measured-network.ts";
import type { SimulatedNetwork } from "../network/network.ts";
import { networkOf } from "../network/network-settings.ts";
import { networkLines, sourceText } from "../network/network-text.ts";
import type { CostModel } from "./cost-model.ts";
import { DEFAULT_ITEMS, itemCosts } from "./machine.ts";
import { openPush } from "./open-buffers.ts";

/** The PEs of a world or of a group, and what the nodes know. */
export interface NodesLayout {
  /** By rank: the number of its node, from 0 on. */
  readonly nodeOf: Int32Array;
  /** By node: its number of PEs. */
  readonly sizes: readonly number[];
  /** Whether nothing is sent by MPI, as the nodes have mapped each other's heaps. */
  readonly areMapped: boolean;
  /** The domains of near PEs. */
  readonly levels: readonly Int32Array[];
  /** By node: what it has measured. */
  readonly costs: readonly NodeCosts[];
}

/** Of a node without a model, ns. */
const NEAR = { send: 50, receive: 50 };
/** Transferring a byte between two caches, ns. */
const BYTE = 0.02;
/** Nodes, or kinds of nodes, that an explanation tells apart. */
const TOLD = 4;

/** @param given between nodes, instead of what was measured @throws UsageError for one that cannot be here */
export function costModelOver(layout: NodesLayout, itemBytes: number, given?: SimulatedNetwork): CostModel {
  const { nodeOf, sizes, levels, costs } = layout;
  const nears = costs.flatMap(({ near }) => near ?? []);
  const near = nears.length === 0 ? NEAR : nears.reduce(slower);
  const measured = networkOver(layout, near.send + near.receive);
  const network = networkOf(given ?? measured, sizes.length, measured);
  const isMeasured = given === undefined || given.like === "measured";
  const nodeSize = Math.max(...sizes);
  const items = costs.flatMap(({ items: own }) => own ?? []);
  return {
    pes: nodeOf.length,
    nodes: sizes.length,
    nodeOf,
    nodeSize,
    send: null,
    receive: null,
    near,
    levels,
    network,
    countsLastReturns: isMeasured && !layout.areMapped && costs.some(({ internode }) => internode !== null),
    bulk: isMeasured && !layout.areMapped ? slowestBulk(layout) : [],
    measured: isMeasured
      ? [...linesOf(layout), ...givenLines(given)]
      : networkLines(given, network, undefined, nodeSize),
    costs: itemCosts(items.length === 0 ? DEFAULT_ITEMS : slowestItems(items), itemBytes, sharing(layout)),
  };
}

/** PEs for each CPU, of the node that has the most. */
const sharing = ({ sizes, costs }: NodesLayout): number =>
  Math.max(1, ...costs.map(({ cpus }, node) => sizes[node] / (cpus ?? sizes[node])));

/** @param near a message within a node, ns */
function networkOver({ sizes, areMapped, costs }: NodesLayout, near: number): SimulatedNetwork | undefined {
  if (areMapped) return { alpha: near, beta: BYTE, receiver: 0 };
  const networks = costs.flatMap(({ internode }, node) =>
    internode === null ? [] : [measuredNetwork(internode, sizes[node])],
  );
  if (networks.length === 0) return undefined;
  return networks.reduce((a, b) => {
    const injection = a.injection && b.injection ? slower(a.injection, b.injection) : (a.injection ?? b.injection);
    const [alpha, beta] = [most(a.alpha, b.alpha), most(a.beta, b.beta)];
    // the pieces of the node that is slower with a message of 64 KiB
    const time = (one: SimulatedNetwork) => (one.alpha ?? 0) + (one.beta ?? 0) * 2 ** 16;
    const { pieces } = time(a) >= time(b) ? a : b;
    return { alpha, beta, receiver: most(a.receiver, b.receiver), injection, pieces };
  });
}

/** That of the node that takes longest with the most senders. */
const slowestBulk = ({ costs }: NodesLayout): readonly BulkIncast[] =>
  costs
    .map(({ internode }) => internode?.bulk ?? [])
    .reduce((a, b) => (most(b.at(-1)?.time) > most(a.at(-1)?.time) ? b : a));

const most = (a = 0, b = 0): number => Math.max(a, b);

/** Of each number the larger one. */
const slower = <Costs extends object>(a: Costs, b: Costs): Costs =>
  Object.fromEntries(
    Object.entries(a).map(([name, ns]) => [name, most(ns, b[name as keyof Costs] as number | undefined)]),
  ) as Costs;

function slowestItems(all: readonly ItemCostTimes[]): ItemCostTimes {
  return all.reduce((a, b) => {
    const times = (one: ItemTimes) => ({ push: one.push, pivot: one.pivot, pull: one.pull });
    const buffer = a.buffer && b.buffer ? slower(a.buffer, b.buffer) : (a.buffer ?? b.buffer);
    const open = mostOpen(b) > mostOpen(a) ? b.open : a.open;
    return {
      ...slower(times(a), times(b)),
      byte: slower(times(a.byte), times(b.byte)),
      ...(buffer && { buffer }),
      ...(open && { open }),
    };
  });
}

/** What a push takes more where the most buffers of the largest size are open; -1 where it was not measured. */
const mostOpen = ({ open }: ItemCostTimes): number => (open === undefined ? -1 : openPush(open, Infinity, Infinity));

/** Given values beside the measured ones. */
function givenLines({ like, ...given }: SimulatedNetwork = {}): string[] {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return names.length === 0 ? [] : [`of these as given: ${names.join(", ")}`];
}

/** The plan's costs between nodes, with its numbers and where they are from. */
function linesOf({ sizes, areMapped, costs }: NodesLayout): string[] {
  if (areMapped) return ["between nodes: through memory, as they are on one machine"];
  const nodesOf = new Map<string, number[]>();
  for (const [node, { internode, source }] of costs.entries()) {
    if (internode === null) continue;
    const text = `${sourceText(internode)}, ${measuredText(internode, sizes[node])}: ${source}`;
    nodesOf.set(text, [...(nodesOf.get(text) ?? []), node]);
  }
  const told = [...nodesOf].slice(0, TOLD);
  const lines = told.map(([text, nodes]) => `between nodes, ${text} at node ${nodes.join(", ")}`);
  const unknown = costs.filter(({ internode }) => internode === null).length;
  if (lines.length === 0) return [notMeasuredText()];
  if (nodesOf.size > TOLD) lines.push(`and ${nodesOf.size - TOLD} others`);
  if (nodesOf.size > 1) lines.push("of each the slowest counts");
  if (unknown > 0) lines.push(`${countText(unknown, "node")} without a measurement`);
  return lines;
}
