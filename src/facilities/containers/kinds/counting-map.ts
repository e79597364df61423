/** Counting maps: how often each key has come. */

import type { CallOptions } from "../../../collectives/calls/call.ts";
import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { Task } from "../../../ground/wait/task.ts";
import { KeyBatches } from "../combining/batches.ts";
import { KEPT, NOT_COMBINED, PlaceCombining } from "../combining/places.ts";
import { EXCHANGED, TextCombining } from "../combining/texts.ts";
import { WholeCombining } from "../combining/wholes.ts";
import { type Kind, kindOf } from "../container.ts";
import { type Content, type ContentOf, checkContent, describeContent } from "../content/content.ts";
import { type CountContent, countsOf, type WholeCounts } from "../content/counts.ts";
import type { Cursor, Scratch } from "../content/cursor.ts";
import { mixInteger, ownerOf } from "../content/hash.ts";
import { writeTextKey } from "../content/keys.ts";
import { MapLike, setKeyed } from "../keyed.ts";
import { KeyedPart } from "../keyed-part.ts";
import type { ContainerPart } from "../part.ts";
import type { Sent } from "../session/receiver.ts";
import type { OperationSession } from "../session/session.ts";
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
/** Adds one to each of many keys: their number, u32, and they. */
const ADD_ONES = 2;

/** Words of a key that is combined, at most: 48 bytes with what is before them. */
const MOST_WORDS = 15;
/** Places for keys that are not text: more of them would not be in a cache. */
const MOST_PLACES = 2 ** 14;
/** Where the key of an operation begins, and the first key of many: bytes. */
const BEHIND_HEAD = 4;
const BEHIND_LENGTH = 8;

/** The amounts that the source of a counting map of whole numbers keeps back. */
interface Kept {
  readonly combining: WholeCombining;
  readonly batches: KeyBatches;
}

let makeCountingMap: <K>(part: ContainerPart, keys: Content) => CountingMap<K>;

/**
 * A counting map over all PEs, as seen by one of them. Its operation is for sources and visitors. Counts are exact up
 * to 2^53. Those of a source are combined before they are sent (option `combine`), so that a key that comes often is
 * sent now and then.
 */
export class CountingMap<K> extends MapLike<K, number> implements CountingOperations<K, void> {
  readonly #part: ContainerPart;
  readonly #session: OperationSession;
  readonly #counts: CountContent<K>;
  readonly #index: CountContent<K>["index"];
  readonly #insert: string;
  readonly #most: number;
  readonly #textOf: ((what: string, key: unknown) => string) | null;
  /** Those of whole numbers, if they may be kept back. */
  readonly #wholes: WholeCounts | null;
  /** They are made when they are needed first. */
  #texts: TextCombining | null = null;
  #places: PlaceCombining | null = null;
  #kept: Kept | null = null;

  static {
    makeCountingMap = (part, keys) => new CountingMap(part, keys);
  }

  private constructor(part: ContainerPart, keys: Content) {
    super();
    const counts = countsOf<K>(keys);
    const { index } = counts;
    const keyed = new KeyedPart(part, index);
    setKeyed(this, part, keyed);
    this.#part = part;
    this.#session = part.session;
    this.#counts = counts;
    this.#index = index;
    this.#insert = `${part.name}.insert`;
    this.#most = part.combine;
    this.#textOf = this.#most === 0 ? null : index.textOf;
    this.#wholes = this.#most === 0 ? null : counts.wholes;
    part.receiveBy({
      handle: (operation, from) => this.#handle(operation, from),
      look: (operation, from, round) => (operation === ADD_ONES ? 0 : keyed.look(true, from, round)),
      flushing: () => this.#flushing(),
      bytes: () => this.localBytes,
      clear: () => {
        keyed.clear();
        this.#texts = null;
        this.#places = null;
        this.#kept = null;
      },
    });
  }

