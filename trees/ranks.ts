/**
 * All ranks of a world of equal nodes, and what edges between them cost, without a matrix of all pairs.
 */
import type { Shape, TreeProblem } from "./types.ts";

/** A network send: time the sender is busy, time from there until the receiver has the message. */
export interface Hop {
  readonly send: number;
  readonly tail: number;
}

/** A tree over ranks. */
export interface Children {
  /** -1: the root of the inner tree. */
  readonly root: number;
  readonly lists: number[][];
}

/** All ranks, and what edges between them cost. */
export class Ranks {
  readonly size: number;
  readonly #problem: TreeProblem;
  readonly #hop: Hop;

  constructor(problem: TreeProblem, nodes: number, hop: Hop) {
    this.size = problem.size * nodes;
    this.#problem = problem;
    this.#hop = hop;
  }

  empty(): Children {
    return { root: -1, lists: Array.from({ length: this.size }, () => []) };
  }

  /** Adds the inner tree of a node. */
  copyInner(lists: number[][], inner: Shape, node: number): void {
    const first = node * this.#problem.size;
    for (const [v, list] of inner.children.entries()) {
      for (const child of list) (lists[first + v] as number[]).push(first + child);
    }
  }

  send(from: number, to: number): number {
    const { size, send } = this.#problem;
    if (!this.#isInside(from, to)) return this.#hop.send;
    return send[(from % size) * size + (to % size)] as number;
  }

  tail(from: number, to: number): number {
    const { size, receive, propagate } = this.#problem;
    if (!this.#isInside(from, to)) return this.#hop.tail;
    const edge = (from % size) * size + (to % size);
    return (propagate[edge] as number) + (receive[edge] as number);
  }

  #isInside(from: number, to: number): boolean {
    const { size } = this.#problem;
    return Math.floor(from / size) === Math.floor(to / size);
  }

  get pes(): number {
    return this.#problem.size;
  }

  /** Puts all children in the best order (jackson.ts); the latency. */
  sort(root: number, lists: number[][]): number {
    const walk = [root];
    for (const rank of walk) walk.push(...(lists[rank] as number[]));
    const time = new Float64Array(this.size);
    const tail = new Float64Array(this.size);
    for (const rank of walk.reverse()) {
      const list = lists[rank] as number[];
      for (const child of list) tail[child] = this.tail(rank, child) + (time[child] as number);
      list.sort((a, b) => (tail[b] as number) - (tail[a] as number));
      let clock = 0;
      for (const child of list) {
        clock += this.send(rank, child);
        time[rank] = Math.max(time[rank] as number, clock + (tail[child] as number));
      }
    }
    return time[root] as number;
  }

  /** When each rank has the message, and when it has done its sends. */
  times(root: number, lists: readonly (readonly number[])[]): { informed: Float64Array; idle: Float64Array } {
    const informed = new Float64Array(this.size);
    const idle = new Float64Array(this.size);
    const walk = [root];
    for (const rank of walk) {
      let clock = informed[rank] as number;
      for (const child of lists[rank] as readonly number[]) {
        clock += this.send(rank, child);
        informed[child] = clock + this.tail(rank, child);
        walk.push(child);
      }
      idle[rank] = clock;
    }
    return { informed, idle };
  }
}
