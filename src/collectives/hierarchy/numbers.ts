/**
 * Numbers over nodes: what the speakers of the parts do between the steps within them.
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
import type { Span } from "./hierarchy.ts";

/** The numbers of all parts combined, at each; the lower part's is the left operand. */
export function* exchangeNumbers(span: Span, x: number, combine: Combine<number>): Routine<number> {
  const { own, parts } = span;
  const { core, folded, rounds } = exchangePartners(parts.length, own);
  let value = x;
  if (own >= core) {
    yield* span.sendNumber(span.speaker(folded), value);
    return (yield* span.receive(span.speaker(folded))).number;
  }
  if (folded >= 0) value = combine(value, (yield* span.receive(span.speaker(folded))).number);
  for (const partner of rounds) {
    const peer = span.speaker(partner);
    yield* span.sendNumber(peer, value);
    const other = (yield* span.receive(peer)).number;
    value = partner > own ? combine(value, other) : combine(other, value);
  }
  if (folded >= 0) yield* span.sendNumber(span.speaker(folded), value);
  return value;
}

/** The parts meet: each speaker goes on when all have come. ceil(log2 n) rounds. */
export function* meet(span: Span): Routine<void> {
  const { own, parts } = span;
  const count = parts.length;
  for (let step = 1; step < count; step *= 2) {
    yield* span.sendNumber(span.speaker((own + step) % count), 0);
    yield* span.receive(span.speaker((own - step + count) % count));
  }
}

/** The root's number, at this speaker. */
export function* arrivingNumber(span: Span, x: number, root: number): Routine<number> {
  const { parent } = span.place(root, true);
  return parent < 0 ? x : (yield* span.receive(parent)).number;
}

/** Passes the root's number on to other parts. */
export function* passNumber(span: Span, x: number, root: number): Routine<void> {
  for (const child of span.place(root, true).children) yield* span.sendNumber(child, x);
}

/** The numbers of all parts combined, at the root. */
export function* reduceNumbers(
  span: Span,
  x: number,
  combine: Combine<number>,
  root: number,
): Routine<number> {
  const { parent, children } = span.place(root, false);
  let value = x;
  // from the back: who was reached first has the most below it, and comes last
  for (const child of children.toReversed()) {
    value = combine(value, (yield* span.receive(child)).number);
  }
  if (parent >= 0) yield* span.sendNumber(parent, value);
  return value;
}
