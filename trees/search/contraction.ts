/**
 * Trees over many parts of a group, each of which has a tree of its own.
 *
 * Every part except the root's is contracted to two vertices: one for its entry, which can send, and, at no cost behind
 * it, one for the time of the part's own tree. The members of the root's part and those vertices form an ordinary
 * problem, which is searched and expanded again. So members other than a part's leader send to other parts, too: such a
 * send may keep a member busy for long, and a leader alone would do them one after another.
 *
 * Limits: a part is entered once, at the root of its tree. A part that forwards the message is assumed to do so at its
 * entry's costs and without delaying its own members; the expansion gives these sends to those of its members that are
 * free first, and the reported latency is that of the expanded tree.
 *
 * Source: contraction: ours; hierarchical composition with leaders only, as in MPI libraries
 * (HAN), takes twice as long there.
 *
 * Example: parts {0, 1} and {2, 3}, inside 1 + 1, between 10 + 20: 0 sends to 2 (there at 30), then to 1; 2 to 3 (32).
 */
import { type Edges, timesBelow } from "../model/edges.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";

/** A part of a group. */
export interface ContractedPart {
  readonly members: readonly number[];
  /** Over positions in `members`. */
  readonly tree: Shape;
  readonly latency: number;
}

/** A tree over all members, children in any order. */
export interface Children {
  readonly root: number;
  readonly lists: number[][];
}

/** The amount of work and the method of the search of a contracted problem. */
export interface Search extends Pick<TreeProblem, "seed" | "budget" | "moves"> {
  readonly find: (problem: TreeProblem) => Shape;
}

/** More than any path costs: an impossible send. */
const NEVER = 1e120;

/** Number of vertices of the contracted problem. */
export function contractedSize(parts: readonly ContractedPart[]): number {
  return (parts[0]?.members.length ?? 0) + 2 * (parts.length - 1);
}

/** Searches from `root`, a position in the first part, and expands the result. */
export function overParts(edges: Edges, parts: readonly ContractedPart[], root: number, search: Search): Children {
  const [home, ...others] = parts as [ContractedPart, ...ContractedPart[]];
  const lists: number[][] = Array.from({ length: edges.size }, () => []);
  const inside = home.members.length;
  // the member for each vertex: a member of the root's part, or the entry of another
  const member = [...home.members, ...others.map((part) => entryOf(part))];
  const { find, ...searchBudget } = search;
  const found = find({ ...contractGroup(edges, member, inside, others, root), ...searchBudget });
  const forwarded: { from: number; to: number }[] = [];
  for (const [v, list] of found.children.entries()) {
    for (const child of list) {
      if (child >= member.length) continue;
      if (v >= inside) forwarded.push({ from: v, to: child });
      else (lists[member[v] as number] as number[]).push(member[child] as number);
    }
  }
  for (const part of others) hangTree(lists, part);
  // the sender of each forwarded message: in each part, the member that is free first
  for (const { from, to } of forwarded) {
    const entry = member[from] as number;
    const { idle } = timesBelow(edges, entry, lists, false);
    let best = entry;
    for (const v of (others[from - inside] as ContractedPart).members) {
      if ((idle[v] as number) < (idle[best] as number)) best = v;
    }
    (lists[best] as number[]).push(member[to] as number);
  }
  return { root: home.members[root] as number, lists };
}

/** Adds a part's own tree. */
export function hangTree(lists: readonly number[][], { members, tree }: ContractedPart): void {
  for (const [place, list] of tree.children.entries()) {
    const v = members[place] as number;
    for (const child of list) (lists[v] as number[]).push(members[child] as number);
  }
}

const entryOf = ({ members, tree }: ContractedPart): number => members[tree.root] as number;

/** The members of the root's part, a vertex for each other part, and after each of these one for its own tree. */
function contractGroup(
  edges: Edges,
  member: readonly number[],
  inside: number,
  others: readonly ContractedPart[],
  root: number,
): Omit<TreeProblem, "seed" | "budget" | "moves"> {
  const size = member.length + others.length;
  const send = new Float64Array(size * size).fill(NEVER);
  const receive = new Float64Array(size * size);
  const relay = new Float64Array(size);
  for (const [v, from] of member.entries()) {
    relay[v] = edges.relay(from);
    for (const [w, to] of member.entries()) {
      if (v === w) continue;
      send[v * size + w] = edges.send(from, to);
      receive[v * size + w] = edges.tail(from, to);
    }
  }
  for (const [i, { latency }] of others.entries()) {
    const edge = (inside + i) * size + member.length + i;
    send[edge] = 0;
    receive[edge] = latency;
  }
  // each part and its own tree form a domain, which ECEF's lookahead uses
  const domain = Int32Array.from({ length: size }, (_, v) => (v < inside ? 0 : 1 + ((v - inside) % others.length)));
  const members = Array.from({ length: size }, (_, v) => v);
  return {
    size,
    cores: members,
    order: members,
    canonical: members,
    send,
    receive,
    propagate: new Float64Array(size * size),
    relay,
    root,
    domains: [domain],
    hints: [],
  };
}
