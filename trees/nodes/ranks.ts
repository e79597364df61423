/** All ranks of a world over several nodes, and the costs of edges between them, without a matrix of all pairs. */
import type { Edges } from "../model/edges.ts";
import type { TreeProblem } from "../model/tree.ts";

/** A send over the network: the sender's busy time, and from its end until the receiver has the message. */
export interface Hop {
  readonly send: number;
  readonly tail: number;
}

/** All ranks, consecutive within a node, and the costs of edges between them. */
export class Ranks implements Edges {
  readonly size: number;
  readonly #problems: readonly TreeProblem[];
  readonly #hop: Hop;
  /** The node of each rank, and the first rank of each node. */
  readonly #node: Int32Array;
  readonly #first: readonly number[];

  constructor(problems: readonly TreeProblem[], hop: Hop) {
    const first: number[] = [];
    let size = 0;
    for (const problem of problems) {
      first.push(size);
      size += problem.size;
    }
    this.size = size;
    this.#problems = problems;
    this.#hop = hop;
    this.#first = first;
    this.#node = new Int32Array(size);
    for (const [node, problem] of problems.entries()) {
      this.#node.fill(node, first[node], (first[node] as number) + problem.size);
    }
  }

  /** The first rank of a node. */
  first(node: number): number {
    return this.#first[node] as number;
  }

  nodeOf(rank: number): number {
    return this.#node[rank] as number;
  }

  send(from: number, to: number): number {
    const node = this.nodeOf(from);
    if (node !== this.nodeOf(to)) return this.#hop.send;
    const { size, send } = this.#problems[node] as TreeProblem;
    const first = this.first(node);
    return send[(from - first) * size + to - first] as number;
  }

  tail(from: number, to: number): number {
    const node = this.nodeOf(from);
    if (node !== this.nodeOf(to)) return this.#hop.tail;
    const { size, receive, propagate } = this.#problems[node] as TreeProblem;
    const first = this.first(node);
    const edge = (from - first) * size + to - first;
    return (propagate[edge] as number) + (receive[edge] as number);
  }

  relay(rank: number): number {
    const node = this.nodeOf(rank);
    return this.#problems[node]?.relay[rank - this.first(node)] as number;
  }
}
