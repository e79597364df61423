/** Counting maps: how often each key has come. */

import { UsageError } from "../../base/errors.ts";
import { shortText } from "../../base/short-text.ts";
import type { CallOptions } from "../../collectives/calls/call.ts";
import { f64 } from "../../item/types.ts";
import { allgathered, type Steps, sum } from "../collective.ts";
import { Combining, KEPT, NOT_COMBINED } from "../combining.ts";
import type { ContainerSeat, Kind } from "../container.ts";
import type { Cursor, Scratch } from "../content/cursor.ts";
import { ownerOf } from "../content/hash.ts";
import { type Content, type ContentOf, checkContent, describeContent } from "../content/types.ts";
import { MapLike } from "../keyed.ts";
import type { Sent } from "../session/receiver.ts";
import { NONE } from "../tables/types.ts";
import { type Counted, Top } from "../top.ts";

/** The operations of a counting map. @typeParam Result as of {@link MapOperations} */
export interface CountingOperations<K, Result> {
  /** Adds to the count of a key. @param count a whole number >= 1. @default 1 */
  insert(key: K, count?: number): Result;
}

/** Adds a count, an f64. */
const ADD = 0;
/** Adds one. */
const ADD_ONE = 1;

/**
 * A counting map over all PEs, as seen by one of them. Its operation is for sources and visitors. Counts are exact up to 2^53. Those of a
 * source are combined before they are sent (option `combine`), so that a key that comes often is sent now and then.
 */
export class CountingMap<K> extends MapLike<K, number> implements CountingOperations<K, void> {
  readonly #insert: string;
  readonly #places: number;
  /** It is made when it is needed first. */
  #combining: Combining | null = null;

  /** @internal */
  constructor(seat: ContainerSeat, keys: Content) {
    super(seat, keys, f64);
    this.#insert = `${seat.name}.insert`;
    this.#places = seat.settings.combine;
  }

  insert(key: K, count = 1): undefined {
    const call = this.#insert;
    if (!(Number.isSafeInteger(count) && count >= 1)) refuseCount(call, count);
    const scratch = this.begin(ADD);
    const hash = this.index.write(scratch, call, key);
    const owner = ownerOf(hash, this.group.size);
    const { session } = this;
    if (owner === session.rank && session.isSending) {
      scratch.at = BEHIND_HEAD;
      this.#add(scratch, count);
      return undefined;
    }
    if (this.#places === 0 || !session.isCombining)
      return this.#sendCount(scratch, owner, count) as undefined;
    this.#combining ??= new Combining(this.#places);
    const out = this.#combining.add(scratch, hash, count);
    if (out === KEPT) return undefined;
    if (out === NOT_COMBINED) return this.#sendCount(scratch, owner, count) as undefined;
    return this.#sendCount(scratch, ownerOf(out, this.group.size), this.#combining.count) as undefined;
  }

  #sendCount(scratch: Scratch, owner: number, count: number): Sent {
    if (count === 1) {
      this.retitle(scratch, ADD_ONE);
    } else {
      scratch.reserve(8);
      const place = scratch.align(8);
      scratch.views.f64[place >>> 3] = count;
      scratch.at = place + 8;
    }
    return this.send(owner, this.#insert);
  }

  #add(from: Cursor, count: number): void {
    const { table } = this.index;
    const entry = this.index.obtain(from);
    table.set(entry, table.get(entry) + count);
  }

  /** @internal */
  handle(operation: number, from: Cursor): void {
    const { table } = this.index;
    const entry = this.index.obtain(from);
    const count = operation === ADD_ONE ? 1 : (from.views.f64[from.align(8) >>> 3] as number);
    table.set(entry, table.get(entry) + count);
  }

  /** @internal */
  override *flushing(): Iterable<Sent> {
    const combining = this.#combining;
    if (combining === null) return;
    for (;;) {
      const scratch = this.begin(ADD);
      const hash = combining.takeOut(scratch);
      if (hash === KEPT) return;
      yield this.#sendCount(scratch, ownerOf(hash, this.group.size), combining.count);
    }
  }

  /** The sum of all counts at all PEs. Collective. */
  total(options?: CallOptions): number {
    return this.block("total", this.#totalSteps(), options);
  }

  /** As {@link total}, without blocking. */
  totalAsync(options?: CallOptions): Promise<number> {
    return this.await("totalAsync", this.#totalSteps(), options);
  }

  /**
   * The keys with the largest counts, at every PE: the largest count first, of equal counts the smaller key (numbers by value, strings by
   * code units), so that the result does not depend on the number of PEs. Collective.
   * @param k how many, the same at all PEs; fewer if there are not so many keys
   * @throws UsageError unless k is a whole number >= 0
   */
  topK(k: number, options?: CallOptions): Counted<K>[] {
    checkMost("topK", k);
    return this.block("topK", this.#topSteps(k), options);
  }

  /** As {@link topK}, without blocking. */
  async topKAsync(k: number, options?: CallOptions): Promise<Counted<K>[]> {
    checkMost("topKAsync", k);
    return this.await("topKAsync", this.#topSteps(k), options);
  }

  #totalSteps(): Steps<number> {
    const { table } = this.index;
    let total = 0;
    for (let entry = table.next(NONE); entry !== NONE; entry = table.next(entry)) total += table.get(entry);
    return sum(total);
  }

  *#topSteps(k: number): Steps<Counted<K>[]> {
    const { table } = this.index;
    const own = new Top<K>(k);
    for (let entry = table.next(NONE); entry !== NONE; entry = table.next(entry)) {
      const count = table.get(entry);
      if (own.wants(count)) own.offer(table.keyAt(entry), count);
    }
    const all = new Top<K>(k);
    for (const list of yield* allgathered(own.list())) {
      for (const [key, count] of list) all.offer(key, count);
    }
    return all.list();
  }
}

/** Where the key of an operation begins. */
const BEHIND_HEAD = 4;

function refuseCount(call: string, count: unknown): never {
  throw new UsageError(`${call}: expected a whole number >= 1 as the count, got ${shortText(count)}`);
}

function checkMost(call: string, k: unknown): void {
  if (Number.isSafeInteger(k) && (k as number) >= 0) return;
  throw new UsageError(`${call}: expected a whole number >= 0, got ${shortText(k)}`);
}

/** A counting map: how often each key has come, exact up to 2^53. @throws UsageError */
export function countingMap<const K extends Content>(
  keys: K,
): Kind<CountingMap<ContentOf<K>>, CountingOperations<ContentOf<K>, Promise<void> | undefined>> {
  checkContent("countingMap: key", keys);
  return { terms: `countingMap(${describeContent(keys)})`, make: (seat) => new CountingMap(seat, keys) };
}
