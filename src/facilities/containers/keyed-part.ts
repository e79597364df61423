/** The part behind the faces of the kinds with keys: a table of entries at the owner of their keys. */
import { OverflowError, UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { countText } from "../../ground/base/units.ts";
import type { Task } from "../../ground/wait/task.ts";
import { checkIterable } from "./check-iterable.ts";
import { Cursor, Scratch } from "./content/cursor.ts";
import { ownerOf } from "./content/hash.ts";
import type { LookupIndex } from "./content/index-of.ts";
import type { ContainerPart } from "./part.ts";
import { LOOK_FOR_ENTRY, type Sent } from "./session/receiver.ts";

/** Standard deviations of the number of entries at a PE that there is room for. */
const SPREAD = 4;

/** The entries of a PE, as they are sent: keys and values side by side. */
interface Entries<K, V> {
  readonly keys: readonly K[];
  readonly values: readonly V[];
}

/** @typeParam K of keys @typeParam V of values */
export class KeyedPart<K, V> {
  readonly index: LookupIndex<K, V>;
  readonly #part: ContainerPart;
  /** Keys that are looked for here. */
  readonly #scratch = new Scratch();

  constructor(part: ContainerPart, index: LookupIndex<K, V>) {
    this.#part = part;
    this.index = index;
  }

  /** As {@link Receiver.look}. @param readsValue whether the operation reads the value of its entry */
  look(readsValue: boolean, from: Cursor, round: number): number {
    if (round === LOOK_FOR_ENTRY) return this.index.look(from);
    return readsValue ? this.index.lookAtValue(from) : 0;
  }

  /** As {@link KeyedContainer.reserve}. */
  reserve(entries: number): void {
    if (!(typeof entries === "number" && entries >= 0)) {
      throw new UsageError(`${this.#part.name}.reserve: expected a number >= 0, got ${shortText(entries)}`);
    }
    const { size } = this.#part;
    const mean = entries / size;
    try {
      // shares differ, as a hash decides where a key is
      this.index.table.reserve(Math.ceil(mean + SPREAD * Math.sqrt(mean * (1 - 1 / size))));
    } catch (cause) {
      if (!(cause instanceof OverflowError || cause instanceof RangeError)) throw cause;
      throw new OverflowError(
        `${this.#part.name}.reserve: expected entries for which a PE has room, got ${entries} of ${countText(size, "PE")}: ${cause.message}`,
        { cause },
      );
    }
  }

  clear(): void {
    this.index.table.clear(true);
    this.#scratch.shrink();
  }

  /** The rank of the owner of a key. */
  owner(call: string, key: K): number {
    return ownerOf(this.#written(call, key), this.#part.size);
  }

  /** The entry of a key at this PE, or NONE. */
  localEntry(call: string, key: K): number {
    this.#written(call, key);
    return this.index.find(new Cursor(this.#scratch.views));
  }

  /** Writes a key into the scratch. @returns its hash */
  #written(call: string, key: K): number {
    this.#scratch.shrink();
    this.#scratch.at = 0;
    return this.index.write(this.#scratch, `${this.#part.name}.${call}`, key);
  }

  /** Sends an operation of a key without arguments. */
  sendKey(operation: number, call: string, key: K): Sent {
    const scratch = this.#part.begin(operation);
    const hash = this.index.write(scratch, call, key);
    return this.#part.send(ownerOf(hash, this.#part.size), call);
  }

  /** Asks the owners of keys. */
  *ask<T>(call: string, keys: Iterable<K>, answer: (entry: number) => T): Task<T[]> {
    const part = this.#part;
    checkIterable(`${part.name}.${call}`, "keys", keys);
    const wanted: K[][] = Array.from({ length: part.size }, () => []);
    const places: number[][] = Array.from({ length: part.size }, () => []);
    let count = 0;
    for (const key of keys) {
      const owner = this.owner(call, key);
      (wanted[owner] as K[]).push(key);
      (places[owner] as number[]).push(count++);
    }
    yield* part.agree(call);
    const asked = yield* part.exchange(wanted);
    const found = asked.map((list) => list.map((key) => answer(this.localEntry(call, key))));
    const replies = yield* part.exchange(found);
    const values: T[] = new Array(count);
    for (const [owner, list] of replies.entries()) {
      for (const [i, value] of list.entries()) values[places[owner]?.[i] as number] = value;
    }
    return values;
  }

  get #entries(): Entries<K, V> {
    const keys: K[] = [];
    const values: V[] = [];
    this.index.table.forEach((key, value) => {
      keys.push(key);
      values.push(value);
    });
    return { keys, values };
  }

  *gather<T>(root: number, collect: (entries: Iterable<[K, V]>) => T): Task<T | undefined> {
    const part = this.#part;
    part.checkRank(`${part.name}.gather`, root);
    yield* part.agree("gather", root);
    const all = yield* part.gather(this.#entries, root);
    return all && collect(entriesOf(all));
  }

  *allgather<T>(collect: (entries: Iterable<[K, V]>) => T): Task<T> {
    yield* this.#part.agree("allgather");
    return collect(entriesOf(yield* this.#part.allgather(this.#entries)));
  }
}

function* entriesOf<K, V>(all: readonly Entries<K, V>[]): Generator<[K, V]> {
  for (const { keys, values } of all) {
    for (const [i, key] of keys.entries()) yield [key, values[i] as V];
  }
}
