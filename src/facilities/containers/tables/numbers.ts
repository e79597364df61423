/**
 * Tables whose keys are numbers.
 *
 * Memory per entry: a slot of 8 bytes, of which at most three of four are in use; the key, 4 bytes for integers of up
 * to 32 bits and 8 for all others; the value. Room for keys and values is made when the slots double: an entry with a
 * value of 8 bytes takes 23 to 45 bytes with integers as keys, 27 to 53 with others; where no entry is removed, pages
 * that no entry has reached are not in memory.
 */
import { Entries } from "./entries.ts";
import { Slots } from "./slots.ts";
import { type Column, eachEntry, NONE, type NumberTable } from "./table.ts";

/** The common part of both; `Keys` is the array of the keys. */
abstract class Numbers<V, Keys extends Int32Array | Uint32Array | Float64Array> implements NumberTable<V> {
  isNew = false;
  protected readonly slots: Slots = new Slots();
  protected keys: Keys;
  readonly #entries = new Entries();
  readonly #values: Column<V>;
  readonly #make: new (
    length: number,
  ) => Keys;

  constructor(values: Column<V>, make: new (length: number) => Keys) {
    this.#values = values;
    this.#make = make;
    this.keys = new make(this.slots.limit);
    values.grow(this.slots.limit);
  }

  abstract lookFor(key: number): number;
  abstract find(key: number, hash: number): number;
  abstract obtain(key: number, hash: number): number;
  /** The hash that the slots have for a key. */
  protected abstract hashOf(key: number): number;

  get size(): number {
    return this.slots.size;
  }

  get end(): number {
    return this.#entries.end;
  }

  get bytes(): number {
    return this.slots.bytes + this.keys.byteLength + this.#entries.bytes + this.#values.bytes;
  }

  keyAt(entry: number): number {
    return this.keys[entry] as number;
  }

  get(entry: number): V {
    return this.#values.get(entry);
  }

  look(entry: number): number {
    return this.#values.look(entry);
  }

  set(entry: number, value: V): void {
    this.#values.set(entry, value);
  }

  remove(entry: number): void {
    this.slots.remove(this.hashOf(this.keys[entry] as number), entry);
    this.#values.erase(entry);
    this.#entries.giveBack(entry);
  }

  next(entry: number): number {
    return this.#entries.next(entry);
  }

  forEach(visit: (key: number, value: V) => unknown): void {
    eachEntry(this, visit);
  }

  reserve(entries: number): void {
    this.slots.reserve(entries);
    if (this.slots.limit > this.keys.length) this.#grow();
  }

  clear(shrinks = false): void {
    this.slots.clear(shrinks);
    this.#entries.clear();
    this.#values.clear(shrinks);
    if (shrinks) this.keys = new this.#make(this.slots.limit);
    this.#values.grow(this.slots.limit);
  }

  protected add(key: number, hash: number): number {
    const { slots } = this;
    const entry = this.#entries.take();
    slots.add(hash, entry);
    if (entry >= this.keys.length) this.#grow();
    this.keys[entry] = key;
    return entry;
  }

  /** The values first: if there is no memory for the keys, the next entry makes room again. */
  #grow(): void {
    const { limit } = this.slots;
    this.#values.grow(limit);
    const larger = new this.#make(limit);
    larger.set(this.keys);
    this.keys = larger;
  }
}

/**
 * Keys that are integers of up to 32 bits, all signed or all unsigned. The key itself is the hash of its slot, as the
 * slots spread hashes anyway: equal hashes are equal keys, and a search looks at nothing but slots.
 */
export class IntegerTable<V> extends Numbers<V, Int32Array | Uint32Array> {
  lookFor(key: number): number {
    return this.slots.look(key | 0);
  }

  find(key: number, _hash: number): number {
    const slot = this.slots.first(key | 0);
    return slot < 0 ? NONE : this.slots.entryAt(slot);
  }

  obtain(key: number, _hash: number): number {
    const slot = this.slots.first(key | 0);
    this.isNew = slot < 0;
    return slot < 0 ? this.add(key, key | 0) : this.slots.entryAt(slot);
  }

  protected hashOf(key: number): number {
    return key | 0;
  }
}

const float = new Float64Array(1);
const halves = new Int32Array(float.buffer);

/** Keys that are any numbers. */
export class FloatTable<V> extends Numbers<V, Float64Array> {
  constructor(values: Column<V>) {
    super(values, Float64Array);
  }

  lookFor(key: number): number {
    return this.slots.look(this.hashOf(key));
  }

  find(key: number, _hash: number): number {
    return this.#find(key, this.hashOf(key));
  }

  obtain(key: number, _hash: number): number {
    const hash = this.hashOf(key);
    const entry = this.#find(key, hash);
    this.isNew = entry === NONE;
    return entry === NONE ? this.add(key, hash) : entry;
  }

  /** Both halves; the slots spread it. */
  protected hashOf(key: number): number {
    // one NaN, one zero
    float[0] = Number.isNaN(key) ? Number.NaN : key + 0;
    return (halves[0] as number) ^ Math.imul(halves[1] as number, 0x85ebca6b);
  }

  #find(key: number, hash: number): number {
    const { slots, keys } = this;
    for (let slot = slots.first(hash); slot >= 0; slot = slots.next(hash, slot)) {
      const entry = slots.entryAt(slot);
      const other = keys[entry] as number;
      if (other === key || (Number.isNaN(other) && Number.isNaN(key))) return entry;
    }
    return NONE;
  }
}
