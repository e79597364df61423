/** Costs of edges without a matrix of all pairs, and latencies of trees with them. */
import type { TreeProblem } from "./tree.ts";

/** The members of a group, numbered from 0, and the costs of edges between them. */
export interface Edges {
  readonly size: number;
  /** Time the sender is busy. */
  send(from: number, to: number): number;
  /** Time from the end of the send until the receiver has the message. */
  tail(from: number, to: number): number;
  /** Time of a member other than the root between having the message and its first send. */
  relay(member: number): number;
}

/** The edges of a problem. */
export function edgesOf({ size, send, receive, propagate, relay }: TreeProblem): Edges {
  return {
    size,
    send: (from, to) => send[from * size + to] as number,
    tail: (from, to) => (propagate[from * size + to] as number) + (receive[from * size + to] as number),
    relay: (member) => relay[member] as number,
  };
}

/** The edges of the mirrored problem (problem.ts), without its matrices. */
export function mirroredEdgesOf({ size, send, receive, propagate, relay }: TreeProblem): Edges {
  return {
    size,
    send: (from, to) => receive[to * size + from] as number,
    tail: (from, to) => (propagate[to * size + from] as number) + (send[to * size + from] as number),
    relay: (member) => relay[member] as number,
  };
}

/** Puts all children in the best order (child-order.ts); returns the latency. */
export function sortChildren(edges: Edges, root: number, lists: readonly number[][]): number {
  const time = new Float64Array(edges.size);
  const tail = new Float64Array(edges.size);
  for (const v of walkOf(root, lists).reverse()) {
    const list = lists[v] as number[];
    for (const child of list) tail[child] = edges.tail(v, child) + (time[child] as number);
    list.sort((a, b) => (tail[b] as number) - (tail[a] as number));
    let clock = v === root ? 0 : edges.relay(v);
    for (const child of list) {
      clock += edges.send(v, child);
      time[v] = Math.max(time[v] as number, clock + (tail[child] as number));
    }
  }
  return time[root] as number;
}

/**
 * The times when each member below `top` has the message, and could send to one more, from when `top` has it: the root
 * of the whole tree, or not.
 */
export function timesBelow(
  edges: Edges,
  top: number,
  lists: readonly (readonly number[])[],
  isRoot: boolean,
): { informed: Float64Array; idle: Float64Array } {
  const informed = new Float64Array(edges.size);
  const idle = new Float64Array(edges.size);
  for (const v of walkOf(top, lists)) {
    let clock = (informed[v] as number) + (isRoot && v === top ? 0 : edges.relay(v));
    for (const child of lists[v] as readonly number[]) {
      clock += edges.send(v, child);
      informed[child] = clock + edges.tail(v, child);
    }
    idle[v] = clock;
  }
  return { informed, idle };
}

/** All members below `root`, parents first. */
function walkOf(root: number, lists: readonly (readonly number[])[]): number[] {
  const walk = [root];
  for (const v of walk) for (const child of lists[v] as readonly number[]) walk.push(child);
  return walk;
}
