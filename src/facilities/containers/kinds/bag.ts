/** Bags: values in no order, that lie anywhere. */

import type { CallOptions } from "../../../collectives/calls/call.ts";
import type { Task } from "../../../ground/wait/task.ts";
import { Container, type Kind, kindOf, setPart } from "../container.ts";
import { type ContentCodec, codecOf } from "../content/codec.ts";
import { type Content, type ContentOf, checkContent, describeContent } from "../content/content.ts";
import { columnOf } from "../content/index-of.ts";
import type { ContainerPart } from "../part.ts";
import type { Sent } from "../session/receiver.ts";
import type { Column } from "../tables/table.ts";

/** The operations of a bag. @typeParam Result as of {@link MapOperations} */
export interface BagOperations<V, Result> {
  /** Adds a value to the part of the PE that calls it, where it stays until {@link DistributedBag.rebalance}. */
  insert(value: V): Result;
  /** Adds a value to the part of PE `rank`. */
  insertAt(rank: number, value: V): Result;
}

let makeBag: <V>(part: ContainerPart, values: Content) => DistributedBag<V>;

/** A bag over all PEs, as seen by one of them. Its operations are for sources and visitors. */
export class DistributedBag<V> extends Container implements BagOperations<V, void> {
  readonly #part: ContainerPart;
  readonly #codec: ContentCodec;
  readonly #column: Column<V>;
  readonly #calls: { readonly insert: string; readonly insertAt: string };
  #count = 0;
  #room = 0;

  static {
    makeBag = (part, values) => new DistributedBag(part, values);
  }

  private constructor(part: ContainerPart, values: Content) {
    super();
    setPart(this, part);
    this.#part = part;
    this.#codec = codecOf(values);
    this.#column = columnOf<V>(values);
    this.#calls = { insert: `${part.name}.insert`, insertAt: `${part.name}.insertAt` };
    part.receiveBy({
      handle: (_operation, from) => this.#add(this.#codec.read(from) as V),
      bytes: () => this.localBytes,
      clear: () => this.#clear(),
    });
  }

  get localSize(): number {
    return this.#count;
  }

  /** Bytes of memory that this PE's values take; of those that are JavaScript objects a pointer each. */
  get localBytes(): number {
    return this.#column.bytes;
  }

  #clear(): void {
    this.#column.clear(true);
    this.#count = 0;
    this.#room = 0;
  }

  insert(value: V): undefined {
    return this.#put(this.#part.rank, this.#calls.insert, value) as undefined;
  }

  /** @throws RankRangeError; UsageError for what is no value of this bag */
  insertAt(rank: number, value: V): undefined {
    const call = this.#calls.insertAt;
    this.#part.checkRank(call, rank);
    return this.#put(rank, call, value) as undefined;
  }

  #put(rank: number, call: string, value: V): Sent {
    this.#codec.write(this.#part.begin(0), call, value);
    return this.#part.send(rank, call);
  }

  #add(value: V): void {
    if (this.#count === this.#room) {
      this.#room = Math.max(16, 2 * this.#room);
      this.#column.grow(this.#room);
    }
    this.#column.set(this.#count++, value);
  }

  /** Calls a function for each value here: no communication. In a source it may send; later inserts are left out. */
  forAll(visit: (value: V) => unknown): void {
    // what is inserted meanwhile is behind it
    const end = this.#count;
    for (let i = 0; i < end && i < this.#count; i++) visit(this.#column.get(i));
  }

  /** All values at the root, those of PE 0 first; undefined elsewhere. Collective. */
  gather(root = 0, options?: CallOptions): V[] | undefined {
    return this.#part.block("gather", this.#gather(root), options);
  }

  /** As {@link gather}, without blocking. */
  gatherAsync(root = 0, options?: CallOptions): Promise<V[] | undefined> {
    return this.#part.await("gatherAsync", this.#gather(root), options);
  }

  /** Moves values so that the parts of any two PEs differ by one at most; as few move as it takes. Collective. */
  rebalance(options?: CallOptions): void {
    this.#part.block("rebalance", this.#balance(), options);
  }

  /** As {@link rebalance}, without blocking. */
  rebalanceAsync(options?: CallOptions): Promise<void> {
    return this.#part.await("rebalanceAsync", this.#balance(), options);
  }

  *#gather(root: number): Task<V[] | undefined> {
    const part = this.#part;
    part.checkRank(`${part.name}.gather`, root);
    yield* part.agree("gather", root);
    const own = Array.from({ length: this.#count }, (_, i) => this.#column.get(i));
    return (yield* part.gather(own, root))?.flat(1) as V[] | undefined;
  }

  *#balance(): Task<void> {
    const part = this.#part;
    yield* part.agree("rebalance");
    const counts = (yield* part.allgather([this.#count])).map(([count]) => count as number);
    const parts = movesOf(counts)[part.rank] as readonly number[];
    const leaving = parts.map((count) =>
      Array.from({ length: count }, () => {
        const value = this.#column.get(--this.#count);
        this.#column.erase(this.#count);
        return value;
      }),
    );
    for (const values of yield* part.exchange(leaving)) for (const value of values) this.#add(value);
  }
}

/** How many values go from PE i to PE j. */
export function movesOf(counts: readonly number[]): number[][] {
  const { length } = counts;
  const all = counts.reduce((a, b) => a + b, 0);
  const least = Math.floor(all / length);
  // those with the most values keep one more
  const order = [...counts.keys()].sort((a, b) => (counts[b] as number) - (counts[a] as number) || a - b);
  const over = new Array<number>(length);
  for (const [i, rank] of order.entries()) {
    over[rank] = (counts[rank] as number) - least - Number(i < all - least * length);
  }
  const moves = counts.map(() => new Array<number>(length).fill(0));
  let to = 0;
  for (const [from, row] of moves.entries()) {
    while ((over[from] as number) > 0) {
      while ((over[to] as number) >= 0) to++;
      const count = Math.min(over[from] as number, -(over[to] as number));
      row[to] = count;
      over[from] -= count;
      over[to] += count;
    }
  }
  return moves;
}

/**
 * A bag: values that may lie at any PE, such as work, or results that nobody looks up. A value stays where it was
 * inserted.
 *
 *     using data = containers(pe, { found: bag(struct({ from: u32, to: u32 })) });
 *
 * @throws UsageError
 */
export function bag<const C extends Content>(
  values: C,
): Kind<DistributedBag<ContentOf<C>>, BagOperations<ContentOf<C>, Promise<void> | undefined>> {
  checkContent("bag: value", values);
  return kindOf(`bag(${describeContent(values)})`, (part) => makeBag(part, values));
}
