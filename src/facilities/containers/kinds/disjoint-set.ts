/**
 * Disjoint sets: elements 0 to n - 1, each in a set of its own at first; unions make one set of two.
 *
 * Each element has a parent, which is itself (a root) or a smaller element; the elements of a set are a tree. A union
 * is a pair of elements (x, y), x > y, that walks: it is at the PE of the larger one, takes a step there and goes on as
 * a pair whose larger element is smaller than x, or ends. A parent of y may take the place of y, as it is connected
 * with it:
 *
 *     p = parent of x        p = x: x is a root. Its parent becomes y. End.
 *                            p = y: End.
 *                            p > y: The parent of x becomes y, a shorter way. Go on with (p, y).
 *                            p < y: Go on with (y, p).
 *
 * Why it is right, whatever runs at the same time. A step reads and writes the parent of one element, at its PE, where
 * one handler runs at a time: all steps of all unions are in some order. Take as edges all (element, parent) and all
 * pairs under way. No step changes what is connected by them: a removed edge x-p is replaced by x-y and the pair (p,
 * y); a pair that ends is an edge, or is connected by one. So at the end, when no pair is under way, exactly that is
 * connected by parents which the unions have connected. Parents are smaller, so there is no circle, each set is one
 * tree, and its root is its smallest element. A pair ends, as its larger element becomes smaller in each step.
 *
 * Then parents become roots by pointer jumping: in each round each element gets the parent of its parent, which halves
 * its way.
 *
 * Source: Rem's algorithm, in Dijkstra, A Discipline of Programming, 1976, chapter 23; with splicing and in parallel:
 * Patwary, Refsnes, Manne, Multi-core spanning forest algorithms using the disjoint-set data structure, IPDPS 2012. As
 * messages among PEs it needs no replies, since a step needs the parent of one element only. Pointer jumping: JáJá, An
 * Introduction to Parallel Algorithms, 1992.
 */
import type { CallOptions } from "../../../collectives/calls/call.ts";
import type { Task } from "../../../ground/wait/task.ts";
import { checkIterable } from "../check-iterable.ts";
import { Container, type Kind, kindOf, setPart } from "../container.ts";
import type { Cursor } from "../content/cursor.ts";
import type { ContainerPart } from "../part.ts";
import { checkLength, Placement } from "../placement.ts";
import { LOOK_FOR_ENTRY, type Sent } from "../session/receiver.ts";
import { TypedColumn } from "../tables/columns.ts";
import { numberTable } from "../tables/make-table.ts";
import { NONE } from "../tables/table.ts";

/** The operations of disjoint sets. @typeParam Result as of {@link MapOperations} */
export interface DisjointSetOperations<Result> {
  /** Makes one set of the sets of two elements. */
  union(a: number, b: number): Result;
}

let makeDisjointSet: (part: ContainerPart, length: number) => DistributedDisjointSet;

/** Disjoint sets over all PEs, as seen by one of them. Its operations are for sources and visitors. */
export class DistributedDisjointSet extends Container implements DisjointSetOperations<void> {
  readonly #part: ContainerPart;
  readonly #placement: Placement;
  /** The first element of this PE: it has a block. */
  readonly #first: number;
  readonly #parents: Uint32Array;
  readonly #union: string;
  /** Whether a parent has changed here since all were roots. */
  #hasChanged = false;

  static {
    makeDisjointSet = (part, length) => new DistributedDisjointSet(part, length);
  }

  private constructor(part: ContainerPart, length: number) {
    super();
    setPart(this, part);
    this.#part = part;
    const { rank, size } = part;
    this.#placement = new Placement(length, size, "block");
    this.#first = this.#placement.indexOf(0, rank);
    this.#parents = new Uint32Array(this.#placement.countOf(rank));
    this.#union = `${part.name}.union`;
    this.#clear();
    part.receiveBy({
      handle: (_operation, from) => this.#handle(from),
      look: (_operation, from, round) => this.#lookAhead(from, round),
      bytes: () => this.localBytes,
      clear: () => this.#clear(),
    });
  }

  get localSize(): number {
    return this.#parents.length;
  }

  /** Bytes of memory that this PE's elements take. */
  get localBytes(): number {
    return this.#parents.byteLength;
  }

  #clear(): void {
    for (let i = 0; i < this.#parents.length; i++) this.#parents[i] = this.#first + i;
    this.#hasChanged = false;
  }

