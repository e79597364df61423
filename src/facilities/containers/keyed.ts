/** What the kinds with keys have in common: a table of entries at the owner of their keys. */

import type { CallOptions } from "../../collectives/calls/call.ts";
import { checkIterable } from "./check-iterable.ts";
import { allgathered, exchanged, gathered, type Steps } from "./collective.ts";
import { Container, type ContainerSeat } from "./container.ts";
import { Cursor, Scratch } from "./content/cursor.ts";
import { ownerOf } from "./content/hash.ts";
import type { LookupIndex } from "./content/index-of.ts";
import { LOOK_FOR_ENTRY, type Sent } from "./session/receiver.ts";
import { NONE } from "./tables/table.ts";

/** The entries of a PE, as they are sent: keys and values side by side. */
interface Part<K, V> {
  readonly keys: readonly K[];
  readonly values: readonly V[];
}

/** A container whose entries are at the owners of their keys, as seen by one PE. @typeParam K of keys @typeParam V of values */
export abstract class KeyedContainer<K, V> extends Container {
  /** @internal */
  protected readonly index: LookupIndex<K, V>;
  /** Keys that are looked for here. */
  readonly #scratch = new Scratch();

  /** @internal */
  constructor(seat: ContainerSeat, index: LookupIndex<K, V>) {
    super(seat);
    this.index = index;
  }

  get localSize(): number {
    return this.index.table.size;
  }

  /** Bytes of memory that this PE's entries take, as far as they are known: of values that are JavaScript objects a pointer each. */
  get localBytes(): number {
    return this.index.table.bytes;
  }

