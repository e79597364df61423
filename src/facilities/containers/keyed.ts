/** The common face of the kinds with keys. */

import type { CallOptions } from "../../collectives/calls/call.ts";
import type { Task } from "../../ground/wait/task.ts";
import { Container, partOf, setPart } from "./container.ts";
import type { KeyedPart } from "./keyed-part.ts";
import type { ContainerPart } from "./part.ts";
import { NONE } from "./tables/table.ts";

/** Gives a container its parts. */
export let setKeyed: <K, V>(container: KeyedContainer<K, V>, part: ContainerPart, keyed: KeyedPart<K, V>) => void;
let keyedOf: <K, V>(container: KeyedContainer<K, V>) => KeyedPart<K, V>;

/**
 * A container whose entries are at the owners of their keys, as seen by one PE.
 * @typeParam K of keys
 * @typeParam V of values
 */
export abstract class KeyedContainer<K, V> extends Container {
  #keyed!: KeyedPart<K, V>;

  static {
    setKeyed = (container, part, keyed) => {
      setPart(container, part);
      container.#keyed = keyed;
    };
    keyedOf = (container) => container.#keyed;
  }

  get localSize(): number {
    return this.#keyed.index.table.size;
  }

  /** Bytes of memory that this PE's entries take, as far as known: of JavaScript objects a pointer each. */
  get localBytes(): number {
    return this.#keyed.index.table.bytes;
  }

  /**
   * Makes room for so many entries of all PEs together, which then is not made bit by bit: no communication, at each PE
   * for its share. Fewer than there are change nothing; clear gives the room back.
   * @param entries about how many
   * @throws UsageError unless it is a number >= 0
   * @throws OverflowError beyond 402 653 184 entries at one PE, and where there is no memory for them
   */
  reserve(entries: number): void {
    this.#keyed.reserve(entries);
  }

  /** The rank of the PE that has, or would have, the entry of a key. @throws UsageError for what is no key of this */
  owner(key: K): number {
    return this.#keyed.owner("owner", key);
  }

  /** Whether this PE has an entry of the key: no communication. @throws UsageError for what is no key of this */
  hasLocal(key: K): boolean {
    return this.#keyed.localEntry("hasLocal", key) !== NONE;
  }

  /**
   * Calls a function for each entry of this PE: no communication. In a source it may send; entries that come meanwhile
   * are left out, unless one has the place of an entry that was removed meanwhile.
   */
  forAll(visit: (key: K, value: V) => unknown): void {
    this.#keyed.index.table.forEach(visit);
  }

  #has(call: string, keys: Iterable<K>): Task<boolean[]> {
    return this.#keyed.ask(call, keys, (entry) => entry !== NONE);
  }

  /**
   * Whether keys have an entry, wherever it is, in the order of the keys. Collective: each PE gives keys of its own,
   * perhaps none.
   * @throws UsageError for what is no key of this container
   */
  hasAll(keys: Iterable<K>, options?: CallOptions): boolean[] {
    return partOf(this).block("hasAll", this.#has("hasAll", keys), options);
  }

  /** As {@link hasAll}, without blocking. */
  hasAllAsync(keys: Iterable<K>, options?: CallOptions): Promise<boolean[]> {
    return partOf(this).await("hasAllAsync", this.#has("hasAllAsync", keys), options);
  }
}

/** A container whose entries are collected in a Map. */
export abstract class MapLike<K, V> extends KeyedContainer<K, V> {
  /** The value of a key, if this PE has its entry: no communication. @throws UsageError for what is no key of this */
  getLocal(key: K): V | undefined {
    const keyed = keyedOf(this);
    const entry = keyed.localEntry("getLocal", key);
    return entry === NONE ? undefined : keyed.index.table.get(entry);
  }

  #get(call: string, keys: Iterable<K>): Task<(V | undefined)[]> {
    const keyed = keyedOf(this);
    const { table } = keyed.index;
    return keyed.ask(call, keys, (entry) => (entry === NONE ? undefined : table.get(entry)));
  }

  /**
   * The values of keys, wherever they are, in the order of the keys; undefined where there is none. Collective: each PE
   * gives keys of its own, perhaps none.
   * @throws UsageError for what is no key of this container
   */
  getAll(keys: Iterable<K>, options?: CallOptions): (V | undefined)[] {
    return partOf(this).block("getAll", this.#get("getAll", keys), options);
  }

  /** As {@link getAll}, without blocking. */
  getAllAsync(keys: Iterable<K>, options?: CallOptions): Promise<(V | undefined)[]> {
    return partOf(this).await("getAllAsync", this.#get("getAllAsync", keys), options);
  }

  /** All entries as a Map at the root; undefined elsewhere. Collective. */
  gather(root = 0, options?: CallOptions): Map<K, V> | undefined {
    return partOf(this).block("gather", keyedOf(this).gather(root, toMap), options);
  }

  /** As {@link gather}, without blocking. */
  gatherAsync(root = 0, options?: CallOptions): Promise<Map<K, V> | undefined> {
    return partOf(this).await("gatherAsync", keyedOf(this).gather(root, toMap), options);
  }

  /** All entries as a Map at every PE. Collective. */
  allgather(options?: CallOptions): Map<K, V> {
    return partOf(this).block("allgather", keyedOf(this).allgather(toMap), options);
  }

  /** As {@link allgather}, without blocking. */
  allgatherAsync(options?: CallOptions): Promise<Map<K, V>> {
    return partOf(this).await("allgatherAsync", keyedOf(this).allgather(toMap), options);
  }
}

const toMap = <K, V>(entries: Iterable<[K, V]>): Map<K, V> => new Map(entries);