  insert(key: K, count = 1): undefined {
    if (!(Number.isSafeInteger(count) && count >= 1)) refuseCount(this.#insert, count);
    if (!this.#session.isCombining) return this.#insertKey(key, count) as undefined;
    if (this.#wholes !== null) return this.#insertWhole(this.#wholes, key, count) as undefined;
    return (this.#textOf === null ? this.#insertKey(key, count) : this.#insertText(key, count)) as undefined;
  }

  #insertWhole({ range }: WholeCounts, given: K, count: number): Sent {
    const key = range.check(this.#insert, given) >>> 0;
    const hash = mixInteger(key);
    const owner = ownerOf(hash, this.#part.size);
    const { combining, batches } = this.#kept ?? this.#keep();
    if (owner !== this.#session.rank) {
      const became = combining.add(key, hash, count);
      if (became === KEPT) return this.#session.keep();
      if (became === EXCHANGED) return this.#countWhole(combining.key, combining.count);
    }
    if (count > 1) return this.#countWhole(key, count);
    return batches.add(owner, key) ? this.#countBatch(batches, owner) : undefined;
  }

  #keep(): Kept {
    const fitting = Math.floor((this.#session.bufferBytes - BEHIND_LENGTH) / 4);
    this.#kept = {
      combining: new WholeCombining(Math.min(this.#most, MOST_PLACES)),
      batches: new KeyBatches(this.#part.size, fitting),
    };
    return this.#kept;
  }

  /** @param key as 32 bits without a sign */
  #countWhole(key: number, count: number): Sent {
    const owner = ownerOf(mixInteger(key), this.#part.size);
    const batches = this.#kept?.batches;
    if (count === 1 && batches !== undefined) {
      return batches.add(owner, key) ? this.#countBatch(batches, owner) : undefined;
    }
    const scratch = this.#part.begin(ADD);
    scratch.views.u32[BEHIND_HEAD / 4] = key;
    scratch.at = BEHIND_HEAD + 4;
    return this.#count(scratch, owner, count);
  }

  #countBatch(batches: KeyBatches, owner: number): Sent {
    const session = this.#session;
    const start = batches.startOf(owner);
    const length = batches.take(owner);
    if (length === 0) return undefined;
    if (owner === session.rank) {
      this.#counts.wholes?.table.addOnes(batches.keys, start, length);
      return session.keep(length);
    }
    const scratch = this.#part.begin(ADD_ONES);
    const { u32 } = scratch.views;
    u32[BEHIND_HEAD / 4] = length;
    u32.set(batches.keys.subarray(start, start + length), BEHIND_LENGTH / 4);
    scratch.at = BEHIND_LENGTH + 4 * length;
    return this.#part.send(owner, this.#insert);
  }

  #insertText(key: K, count: number): Sent {
    this.#texts ??= new TextCombining(this.#most);
    const text = (this.#textOf as (what: string, key: unknown) => string)(this.#insert, key);
    const became = this.#texts.add(text, count);
    if (became === KEPT) return this.#session.keep();
    if (became === NOT_COMBINED) return this.#countText(text, count);
    return this.#countText(this.#texts.text, this.#texts.count);
  }

  #insertKey(key: K, count: number): Sent {
    const call = this.#insert;
    const scratch = this.#part.begin(ADD);
    const hash = this.#index.write(scratch, call, key);
    const owner = ownerOf(hash, this.#part.size);
    const session = this.#session;
    const isOwn = owner === session.rank;
    if (isOwn || this.#most === 0 || this.#textOf !== null || !session.isCombining)
      return this.#count(scratch, owner, count);
    this.#places ??= new PlaceCombining(Math.min(this.#most, MOST_PLACES), Math.min(this.#index.mostWords, MOST_WORDS));
    const out = this.#places.add(scratch, hash, count);
    if (out === KEPT) return session.keep();
    if (out === NOT_COMBINED) return this.#count(scratch, owner, count);
    return this.#count(scratch, ownerOf(out, this.#part.size), this.#places.count);
  }

  #countText(text: string, count: number): Sent {
    const scratch = this.#part.begin(ADD);
    const hash = writeTextKey(scratch, text);
    return this.#count(scratch, ownerOf(hash, this.#part.size), count);
  }

  /** Counts the key in the scratch: here, or at its owner. */
  #count(scratch: Scratch, owner: number, count: number): Sent {
    const session = this.#session;
    if (count === 1) {
      this.#part.retitle(scratch, ADD_ONE);
    } else {
      scratch.reserve(8);
      const place = scratch.align(8);
      scratch.views.f64[place >>> 3] = count;
      scratch.at = place + 8;
    }
    if (owner !== session.rank || !session.isSending) return this.#part.send(owner, this.#insert);
    scratch.at = BEHIND_HEAD;
    this.#counts.count(scratch, count === 1);
    return session.keep();
  }

  #handle(operation: number, from: Cursor): void {
    if (operation !== ADD_ONES) {
      this.#counts.count(from, operation === ADD_ONE);
      return;
    }
    const { u32 } = from.views;
    const at = from.at >>> 2;
    this.#counts.wholes?.table.addOnes(u32, at + 1, u32[at] as number);
  }

  *#flushing(): Iterable<Sent> {
    const texts = this.#texts;
    while (texts?.takeOut()) yield this.#countText(texts.text, texts.count);
    const kept = this.#kept;
    if (kept !== null) {
      const { combining, batches } = kept;
      while (combining.takeOut()) yield this.#countWhole(combining.key, combining.count);
      for (let owner = 0; owner < this.#part.size; owner++) yield this.#countBatch(batches, owner);
    }
    const places = this.#places;
    if (places === null) return;
    for (;;) {
      const scratch = this.#part.begin(ADD);
      const hash = places.takeOut(scratch);
      if (hash === KEPT) return;
      yield this.#count(scratch, ownerOf(hash, this.#part.size), places.count);
    }
  }

  /** The sum of all counts at all PEs. Collective. */
  total(options?: CallOptions): number {
    return this.#part.block("total", this.#total(), options);
  }

  /** As {@link total}, without blocking. */
  totalAsync(options?: CallOptions): Promise<number> {
    return this.#part.await("totalAsync", this.#total(), options);
  }

  /**
   * The keys with the largest counts, at every PE: the largest count first, of equal counts the smaller key (numbers by
   * value, strings by code units), so that the result does not depend on the number of PEs. Collective.
   * @param k how many, the same at all PEs; fewer if there are not so many keys
   * @throws UsageError unless k is a whole number >= 0
   */
  topK(k: number, options?: CallOptions): Counted<K>[] {
    return this.#part.block("topK", this.#top("topK", k), options);
  }

  /** As {@link topK}, without blocking. */
  topKAsync(k: number, options?: CallOptions): Promise<Counted<K>[]> {
    return this.#part.await("topKAsync", this.#top("topKAsync", k), options);
  }

  *#total(): Task<number> {
    let total = 0;
    this.forAll((_, count) => {
      total += count;
    });
    yield* this.#part.agree("total");
    return yield* this.#part.sum(total);
  }

  *#top(call: string, k: number): Task<Counted<K>[]> {
    checkMost(`${this.#part.name}.${call}`, k);
    const own = new Top<K>(k);
    this.forAll((key, count) => {
      if (own.wants(count)) own.offer(key, count);
    });
    yield* this.#part.agree(call, k);
    const all = new Top<K>(k);
    for (const list of yield* this.#part.allgather(own.list())) {
      for (const [key, count] of list) all.offer(key, count);
    }
    return all.list();
  }
}

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
  return kindOf(`countingMap(${describeContent(keys)})`, (part) => makeCountingMap(part, keys));
}
