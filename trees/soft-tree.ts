/**
 * A tree that can be changed and judged quickly: the working copy of the annealing.
 *
 * What: instead of the latency, the largest of all members' times, it keeps the smooth
 *
 *     (1/b) log sum_v exp(b lat(v))
 *
 * which tends to the latency as the sharpness b grows, and which tells which of two equally late trees
 * has fewer late members. It is kept from the leaves up: with the children c_1, c_2, ... of v in send order,
 *
 *     E[v] = 1 + sum_k exp(b send[v][c_1]) ... exp(b send[v][c_k]) exp(b tail[v][c_k]) E[c_k]
 *
 * so a change has to be redone on the paths to the root only. `tail` is propagate + receive. The order of
 * children that is best for this sum is by E exp(b tail) / (1 - exp(-b send)), descending (an exchange of
 * neighbours shows it); as b grows it becomes Jackson's rule (jackson.ts).
 *
 * Limits: exp(b latency) must be a double, so b times the latency of the tree must stay below 700.
 * Source: log-sum-exp smoothing; the recurrence and the order are derived here.
 *
 * Example: b = ln 2, send 1, tail 1, root 0 with children 1 and 2: E[0] = 1 + 2*2*1 + 2*2*2*1 = 13.
 */
import { topDown } from "./shape.ts";
import type { Shape, TreeProblem } from "./types.ts";

/** A tree under change. */
export class SoftTree {
  readonly size: number;
  root = 0;
  /** Of each member; -1 for the root. */
  readonly parent: Int32Array;
  /** In an order that is right after {@link refresh}, and that later changes may leave behind. */
  readonly children: number[][];
  /** E of each member. */
  readonly weight: Float64Array;
  readonly #send: Float64Array;
  readonly #tail: Float64Array;
  /** exp(b send), exp(b tail), and the factor of a child's place in the order. */
  readonly #growth: Float64Array;
  readonly #reach: Float64Array;
  readonly #rank: Float64Array;
  readonly #keys: Float64Array;
  // what the last change has overwritten
  readonly #changed: Int32Array;
  readonly #former: Float64Array;
  #changes = 0;
  readonly #idle: Float64Array;
  readonly #walk: Int32Array;
  readonly #mark: Int32Array;
  #stamp = 0;

  constructor(problem: TreeProblem, shape: Shape) {
    const { size, send, receive, propagate } = problem;
    this.size = size;
    this.#send = send;
    this.#tail = receive.map((time, edge) => time + (propagate[edge] as number));
    this.parent = new Int32Array(size).fill(-1);
    this.children = Array.from({ length: size }, () => []);
    this.weight = new Float64Array(size);
    this.#growth = new Float64Array(size * size);
    this.#reach = new Float64Array(size * size);
    this.#rank = new Float64Array(size * size);
    this.#keys = new Float64Array(size);
    this.#changed = new Int32Array(2 * size + 2);
    this.#former = new Float64Array(2 * size + 2);
    this.#idle = new Float64Array(size);
    this.#walk = new Int32Array(size);
    this.#mark = new Int32Array(size);
    this.load(shape);
  }

  /** Takes another shape; {@link sharpen} it before use. */
  load(shape: Shape): void {
    this.root = shape.root;
    this.parent[shape.root] = -1;
    for (let v = 0; v < this.size; v++) {
      const list = [...(shape.children[v] as readonly number[])];
      this.children[v] = list;
      for (const child of list) this.parent[child] = v;
    }
  }

  /** The tree as it stands, children in the best order for the present sharpness. */
  shape(): Shape {
    return { root: this.root, children: this.children.map((list) => [...list]) };
  }

