/**
 * The tree over the parts of a group: who sends to which part.
 *
 * What: the PE that is free first sends to the next part; a send keeps it busy for `overhead`, and is there `alpha`
 * after its start. In a part that has been reached, the PE that was reached sends to other parts first, and then
 * spreads what it has within its part; the others get it some steps of `near` later, and send to parts as well. So
 * helpers send too: where the leaders alone do, the network is idle while they are busy.
 *
 * Limits: all parts are equally far apart, and a part is entered once. Greedy (earliest completing edge first), which
 * is best where all sends cost the same and there are no helpers (the postal model).
 *
 * Source: Bar-Noy, Kipnis, "Designing broadcasting algorithms in the postal model", 1992; TREES.md part 2, section 9
 * (helpers).
 *
 * Example, 4 parts of 1 PE, overhead 1, alpha 3: part 0 sends to 1, 2 and 3 (there at 3, 4, 5); with overhead 3 it
 * sends to 1 and 2, and 1 sends to 3.
 */

import type { RemoteCosts } from "../../machine/remote-costs.ts";

/** A send to a part. */
export interface PartEdge {
  /** The sender's place in its part: 0 is the one that was reached, or the root. */
  readonly from: number;
  readonly to: number;
}

/** By part. */
export interface PartTree {
  /** Where each is reached from; null for the root's. */
  readonly parents: readonly ({ readonly part: number; readonly from: number } | null)[];
  /** In the order of sending. */
  readonly edges: readonly (readonly PartEdge[])[];
}

/** Helpers of a part that are looked at: more are not free any sooner than their network is. */
const MOST_HELPERS = 16;

/** @param sizes PEs of each part that send; 1 for leaders alone */
export function partTree(sizes: readonly number[], root: number, costs: RemoteCosts): PartTree {
  const { alpha, overhead, near } = costs;
  const parents = sizes.map((): { part: number; from: number } | null => null);
  const edges = sizes.map((): PartEdge[] => []);
  const free: { readonly part: number; readonly from: number; at: number }[] = [];
  const reach = (part: number, at: number): void => {
    const senders = Math.min(sizes[part], MOST_HELPERS);
    for (let from = 0; from < senders; from++) {
      free.push({ part, from, at: at + near * Math.ceil(Math.log2(from + 1)) });
    }
  };
  reach(root, 0);
  for (let step = 1; step < sizes.length; step++) {
    const to = (root + step) % sizes.length;
    let first = free[0];
    for (const one of free) if (one.at < first.at) first = one;
    parents[to] = { part: first.part, from: first.from };
    edges[first.part].push({ from: first.from, to });
    reach(to, first.at + alpha);
    first.at += overhead;
  }
  return { parents, edges };
}
