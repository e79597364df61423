/**
 * Numbers over nodes: what the leaders of the parts do between the steps within them.
 *
 * Exchange: recursive doubling, as exchange.ts does it within a node, with parts in place of PEs; so all parts
 * compute the same, bit for bit. Trees: subgroup-tree.ts. Meeting: dissemination.
 *
 * Source: Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005,
 * section 4.5 (recursive doubling); Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988.
 */
import { exchangePartners } from "../team/links.ts";
import type { Routine } from "../team/operation.ts";
import type { Combine } from "../team/payload.ts";
import type { Hierarchy } from "./hierarchy.ts";

/** The numbers of all parts combined, at each; the lower part's is the left operand. */
export function* exchangeNumbers(hierarchy: Hierarchy, x: number, combine: Combine<number>): Routine<number> {
  const { own, parts } = hierarchy;
  const { core, folded, rounds } = exchangePartners(parts.length, own);
  let value = x;
  if (own >= core) {
    yield* hierarchy.sendNumber(hierarchy.leader(folded), value);
    return (yield* hierarchy.receive(hierarchy.leader(folded))).number;
  }
  if (folded >= 0) value = combine(value, (yield* hierarchy.receive(hierarchy.leader(folded))).number);
  for (const partner of rounds) {
    const peer = hierarchy.leader(partner);
    yield* hierarchy.sendNumber(peer, value);
    const other = (yield* hierarchy.receive(peer)).number;
    value = partner > own ? combine(value, other) : combine(other, value);
  }
  if (folded >= 0) yield* hierarchy.sendNumber(hierarchy.leader(folded), value);
  return value;
}

/** The parts meet: each leader goes on when all have come. ceil(log2 n) rounds. */
export function* meet(hierarchy: Hierarchy): Routine<void> {
  const { own, parts } = hierarchy;
  const count = parts.length;
  for (let step = 1; step < count; step *= 2) {
    yield* hierarchy.sendNumber(hierarchy.leader((own + step) % count), 0);
    yield* hierarchy.receive(hierarchy.leader((own - step + count) % count));
  }
}

/** The root's number, at this leader. */
export function* arrivingNumber(hierarchy: Hierarchy, x: number, root: number): Routine<number> {
  const { parent } = hierarchy.place(root, true);
  return parent < 0 ? x : (yield* hierarchy.receive(parent)).number;
}

/** Passes the root's number on to other parts. */
export function* passNumber(hierarchy: Hierarchy, x: number, root: number): Routine<void> {
  for (const child of hierarchy.place(root, true).children) yield* hierarchy.sendNumber(child, x);
}

/** The numbers of all parts combined, at the root. */
export function* reduceNumbers(
  hierarchy: Hierarchy,
  x: number,
  combine: Combine<number>,
  root: number,
): Routine<number> {
  const { parent, children } = hierarchy.place(root, false);
  let value = x;
  // from the back: who was reached first has the most below it, and comes last
  for (const child of children.toReversed()) {
    value = combine(value, (yield* hierarchy.receive(child)).number);
  }
  if (parent >= 0) yield* hierarchy.sendNumber(parent, value);
  return value;
}