  /** The rank of the PE that has an element. @throws UsageError for what is none */
  owner(element: number): number {
    this.#placement.check(`${this.#part.name}.owner`, element);
    return this.#placement.ownerOf(element);
  }

  /** @throws UsageError for what is no element; StateError outside a session */
  union(a: number, b: number): undefined {
    this.#placement.check(this.#union, a);
    this.#placement.check(this.#union, b);
    // before parents change
    this.#part.session.checkSending(this.#union);
    return (this.#walk(Math.max(a, b), Math.min(a, b)) ?? this.#part.session.keep()) as undefined;
  }

  #lookAhead(from: Cursor, round: number): number {
    const parents = this.#parents;
    const first = this.#first;
    const parent = parents[(from.views.u32[from.align(4) >>> 2] as number) - first] as number;
    if (round === LOOK_FOR_ENTRY) return parent;
    const place = parent - first;
    return place >= 0 ? (parents[place] as number) : 0;
  }

  #handle(from: Cursor): void {
    const at = from.align(4) >>> 2;
    const { u32 } = from.views;
    this.#walk(u32[at] as number, u32[at + 1] as number);
  }

  /** Takes steps with a pair as long as its larger element is here, then sends it on. */
  #walk(larger: number, smaller: number): Sent {
    const parents = this.#parents;
    const first = this.#first;
    let x = larger;
    let y = smaller;
    while (x !== y) {
      const place = x - first;
      if (place < 0 || place >= parents.length) return this.#sendOn(x, y);
      const parent = parents[place] as number;
      if (parent === y) return undefined;
      if (parent === x || parent > y) {
        parents[place] = y;
        this.#hasChanged = true;
        if (parent === x) return undefined;
      }
      x = Math.max(parent, y);
      y = Math.min(parent, y);
    }
    return undefined;
  }

  /** Sends a pair to the PE of x. */
  #sendOn(x: number, smaller: number): Sent {
    // the parent of y will do as well, and saves steps there
    const y = this.#topOf(smaller);
    const scratch = this.#part.begin(0);
    const at = scratch.align(4);
    const { u32 } = scratch.views;
    u32[at >>> 2] = x;
    u32[(at >>> 2) + 1] = y;
    scratch.at = at + 8;
    return this.#part.send(this.#placement.ownerOf(x), this.#union);
  }

  /** The last element on the way to the root that is here, or has its child here. */
  #topOf(element: number): number {
    const parents = this.#parents;
    let top = element;
    for (let place = top - this.#first; place >= 0 && place < parents.length; place = top - this.#first) {
      const parent = parents[place] as number;
      if (parent === top) break;
      top = parent;
    }
    return top;
  }

  /** Number of sets. Collective. */
  countSets(options?: CallOptions): number {
    return this.#part.block("countSets", this.#count(), options);
  }

  /** As {@link countSets}, without blocking. */
  countSetsAsync(options?: CallOptions): Promise<number> {
    return this.#part.await("countSetsAsync", this.#count(), options);
  }

  /** Calls a function for each element here with the smallest of its set, the same for all of it. Collective. */
  forAll(visit: (element: number, smallest: number) => unknown, options?: CallOptions): void {
    this.#part.block("forAll", this.#agreeAndCompress(), options);
    this.#visitAll(visit);
  }

  /** As {@link forAll}, without blocking. */
  async forAllAsync(visit: (element: number, smallest: number) => unknown, options?: CallOptions): Promise<void> {
    await this.#part.await("forAllAsync", this.#agreeAndCompress(), options);
    this.#visitAll(visit);
  }

  /**
   * The smallest elements of the sets of elements, in the order of the elements. Collective: each PE gives elements of
   * its own, perhaps none.
   * @throws UsageError for what is no element
   */
  findAll(elements: Iterable<number>, options?: CallOptions): Uint32Array {
    return this.#part.block("findAll", this.#find("findAll", elements), options);
  }

  /** As {@link findAll}, without blocking. */
  findAllAsync(elements: Iterable<number>, options?: CallOptions): Promise<Uint32Array> {
    return this.#part.await("findAllAsync", this.#find("findAllAsync", elements), options);
  }

  /** The smallest element of the set of each element, at the root; undefined elsewhere. Collective. */
  gather(root = 0, options?: CallOptions): Uint32Array | undefined {
    return this.#part.block("gather", this.#gather(root), options);
  }

  /** As {@link gather}, without blocking. */
  gatherAsync(root = 0, options?: CallOptions): Promise<Uint32Array | undefined> {
    return this.#part.await("gatherAsync", this.#gather(root), options);
  }

  #visitAll(visit: (element: number, smallest: number) => unknown): void {
    for (let i = 0; i < this.#parents.length; i++) visit(this.#first + i, this.#parents[i] as number);
  }

  *#count(): Task<number> {
    let roots = 0;
    for (let i = 0; i < this.#parents.length; i++) roots += Number(this.#parents[i] === this.#first + i);
    yield* this.#part.agree("countSets");
    return yield* this.#part.sum(roots);
  }

  *#find(call: string, elements: Iterable<number>): Task<Uint32Array> {
    const title = `${this.#part.name}.${call}`;
    checkIterable(title, "elements", elements);
    const wanted = Uint32Array.from(elements, (element) => {
      this.#placement.check(title, element);
      return element;
    });
    yield* this.#part.agree(call);
    yield* this.#compress();
    return yield* this.#parentsOf(wanted);
  }

  *#gather(root: number): Task<Uint32Array | undefined> {
    this.#part.checkRank(`${this.#part.name}.gather`, root);
    yield* this.#part.agree("gather", root);
    yield* this.#compress();
    const parts = yield* this.#part.gather([this.#parents] as const, root);
    if (parts === undefined) return undefined;
    const all = new Uint32Array(this.#placement.length);
    for (const [rank, [part]] of parts.entries()) {
      if (part.length > 0) all.set(part, this.#placement.indexOf(0, rank));
    }
    return all;
  }

  /** The parents of elements, wherever these are. */
  *#parentsOf(elements: Uint32Array): Task<Uint32Array> {
    const { size } = this.#part;
    const owners = Uint32Array.from(elements, (element) => this.#placement.ownerOf(element));
    const counts = new Uint32Array(size);
    for (const owner of owners) counts[owner]++;
    const asked = Array.from(counts, (count) => new Uint32Array(count));
    const ends = new Uint32Array(size);
    for (const [i, owner] of owners.entries()) {
      (asked[owner] as Uint32Array)[ends[owner]++] = elements[i] as number;
    }
    const wanted = yield* this.#part.exchange(asked);
    const replies = yield* this.#part.exchange(
      wanted.map((list) => list.map((element) => this.#parents[element - this.#first] as number)),
    );
    ends.fill(0);
    return owners.map((owner) => (replies[owner] as Uint32Array)[ends[owner]++] as number);
  }

  *#agreeAndCompress(): Task<void> {
    yield* this.#part.agree("forAll");
    yield* this.#compress();
  }

  /** Makes every parent a root. */
  *#compress(): Task<void> {
    if ((yield* this.#part.sum(Number(this.#hasChanged))) === 0) return;
    this.#hasChanged = false;
    const parents = this.#parents;
    // ways within this PE need no messages: parents are smaller, so theirs are done
    for (let i = 0; i < parents.length; i++) {
      const place = (parents[i] as number) - this.#first;
      if (place >= 0) parents[i] = parents[place] as number;
    }
    // those whose parent is here have a root
    let open = Uint32Array.from(parents.keys()).filter((i) => (parents[i] as number) < this.#first);
    while ((yield* this.#part.sum(open.length)) > 0) {
      const distinct = numberTable(new TypedColumn<number>(Uint32Array), "u32");
      for (const i of open) distinct.obtain(parents[i] as number, 0);
      const asked = new Uint32Array(distinct.size);
      for (let entry = distinct.next(NONE); entry !== NONE; entry = distinct.next(entry)) {
        asked[entry] = distinct.keyAt(entry);
      }
      const found = yield* this.#parentsOf(asked);
      open = open.filter((i) => {
        const parent = parents[i] as number;
        const next = found[distinct.find(parent, 0)] as number;
        parents[i] = next;
        return next !== parent;
      });
    }
  }
}

/**
 * Disjoint sets of the elements 0 to `length` - 1: the components of a graph, for example.
 *
 *     using data = containers(pe, { parts: disjointSet(vertices) });
 *     data.run(({ parts }) => { for (const [a, b] of edges) parts.union(a, b); });
 *     data.parts.countSets();
 *
 * @throws UsageError
 */
export function disjointSet(
  length: number,
): Kind<DistributedDisjointSet, DisjointSetOperations<Promise<void> | undefined>> {
  checkLength("disjointSet", length);
  return kindOf(`disjointSet(${length})`, (part) => makeDisjointSet(part, length));
}
