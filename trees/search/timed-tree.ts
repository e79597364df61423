/**
 * A tree that can be changed and timed quickly: the working copy of descent.ts.
 *
 * It has for each member the time of a message from it to all members below it, with children always in the best order
 * (child-order.ts). After a change this is recomputed on the path to the root, as far as it differs. Every change can
 * be undone: by {@link relocate} back, or by the same {@link exchange} again.
 *
 * Limits: for n members of any costs it takes 8 n numbers beside the costs, none by the square.
 *
 * Example: send 2, receive 3 everywhere, 0: 1; 1: 2 takes 10; `relocate(2, 0)` makes it 7.
 */
import { topDown } from "../model/shape.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";

/** A tree that can be changed. */
export class TimedTree {
  readonly root: number;
  /** By member; -1 for the root. */
  readonly parent: Int32Array;
  readonly #problem: TreeProblem;
  readonly #children: number[][];
  readonly #time: Float64Array;
  readonly #informed: Float64Array;
  readonly #idle: Float64Array;

  constructor(problem: TreeProblem, { root, children }: Shape) {
    const { size } = problem;
    this.root = root;
    this.#problem = problem;
    this.#children = children.map((list) => [...list]);
    this.parent = new Int32Array(size).fill(-1);
    for (const [v, list] of children.entries()) for (const child of list) this.parent[child] = v;
    this.#time = new Float64Array(size);
    this.#informed = new Float64Array(size);
    this.#idle = new Float64Array(size);
    for (const v of topDown({ root, children }).reverse()) this.#weigh(v);
  }

  /** The latency of a broadcast. */
  latency(): number {
    return this.#time[this.root] as number;
  }

  shape(): Shape {
    return { root: this.root, children: this.#children };
  }

  /** The path from the root to a member that has the message last. */
  criticalPath(): number[] {
    const path = [this.root];
    for (const v of path) {
      const time = this.#time[v] as number;
      let clock = this.#relay(v);
      for (const child of this.#children[v] as number[]) {
        clock += this.#send(v, child);
        if (clock + this.#reach(v, child) < time) continue;
        path.push(child);
        break;
      }
    }
    return path;
  }

  /** Computes when each member has the message and has finished all sends, for {@link delivery}. */
  clock(): void {
    for (const v of topDown(this.shape())) {
      let clock = (this.#informed[v] as number) + this.#relay(v);
      for (const child of this.#children[v] as number[]) {
        clock += this.#send(v, child);
        this.#informed[child] = clock + this.#tail(v, child);
      }
      this.#idle[v] = clock;
    }
  }

  /** When all below `v` could have the message from `to`, after its other sends, as of the last {@link clock}. */
  delivery(to: number, v: number): number {
    return (this.#idle[to] as number) + this.#send(to, v) + this.#reach(to, v);
  }

  /** A lower bound of the time when all below `v` have the message from `to`. */
  soonest(to: number, v: number): number {
    return (this.#informed[to] as number) + this.#relay(to) + this.#send(to, v) + this.#reach(to, v);
  }

  /** Approximate time from the parent of `v` to all below it, with `u` in its position. */
  timeInPlace(u: number, v: number): number {
    const above = this.parent[v] as number;
    let clock = this.#relay(u);
    let latest = 0;
    for (const child of this.#children[v] as number[]) {
      // if u is below v, the two have exchanged positions
      const below = child === u ? v : child;
      clock += this.#send(u, below);
      const there = clock + this.#tail(u, below) + (this.#time[child] as number);
      if (there > latest) latest = there;
    }
    return this.#send(above, u) + this.#tail(above, u) + latest;
  }

  /** Whether `above` is `v` or on its path to the root. */
  isAbove(above: number, v: number): boolean {
    for (let at = v; at >= 0; at = this.parent[at] as number) if (at === above) return true;
    return false;
  }

  /** Makes `v`, with all below it, a child of `to`, which must not be below `v`. */
  relocate(v: number, to: number): void {
    const from = this.parent[v] as number;
    const list = this.#children[from] as number[];
    list.splice(list.indexOf(v), 1);
    (this.#children[to] as number[]).push(v);
    this.parent[v] = to;
    this.#update(from);
    this.#update(to);
  }

  /** Exchanges the positions of two members, neither of them the root; the members below a position stay there. */
  exchange(u: number, v: number): void {
    const [above, beside] = [this.parent[u] as number, this.parent[v] as number];
    const renamed = (list: readonly number[]): number[] =>
      list.map((member) => (member === u ? v : member === v ? u : member));
    if (above !== u && above !== v) this.#children[above] = renamed(this.#children[above] as number[]);
    if (beside !== u && beside !== v && beside !== above)
      this.#children[beside] = renamed(this.#children[beside] as number[]);
    const below = renamed(this.#children[u] as number[]);
    this.#children[u] = renamed(this.#children[v] as number[]);
    this.#children[v] = below;
    this.parent[u] = beside === u ? v : beside;
    this.parent[v] = above === v ? u : above;
    for (const member of [u, v]) {
      for (const child of this.#children[member] as number[]) this.parent[child] = member;
    }
    this.#update(u);
    this.#update(v);
  }

  #update(v: number): void {
    this.#weigh(v);
    for (let at = this.parent[v] as number; at >= 0; at = this.parent[at] as number) {
      const before = this.#time[at];
      this.#weigh(at);
      if (this.#time[at] === before) return;
    }
  }

  /** Sorts the children of a member and computes its time. */
  #weigh(v: number): void {
    const list = this.#children[v] as number[];
    // few, and nearly sorted
    for (let i = 1; i < list.length; i++) {
      const child = list[i] as number;
      const reach = this.#reach(v, child);
      let at = i;
      for (; at > 0 && this.#reach(v, list[at - 1] as number) < reach; at--) list[at] = list[at - 1] as number;
      list[at] = child;
    }
    let clock = this.#relay(v);
    let latest = 0;
    for (const child of list) {
      clock += this.#send(v, child);
      latest = Math.max(latest, clock + this.#reach(v, child));
    }
    this.#time[v] = latest;
  }

  #relay(v: number): number {
    return v === this.root ? 0 : (this.#problem.relay[v] as number);
  }

  #send(from: number, to: number): number {
    return this.#problem.send[from * this.#problem.size + to] as number;
  }

  /** Time from the end of a send until the receiver has the message. */
  #tail(from: number, to: number): number {
    const edge = from * this.#problem.size + to;
    return (this.#problem.propagate[edge] as number) + (this.#problem.receive[edge] as number);
  }

  /** Time from the end of a send until all below the receiver have the message. */
  #reach(from: number, to: number): number {
    return this.#tail(from, to) + (this.#time[to] as number);
  }
}