  /** The rank of the PE that has the entry of a key, or would have it. @throws UsageError for what is no key of this container */
  owner(key: K): number {
    return ownerOf(this.#written("owner", key), this.group.size);
  }

  /**
   * Whether this PE has an entry of the key: no communication.
   * @throws UsageError for what is no key of this container
   */
  hasLocal(key: K): boolean {
    return this.localEntry("hasLocal", key) !== NONE;
  }

  /**
   * Calls a function for each entry of this PE: no communication. In a source it may send; entries that come meanwhile
   * are left out, unless one has the place of an entry that was removed meanwhile.
   */
  forAll(visit: (key: K, value: V) => unknown): void {
    this.index.table.forEach(visit);
  }

  /** @internal */
  override look(operation: number, from: Cursor, round: number): number {
    if (round === LOOK_FOR_ENTRY) return this.index.look(from);
    return this.readsValue(operation) ? this.index.lookAtValue(from) : 0;
  }

  /** @internal whether an operation reads the value of its entry */
  protected readsValue(_operation: number): boolean {
    return true;
  }

  /** @internal */
  clearLocal(): void {
    this.index.table.clear(true);
    this.#scratch.shrink();
  }

  /** @internal the entry of a key at this PE, or NONE */
  protected localEntry(call: string, key: K): number {
    this.#written(call, key);
    return this.index.find(new Cursor(this.#scratch.views));
  }

  /** Writes a key into the scratch. @returns its hash */
  #written(call: string, key: K): number {
    this.#scratch.shrink();
    this.#scratch.at = 0;
    return this.index.write(this.#scratch, `${this.name}.${call}`, key);
  }

  /** @internal sends an operation of a key without arguments */
  protected sendKey(operation: number, call: string, key: K): Sent {
    const scratch = this.begin(operation);
    const hash = this.index.write(scratch, call, key);
    return this.send(ownerOf(hash, this.group.size), call);
  }

  /** @internal asks the owners of keys */
  protected *askSteps<T>(call: string, keys: Iterable<K>, answer: (entry: number) => T): Steps<T[]> {
    checkIterable(`${this.name}.${call}`, "keys", keys);
    const { size } = this.group;
    const wanted: K[][] = Array.from({ length: size }, () => []);
    const places: number[][] = Array.from({ length: size }, () => []);
    let count = 0;
    for (const key of keys) {
      const owner = ownerOf(this.#written(call, key), size);
      (wanted[owner] as K[]).push(key);
      (places[owner] as number[]).push(count++);
    }
    const asked = yield* exchanged(wanted);
    const found = asked.map((list) => list.map((key) => answer(this.localEntry(call, key))));
    const replies = yield* exchanged(found);
    const values: T[] = new Array(count);
    for (const [owner, list] of replies.entries()) {
      for (const [i, value] of list.entries()) values[places[owner]?.[i] as number] = value;
    }
    return values;
  }

  /** @internal */
  protected getSteps(call: string, keys: Iterable<K>): Steps<(V | undefined)[]> {
    const { table } = this.index;
    return this.askSteps(call, keys, (entry) => (entry === NONE ? undefined : table.get(entry)));
  }

  /** @internal */
  protected hasSteps(call: string, keys: Iterable<K>): Steps<boolean[]> {
    return this.askSteps(call, keys, (entry) => entry !== NONE);
  }

  /**
   * Whether keys have an entry, wherever it is, in the order of the keys. Collective: each PE gives keys of its own, perhaps none.
   * @throws UsageError for what is no key of this container
   */
  hasAll(keys: Iterable<K>, options?: CallOptions): boolean[] {
    return this.block("hasAll", this.hasSteps("hasAll", keys), options);
  }

  /** As {@link hasAll}, without blocking. */
  hasAllAsync(keys: Iterable<K>, options?: CallOptions): Promise<boolean[]> {
    return this.await("hasAllAsync", this.hasSteps("hasAllAsync", keys), options);
  }

  #part(): Part<K, V> {
    const keys: K[] = [];
    const values: V[] = [];
    this.forAll((key, value) => {
      keys.push(key);
      values.push(value);
    });
    return { keys, values };
  }

  /** @internal */
  protected *gatherSteps<T>(root: number, collect: (entries: Iterable<[K, V]>) => T): Steps<T | undefined> {
    this.checkRank(`${this.name}.gather`, root);
    const parts = yield* gathered(this.#part(), root);
    return parts && collect(entriesOf(parts));
  }

  /** @internal */
  protected *allgatherSteps<T>(collect: (entries: Iterable<[K, V]>) => T): Steps<T> {
    return collect(entriesOf(yield* allgathered(this.#part())));
  }
}

function* entriesOf<K, V>(parts: readonly Part<K, V>[]): Generator<[K, V]> {
  for (const { keys, values } of parts) {
    for (const [i, key] of keys.entries()) yield [key, values[i] as V];
  }
}

/** A container whose entries are collected in a Map. */
export abstract class MapLike<K, V> extends KeyedContainer<K, V> {
  /**
   * The value of a key, if this PE has its entry: no communication.
   * @throws UsageError for what is no key of this container
   */
  getLocal(key: K): V | undefined {
    const entry = this.localEntry("getLocal", key);
    return entry === NONE ? undefined : this.index.table.get(entry);
  }

  /**
   * The values of keys, wherever they are, in the order of the keys; undefined where there is none. Collective: each PE gives keys of
   * its own, perhaps none.
   * @throws UsageError for what is no key of this container
   */
  getAll(keys: Iterable<K>, options?: CallOptions): (V | undefined)[] {
    return this.block("getAll", this.getSteps("getAll", keys), options);
  }

  /** As {@link getAll}, without blocking. */
  getAllAsync(keys: Iterable<K>, options?: CallOptions): Promise<(V | undefined)[]> {
    return this.await("getAllAsync", this.getSteps("getAllAsync", keys), options);
  }

  /** All entries as a Map at the root; undefined elsewhere. Collective. */
  gather(root = 0, options?: CallOptions): Map<K, V> | undefined {
    return this.block("gather", this.gatherSteps(root, toMap), options, root);
  }

  /** As {@link gather}, without blocking. */
  gatherAsync(root = 0, options?: CallOptions): Promise<Map<K, V> | undefined> {
    return this.await("gatherAsync", this.gatherSteps(root, toMap), options, root);
  }

  /** All entries as a Map at every PE. Collective. */
  allgather(options?: CallOptions): Map<K, V> {
    return this.block("allgather", this.allgatherSteps(toMap), options);
  }

  /** As {@link allgather}, without blocking. */
  allgatherAsync(options?: CallOptions): Promise<Map<K, V>> {
    return this.await("allgatherAsync", this.allgatherSteps(toMap), options);
  }
}

const toMap = <K, V>(entries: Iterable<[K, V]>): Map<K, V> => new Map(entries);