  /** Sets the sharpness and works everything out anew. */
  sharpen(b: number): void {
    for (let edge = 0; edge < this.#send.length; edge++) {
      const growth = Math.exp(b * (this.#send[edge] as number));
      const reach = Math.exp(b * (this.#tail[edge] as number));
      this.#growth[edge] = growth;
      this.#reach[edge] = reach;
      // a send that costs nothing comes first
      this.#rank[edge] = growth > 1 ? (reach * growth) / (growth - 1) : Number.MAX_VALUE;
    }
    this.refresh();
  }

  /** Works all weights out anew. */
  refresh(): void {
    for (const v of topDown(this).reverse()) this.#weigh(v);
    this.#changes = 0;
  }

  /** The sum of exponentials over the whole tree, which is to be small. */
  sum(): number {
    return this.weight[this.root] as number;
  }

  /** Works out anew when each member is done with its sends, for {@link delivery}. */
  clock(): void {
    const { size, children } = this;
    const idle = this.#idle;
    const walk = this.#walk;
    walk[0] = this.root;
    idle[this.root] = 0;
    for (let at = 0, end = 1; at < end; at++) {
      const v = walk[at] as number;
      let clock = idle[v] as number;
      for (const child of children[v] as number[]) {
        clock += this.#send[v * size + child] as number;
        idle[child] = clock + (this.#tail[v * size + child] as number);
        walk[end++] = child;
      }
      idle[v] = clock;
    }
  }

  /** When `from` could deliver to `to` after its own sends, as of the last {@link clock}. */
  delivery(from: number, to: number): number {
    const edge = from * this.size + to;
    return (this.#idle[from] as number) + (this.#send[edge] as number) + (this.#tail[edge] as number);
  }

  /** Whether `above` is `v` or lies on its path to the root. */
  isAbove(above: number, v: number): boolean {
    for (let at = v; at >= 0; at = this.parent[at] as number) if (at === above) return true;
    return false;
  }

  /** Makes `v`, with all below it, a child of `to`, which is not below `v`. */
  relocate(v: number, to: number): void {
    const from = this.parent[v] as number;
    remove(this.children[from] as number[], v);
    (this.children[to] as number[]).push(v);
    this.parent[v] = to;
    this.#update(from, to);
  }

  /** Undoes {@link relocate}. */
  putBack(v: number, from: number): void {
    remove(this.children[this.parent[v] as number] as number[], v);
    (this.children[from] as number[]).push(v);
    this.parent[v] = from;
    this.#restore();
  }

  /** Exchanges two members with all below them; neither is below the other, nor the root. */
  graft(u: number, v: number): void {
    this.#graft(u, v);
    this.#update(this.parent[u] as number, this.parent[v] as number);
  }

  /** Undoes {@link graft} of the same two. */
  graftBack(u: number, v: number): void {
    this.#graft(u, v);
    this.#restore();
  }

  #graft(u: number, v: number): void {
    const [above, beside] = [this.parent[u] as number, this.parent[v] as number];
    if (above === beside) return;
    replace(this.children[above] as number[], u, v);
    replace(this.children[beside] as number[], v, u);
    this.parent[u] = beside;
    this.parent[v] = above;
  }

  /** Exchanges the places of two members; what is below a place stays there. */
  exchange(u: number, v: number): void {
    this.#exchange(u, v);
    this.#update(u, v);
  }

  /** Undoes {@link exchange} of the same two. */
  exchangeBack(u: number, v: number): void {
    this.#exchange(u, v);
    this.#restore();
  }

  #exchange(first: number, second: number): void {
    // if one is above the other, it is v
    const [u, v] = this.parent[second] === first ? [second, first] : [first, second];
    const [above, beside] = [this.parent[u] as number, this.parent[v] as number];
    const places = this.children[u] as number[];
    this.children[u] = this.children[v] as number[];
    this.children[v] = places;
    if (above === v) {
      // u has v's children now, itself among them
      (this.children[u] as number[])[(this.children[u] as number[]).indexOf(u)] = v;
      if (beside >= 0) replace(this.children[beside] as number[], v, u);
      this.parent[u] = beside;
    } else {
      const at = above >= 0 ? (this.children[above] as number[]).indexOf(u) : -1;
      if (beside >= 0) replace(this.children[beside] as number[], v, u);
      if (above >= 0) (this.children[above] as number[])[at] = v;
      this.parent[u] = beside;
      this.parent[v] = above;
    }
    for (const child of this.children[u] as number[]) this.parent[child] = u;
    for (const child of this.children[v] as number[]) this.parent[child] = v;
    if (this.root === u) this.root = v;
    else if (this.root === v) this.root = u;
  }

  /** Weighs `a`, `b` and everything above them. */
  #update(a: number, b: number): void {
    const { parent } = this;
    const mark = this.#mark;
    const stamp = ++this.#stamp;
    this.#changes = 0;
    for (let at = a; at >= 0; at = parent[at] as number) mark[at] = stamp;
    // up to where the two paths meet, then on from there
    let at = b;
    for (; at >= 0 && mark[at] !== stamp; at = parent[at] as number) this.#reweigh(at);
    const meeting = at;
    for (at = a; at >= 0 && at !== meeting; at = parent[at] as number) this.#reweigh(at);
    for (at = meeting; at >= 0; at = parent[at] as number) this.#reweigh(at);
  }

  #reweigh(v: number): void {
    this.#changed[this.#changes] = v;
    this.#former[this.#changes++] = this.weight[v] as number;
    this.#weigh(v);
  }

  #restore(): void {
    // backwards, as a member may have been weighed twice
    for (let i = this.#changes - 1; i >= 0; i--) {
      this.weight[this.#changed[i] as number] = this.#former[i] as number;
    }
    this.#changes = 0;
  }

  /** Sorts the children of `v` and gives it its weight. */
  #weigh(v: number): void {
    const list = this.children[v] as number[];
    const row = v * this.size;
    const weight = this.weight;
    const keys = this.#keys;
    const rank = this.#rank;
    // nearly sorted already, so insertion is fastest
    for (let i = 0; i < list.length; i++) {
      const child = list[i] as number;
      const key = (rank[row + child] as number) * (weight[child] as number);
      let j = i - 1;
      for (; j >= 0 && (keys[j] as number) < key; j--) {
        keys[j + 1] = keys[j] as number;
        list[j + 1] = list[j] as number;
      }
      keys[j + 1] = key;
      list[j + 1] = child;
    }
    let grown = 1;
    let sum = 1;
    for (let i = 0; i < list.length; i++) {
      const child = list[i] as number;
      grown *= this.#growth[row + child] as number;
      sum += grown * (this.#reach[row + child] as number) * (weight[child] as number);
    }
    weight[v] = sum;
  }

  /** A member that is late, drawn by its share of the sum: the path from the root down to it. */
  drawLate(random: () => number, path: number[]): void {
    path.length = 0;
    let v = this.root;
    for (;;) {
      path.push(v);
      let left = random() * (this.weight[v] as number) - 1;
      if (left < 0) return;
      const list = this.children[v] as number[];
      const row = v * this.size;
      let grown = 1;
      let next = -1;
      for (let i = 0; i < list.length && left >= 0; i++) {
        next = list[i] as number;
        grown *= this.#growth[row + next] as number;
        left -= grown * (this.#reach[row + next] as number) * (this.weight[next] as number);
      }
      if (next < 0) return;
      v = next;
    }
  }
}

function remove(list: number[], item: number): void {
  const at = list.indexOf(item);
  list[at] = list[list.length - 1] as number;
  list.pop();
}

function replace(list: number[], item: number, by: number): void {
  list[list.indexOf(item)] = by;
}
