/**
 * Trees over the members of a group from any root, the same at all members: along which agreement spreads what is
 * decided.
 *
 * What: within a node the broadcast tree of the group's collectives, with its edges turned towards the root:
 *
 *     of the group   0 ─▶ 1 ─▶ 3        from 1   1 ─▶ 3
 *                    └──▶ 2                      └──▶ 0 ─▶ 2
 *
 * Over nodes the root sends to one member of each other node, then to those of its own; the others send to those of
 * their nodes.
 */
import type { Tree } from "../../trees/model/tree.ts";
import type { Seat } from "./seat.ts";

/** @returns children by member, in send order */
export function treeFrom({ nodeOf, collectives: { team } }: Seat, root: number): number[][] {
  const size = nodeOf.length;
  return team.size === size ? turned(size, team.plan.broadcast, root) : overNodes(nodeOf, root);
}

function turned(size: number, { children }: Tree, root: number): number[][] {
  const neighbours: number[][] = Array.from({ length: size }, () => []);
  const parents: number[] = [];
  for (const [parent, list] of Object.entries(children)) {
    for (const child of list) {
      (neighbours[Number(parent)] as number[]).push(child);
      parents[child] = Number(parent);
    }
  }
  // towards the old root last: what lies behind it is reached by few messages more
  for (const [child, parent] of parents.entries())
    if (parent !== undefined) (neighbours[child] as number[]).push(parent);
  const seen = new Set([root]);
  const result: number[][] = Array.from({ length: size }, () => []);
  const visit = (member: number): void => {
    for (const next of neighbours[member] as number[]) {
      if (seen.has(next)) continue;
      seen.add(next);
      (result[member] as number[]).push(next);
    }
    for (const next of result[member] as number[]) visit(next);
  };
  visit(root);
  return result;
}

function overNodes(nodeOf: readonly number[], root: number): number[][] {
  const size = nodeOf.length;
  // the root leads its node, the first member each other one
  const leaders = new Map<number, number>([[nodeOf[root] as number, root]]);
  for (let member = 0; member < size; member++) {
    const node = nodeOf[member] as number;
    if (!leaders.has(node)) leaders.set(node, member);
  }
  const result: number[][] = Array.from({ length: size }, () => []);
  for (const leader of leaders.values()) if (leader !== root) (result[root] as number[]).push(leader);
  for (let member = 0; member < size; member++) {
    const leader = leaders.get(nodeOf[member] as number) as number;
    if (leader !== member) (result[leader] as number[]).push(member);
  }
  return result;
}

/** A tree over some of its members, by their places: what is below a missing one is below the one above it. */
export function among(some: readonly number[], tree: readonly (readonly number[])[], root: number): number[][] {
  const placeOf = new Map(some.map((member, place) => [member, place]));
  const result: number[][] = some.map(() => []);
  const visit = (member: number, above: number): void => {
    for (const child of tree[member] as readonly number[]) {
      const place = placeOf.get(child);
      if (place !== undefined) (result[above] as number[]).push(place);
      visit(child, place ?? above);
    }
  };
  visit(some[root] as number, root);
  return result;
}
