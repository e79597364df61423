/**
 * The order of mailboxes: which mailboxes must be complete before a PE is done with another.
 *
 *     after: { reply: ["ask", "order"], sum: ["reply"] }
 *
 *     ask ────┐
 *             ├──▶ reply ──▶ sum
 *     order ──┘
 *
 * Limits: any number of mailboxes; the order is traversed once, when a selector is made.
 */

import { UsageError } from "../../ground/base/errors.ts";
import { checkNames, unknownName } from "../../ground/base/names.ts";
import { shortText } from "../../ground/base/short-text.ts";

/** By mailbox: the mailboxes that must be complete before a PE is done with it. */
export type After<Names extends string> = { readonly [Name in Names]?: readonly Names[] | undefined };

/** By index of a mailbox: the indices of others. */
export type Edges = readonly (readonly number[])[];

/**
 * Parses an order.
 * @param after undefined: each mailbox after the one before it
 * @returns by mailbox, its predecessors
 * @throws UsageError for unknown names, and for a cycle, which it names
 */
export function orderOf(names: readonly string[], after: unknown): Edges {
  if (after === undefined) return names.map((_, number) => (number === 0 ? [] : [number - 1]));
  checkNames("selector: after", after, names, "mailbox");
  const given = after as Readonly<Record<string, unknown>>;
  const parents = names.map((name) => numbersOf(names, name, given[name]));
  const cycle = cycleIn(parents);
  if (cycle !== null) {
    throw new UsageError(
      `selector: after: expected no cycle, got ${cycle.map((number) => names[number]).join(" after ")}: these mailboxes would never be done. ` +
        "Remove one of these names, and call done() for its mailbox when the program has sent everything.",
    );
  }
  return parents;
}

function numbersOf(names: readonly string[], name: string, given: unknown): number[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) {
    throw new UsageError(`selector: after.${name}: expected a list of mailboxes, got ${shortText(given)}`);
  }
  return given.map((parent: unknown) => {
    const number = names.indexOf(parent as string);
    if (number >= 0) return number;
    throw new UsageError(`selector: after.${name}: ${unknownName("mailbox", parent, names)}`);
  });
}

/** A cycle, with the start node at both ends; null if there is none. */
function cycleIn(edges: Edges): readonly number[] | null {
  const left = new Set<number>();
  const path: number[] = [];
  const walk = (node: number): readonly number[] | null => {
    if (left.has(node)) return null;
    const start = path.indexOf(node);
    if (start >= 0) return [...path.slice(start), node];
    path.push(node);
    for (const next of edges[node] as readonly number[]) {
      const cycle = walk(next);
      if (cycle !== null) return cycle;
    }
    path.pop();
    left.add(node);
    return null;
  };
  for (const node of edges.keys()) {
    const cycle = walk(node);
    if (cycle !== null) return cycle;
  }
  return null;
}

/** By mailbox: all its successors, directly or not. @param parents without cycles */
export function followersOf(parents: Edges): Edges {
  const before: Set<number>[] = [];
  const allBefore = (node: number): Set<number> => {
    before[node] ??= new Set((parents[node] as readonly number[]).flatMap((parent) => [parent, ...allBefore(parent)]));
    return before[node];
  };
  const all = [...parents.keys()];
  return all.map((node) => all.filter((other) => allBefore(other).has(node)));
}
