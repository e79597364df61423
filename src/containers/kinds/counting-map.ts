/** Counting maps: how often each key has come. */

import { UsageError } from "../../base/errors.ts";
import { shortText } from "../../base/short-text.ts";
import type { CallOptions } from "../../collectives/calls/call.ts";
import { f64 } from "../../item/types.ts";
import { allgathered, type Steps, sum } from "../collective.ts";
import { KEPT, NOT_COMBINED, PlaceCombining } from "../combining/places.ts";
import { TextCombining } from "../combining/texts.ts";
import type { ContainerSeat, Kind } from "../container.ts";
import type { Cursor, Scratch } from "../content/cursor.ts";
import { ownerOf } from "../content/hash.ts";
import { writeTextKey } from "../content/keys.ts";
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

/** Words of a key that is combined, at most: 48 bytes with what is before them. */
const MOST_WORDS = 15;
/** Places for keys that are not text: more of them would not be in a cache. */
const MOST_PLACES = 2 ** 14;

/**
 * A counting map over all PEs, as seen by one of them. Its operation is for sources and visitors. Counts are exact up to 2^53. Those of a
 * source are combined before they are sent (option `combine`), so that a key that comes often is sent now and then.
 */
export class CountingMap<K> extends MapLike<K, number> implements CountingOperations<K, void> {
  readonly #insert: string;
  readonly #most: number;
  readonly #textOf: ((what: string, key: unknown) => string) | null;
  /** They are made when they are needed first. */
  #texts: TextCombining | null = null;
  #places: PlaceCombining | null = null;

  /** @internal */
  constructor(seat: ContainerSeat, keys: Content) {
    super(seat, keys, f64);
    this.#insert = `${seat.name}.insert`;
    this.#most = seat.settings.combine;
    this.#textOf = this.#most === 0 ? null : this.index.textOf;
  }

  insert(key: K, count = 1): undefined {
    if (!(Number.isSafeInteger(count) && count >= 1)) refuseCount(this.#insert, count);
    if (this.#textOf === null || !this.session.isCombining) return this.#insertKey(key, count) as undefined;
    this.#texts ??= new TextCombining(this.#most);
    const text = this.#textOf(this.#insert, key);
    const became = this.#texts.add(text, count);
    if (became === KEPT) return this.session.keep() as undefined;
    if (became === NOT_COMBINED) return this.#countText(text, count) as undefined;
    return this.#countText(this.#texts.text, this.#texts.count) as undefined;
  }

  #insertKey(key: K, count: number): Sent {
    const call = this.#insert;
    const scratch = this.begin(ADD);
    const hash = this.index.write(scratch, call, key);
    const owner = ownerOf(hash, this.group.size);
    const { session } = this;
    const isOwn = owner === session.rank;
    if (isOwn || this.#most === 0 || this.#textOf !== null || !session.isCombining)
      return this.#count(scratch, owner, count);
    this.#places ??= new PlaceCombining(
      Math.min(this.#most, MOST_PLACES),
      Math.min(this.index.mostWords, MOST_WORDS),
    );
    const out = this.#places.add(scratch, hash, count);
    if (out === KEPT) return session.keep();
    if (out === NOT_COMBINED) return this.#count(scratch, owner, count);
    return this.#count(scratch, ownerOf(out, this.group.size), this.#places.count);
  }

  #countText(text: string, count: number): Sent {
    const scratch = this.begin(ADD);
    const hash = writeTextKey(scratch, text);
    return this.#count(scratch, ownerOf(hash, this.group.size), count);
  }

  /** Counts the key in the scratch: here, or at its owner. */
  #count(scratch: Scratch, owner: number, count: number): Sent {
    const { session } = this;
    if (owner === session.rank && session.isSending) {
      scratch.at = BEHIND_HEAD;
      this.#add(this.index.obtain(scratch), count);
      return session.keep();
    }
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

  #add(entry: number, count: number): void {
    const { table } = this.index;
    table.set(entry, table.get(entry) + count);
  }

  /** @internal */
  handle(operation: number, from: Cursor): void {
    const entry = this.index.obtain(from);
    this.#add(entry, operation === ADD_ONE ? 1 : (from.views.f64[from.align(8) >>> 3] as number));
  }

  /** @internal */
  override *flushing(): Iterable<Sent> {
    const texts = this.#texts;
    while (texts?.takeOut()) yield this.#countText(texts.text, texts.count);
    const places = this.#places;
    if (places === null) return;
    for (;;) {
      const scratch = this.begin(ADD);
      const hash = places.takeOut(scratch);
      if (hash === KEPT) return;
      yield this.#count(scratch, ownerOf(hash, this.group.size), places.count);
    }
  }

  /** @internal */
  override clearLocal(): void {
    super.clearLocal();
    this.#texts = null;
    this.#places = null;
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
    return this.block("topK", this.#topSteps("topK", k), options, k);
  }

  /** As {@link topK}, without blocking. */
  topKAsync(k: number, options?: CallOptions): Promise<Counted<K>[]> {
    return this.await("topKAsync", this.#topSteps("topKAsync", k), options, k);
  }

  #totalSteps(): Steps<number> {
    const { table } = this.index;
    let total = 0;
    for (let entry = table.next(NONE); entry !== NONE; entry = table.next(entry)) total += table.get(entry);
    return sum(total);
  }

  *#topSteps(call: string, k: number): Steps<Counted<K>[]> {
    checkMost(`${this.name}.${call}`, k);
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
