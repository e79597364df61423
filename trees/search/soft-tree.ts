/**
 * Trees that can be changed and evaluated quickly: the working copies of the annealing.
 *
 * What: instead of the latency, the largest of all members' times, they keep the smooth
 *
 *     (1/b) log sum_v exp(b lat(v))
 *
 * which tends to the latency as the sharpness b grows, and which is smaller for the tree with fewer late members if the
 * latencies are equal. It is maintained from the leaves up: with the children c_1, c_2, ... of v in send order,
 *
 *     E[v] = 1 + exp(b relay[v]) sum_k exp(b send[v][c_1]) ... exp(b send[v][c_k]) exp(b tail[v][c_k]) E[c_k]
 *
 * so a change has to be redone on the paths to the root only. `tail` is propagate + receive; a root has no relay. The
 * order of children that is best for this sum is by E exp(b tail) / (1 - exp(-b send)), descending (an exchange of
 * neighbours shows it); as b grows it becomes Jackson's rule (child-order.ts).
 *
 * The loop itself is WebAssembly (assembly/): the same numbers on every machine, and twice as fast. All trees of an
 * annealing are in one memory, with the exponentials of one sharpness, which they share.
 *
 * Limits: exp(b latency) must be a double, so b times the latency of the tree must stay below 700. 32 bytes of
 * memory for each edge, so some ten thousand members. One annealing at a time in a thread.
 * Source: log-sum-exp smoothing; the recurrence and the order are derived here.
 *
 * Example: b = ln 2, send 1, tail 1, root 0 with children 1 and 2: E[0] = 1 + 2*2*1 + 2*2*2*1 = 13.
 */

import type { Shape, TreeProblem } from "../model/tree.ts";
import { type AnnealingKernel, kernelOf } from "./kernel.ts";

// as assembly/ has them
const OCTAVES = 32;
const STEPS = 64;
const TREE_BYTES = 24;
const MEMBER_BYTES = 80;
/** Words of a member that contain addresses: of its first child, and of its next sibling. */
const FIRST = 1;
const NEXT = 2;

/** Some trees of one problem. */
export class SoftTrees {
  readonly trees: readonly SoftTree[];
  readonly #problem: TreeProblem;
  readonly #factors: Float64Array;
  readonly #relays: Float64Array;
  readonly #limits: Float64Array;

  constructor(problem: TreeProblem, starts: readonly Shape[], seed: number) {
    this.#problem = problem;
    const { size, send, receive, propagate, root } = problem;
    const edges = size * size;
    const treeBytes = TREE_BYTES + size * MEMBER_BYTES;
    let end = 0;
    const take = (bytes: number): number => {
      const at = end;
      end += bytes;
      return at;
    };
    const [factors, into, sends] = [take(16 * edges), take(8 * edges), take(8 * edges)] as const;
    const relays = take(16 * size);
    const [limits, walk, former] = [take(8 * OCTAVES * STEPS), take(8 * size), take(32 * size)] as const;
    const places = starts.map(() => take(treeBytes));
    const kernel = kernelOf(end);
    const { buffer } = kernel.memory;
    this.#factors = new Float64Array(buffer, factors, 2 * edges);
    this.#relays = new Float64Array(buffer, relays, 2 * size);
    this.#limits = new Float64Array(buffer, limits, OCTAVES * STEPS);
    new Float64Array(buffer, sends, edges).set(send);
    const arrivals = new Float64Array(buffer, into, edges);
    for (let from = 0; from < size; from++) {
      for (let to = 0; to < size; to++) {
        const edge = from * size + to;
        arrivals[to * size + from] = (send[edge] as number) + ((receive[edge] as number) + (propagate[edge] as number));
      }
    }
    kernel.setUp(size, root === undefined, factors, into, sends, relays, limits, walk, former);
    this.trees = starts.map((start, i) => {
      const parents = new Int32Array(buffer, walk, size).fill(-1);
      for (const [v, list] of start.children.entries()) for (const child of list) parents[child] = v;
      kernel.plant(places[i] as number, seed + i);
      return new SoftTree(kernel, places[i] as number, size);
    });
  }

  /** Sets the sharpness b, and the power of the sums' ratio with which changes for the worse are kept. */
  sharpen(b: number, strictness: number): void {
    const { size, send, receive, propagate, relay } = this.#problem;
    const factors = this.#factors;
    for (let edge = 0; edge < send.length; edge++) {
      factors[2 * edge] = Math.exp(b * (send[edge] as number));
      factors[2 * edge + 1] = Math.exp(b * ((receive[edge] as number) + (propagate[edge] as number)));
    }
    for (let v = 0; v < size; v++) {
      this.#relays[2 * v] = relay[v] as number;
      this.#relays[2 * v + 1] = Math.exp(b * (relay[v] as number));
    }
    // with the probability ratio^strictness, by a rounded random number: avoids a power for each change
    for (let i = 0; i < OCTAVES * STEPS; i++) {
      const octave = 2 ** -(1 + Math.floor(i / STEPS));
      this.#limits[i] = (octave * (1 + ((i % STEPS) + 0.5) / STEPS)) ** (-1 / strictness);
    }
  }
}

/** A tree under change. */
export class SoftTree {
  readonly #kernel: AnnealingKernel;
  readonly #place: number;
  readonly #size: number;

  constructor(kernel: AnnealingKernel, place: number, size: number) {
    this.#kernel = kernel;
    this.#place = place;
    this.#size = size;
  }

  /** Recomputes everything: before use, and when the sharpness has changed. */
  sharpen(): void {
    this.#kernel.sharpen(this.#place);
  }

  /** Tries `count` changes. */
  move(count: number): void {
    this.#kernel.move(this.#place, count);
  }

  /** The sum of exponentials over the whole tree, which is to be minimised. */
  sum(): number {
    return this.#kernel.sum(this.#place);
  }

  /** The current tree, children in the best order for the present sharpness. */
  shape(): Shape {
    const size = this.#size;
    const start = this.#place + TREE_BYTES;
    const words = MEMBER_BYTES / 4;
    const all = new Uint32Array(this.#kernel.memory.buffer, this.#place, (TREE_BYTES + size * MEMBER_BYTES) / 4);
    const member = (address: number): number => (address - start) / MEMBER_BYTES;
    const children = Array.from({ length: size }, (_, v) => {
      const list: number[] = [];
      let at = all[TREE_BYTES / 4 + v * words + FIRST] as number;
      for (; at !== 0; at = all[TREE_BYTES / 4 + member(at) * words + NEXT] as number) list.push(member(at));
      return list;
    });
    return { root: member(all[0] as number), children };
  }
}
