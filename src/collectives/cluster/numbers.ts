/**
 * Numbers over nodes: what the speakers of the parts do between the steps within them.
 *
 * Exchange: recursive doubling, as exchange.ts does it within a node, with parts in place of PEs; so all parts
 * compute the same, bit for bit. Trees: binomial, over parts counted from the root's.
 *
 * Source: Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005,
 * sections 4.2 (binomial broadcast) and 4.5 (recursive doubling).
 */
import { exchangePartners } from "../links.ts";
import type { Routine } from "../operation.ts";
import type { Combine } from "../payload.ts";
import { partTree } from "./part-tree.ts";
import type { Span } from "./span.ts";

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

/** The number of the root's part, at every speaker. */
export function* broadcastNumbers(span: Span, x: number, root: number): Routine<number> {
  const { parent, children } = partTree(span.parts.length, span.own, span.partOf(root));
  const value = parent < 0 ? x : (yield* span.receive(span.speaker(parent, root))).number;
  for (const child of children) yield* span.sendNumber(span.speaker(child, root), value);
  return value;
}

/** The numbers of all parts combined, at the root. */
export function* reduceNumbers(
  span: Span,
  x: number,
  combine: Combine<number>,
  root: number,
): Routine<number> {
  const { parent, children } = partTree(span.parts.length, span.own, span.partOf(root));
  let value = x;
  // the nearest first: the largest subtree takes longest
  for (const child of children.toReversed()) {
    value = combine(value, (yield* span.receive(span.speaker(child, root))).number);
  }
  if (parent >= 0) yield* span.sendNumber(span.speaker(parent, root), value);
  return value;
}
