/**
 * All ranks of a world of equal nodes, and what edges between them cost, without a matrix of all pairs.
 */
import type { Edges } from "./edges.ts";
import type { TreeProblem } from "./types.ts";

/** A network send: time the sender is busy, time from there until the receiver has the message. */
export interface Hop {
  readonly send: number;
  readonly tail: number;
}

/** All ranks, and what edges between them cost. */
export class Ranks implements Edges {
  readonly size: number;
  readonly #problem: TreeProblem;
  readonly #hop: Hop;

  constructor(problem: TreeProblem, nodes: number, hop: Hop) {
    this.size = problem.size * nodes;
    this.#problem = problem;
    this.#hop = hop;
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
}
