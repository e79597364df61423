/** Maps that all PEs of a node read and write. */
import { UsageError } from "../../../ground/base/errors.ts";
import { type OptionField, optionsOf, text, whole } from "../../../ground/base/options.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { describeItem, type ItemType, type ItemValue, isItemType, roundUp } from "../../../ground/item/item-type.ts";
import type { Group } from "../../../pe/group.ts";
import { type SharedBlock, type SharedOptions, sharedBlock } from "../block.ts";
import {
  type KeyOf,
  keyBytesOf,
  keyCodec,
  type SharedKey,
  type SharedValue,
  type StageCodec,
  type ValueCodec,
  valueCodec,
} from "./element.ts";
import { mapPlaces } from "./layout.ts";
import { ADDED, BUSY, NO_ROOM, type Shape, SharedTable, stageBytesOf, THERE } from "./table.ts";

/** Options of {@link sharedMap} and {@link sharedSet}. */
export interface SharedMapOptions extends SharedOptions {
  /** Entries that have room before it grows first. @default 12 */
  readonly capacity?: number | undefined;
}

const MAP_OPTIONS: OptionField = optionsOf<SharedMapOptions>({ name: text(), capacity: whole(1, 2 ** 29) });

/** Value types whose entries the kernels add to, in their order (kernels/assembly/table.ts). */
const SUMMED = [["f64"], ["f32"], ["i32", "u32"], ["i64", "u64"]];

/** Makes its face. */
let newSharedMap: <K extends SharedKey, V extends SharedValue>(
  block: SharedBlock,
  shape: Shape,
  types: { readonly key: K; readonly value: V },
) => SharedMap<K, V>;

/**
 * A map that all PEs of a node read and write, made by {@link sharedMap}. Each call takes effect at one moment for all
 * PEs (it is linearizable), but for `size` and the iterations, which see each entry as it is when they come to it.
 *
 * Calls wait only while the table is replaced, or for the function of an `update` of the same entry.
 */
export class SharedMap<K extends SharedKey, V extends SharedValue> {
  static {
    newSharedMap = (block, shape, types) => new SharedMap(block, shape, types);
  }

  readonly #block: SharedBlock;
  readonly #table: SharedTable;
  readonly #key: StageCodec<KeyOf<K>>;
  readonly #value: ValueCodec<ItemValue<V>>;
  readonly #keyBytes: number;
  readonly #valueBytes: number;
  /** See the kernel add; -1 for values that are no sums. */
  readonly #sums: number;
  #isOpen = true;
  #updates = false;

  private constructor(block: SharedBlock, shape: Shape, { key, value }: { readonly key: K; readonly value: V }) {
    const table = new SharedTable(block, shape);
    const { buffer } = block.seat.heap;
    this.#block = block;
    this.#table = table;
    this.#keyBytes = shape.keyBytes;
    this.#valueBytes = shape.valueBytes;
    this.#key = keyCodec(key, buffer, table.stage, "sharedMap") as unknown as StageCodec<KeyOf<K>>;
    this.#value = valueCodec(value, buffer, table.stage + shape.keyBytes) as unknown as ValueCodec<ItemValue<V>>;
    this.#sums = value.kind === "scalar" ? SUMMED.findIndex((names) => names.includes(value.name)) : -1;
  }

  /** Entries; while others add or delete some, of a moment ago. */
  get size(): number {
    this.#block.check("size");
    return this.#table.size;
  }

  /** Bytes of the heap that its table takes. */
  get bytes(): number {
    this.#begin("bytes");
    return this.#table.bytes;
  }

  /** The value of a key; undefined if there is none. A struct is a new object. */
  get(key: KeyOf<K>): ItemValue<V> | undefined {
    return this.#find(key, "get") ? this.#value.read() : undefined;
  }

  has(key: KeyOf<K>): boolean {
    return this.#find(key, "has");
  }

  /** Sets the value of a key. @throws UsageError for a key or a value of another type; HeapError: nothing is changed */
  set(key: KeyOf<K>, value: ItemValue<V>): this {
    const table = this.#table;
    this.#begin("set");
    this.#key.write(key);
    this.#value.write(value);
    const { kernels, stage, me } = table;
    for (;;) {
      const done = kernels.set(table.at, table.slots, stage, this.#keyBytes, this.#valueBytes, me, table.room > 0);
      if (done >= 0) {
        if (done !== THERE) this.#added(done);
        return this;
      }
      table.clear(done, "set");
    }
  }

  /** Adds a key with a value of 0 unless it is there. @returns whether it was not */
  insert(key: KeyOf<K>): boolean {
    const taken = this.#take(key);
    const { kernels, stage } = this.#table;
    const entry = kernels.lastEntry();
    if (taken === THERE) {
      kernels.giveBack(entry, false);
      return false;
    }
    kernels.zero(stage + this.#keyBytes, this.#valueBytes);
    kernels.put(entry, stage, this.#keyBytes, this.#valueBytes);
    this.#added(taken);
    return true;
  }

  /** Deletes a key. @returns whether it was there */
  delete(key: KeyOf<K>): boolean {
    const table = this.#table;
    this.#begin("delete");
    this.#key.write(key);
    for (;;) {
      const done = table.kernels.remove(table.at, table.slots, table.stage, this.#keyBytes, this.#valueBytes, table.me);
      if (done === THERE) table.counted(-1);
      if (done >= 0) return done === THERE;
      // it has no slot
      if (done === NO_ROOM) return false;
      table.clear(done, "delete");
    }
  }

  /**
   * Adds to the number of a key, or to 0: for values of f64, f32, i32, u32, i64 or u64; whole numbers wrap.
   * @returns the sum
   */
  add(key: KeyOf<K>, by: ItemValue<V>): ItemValue<V> {
    const table = this.#table;
    this.#begin("add");
    if (this.#sums < 0) {
      throw new UsageError(
        `add: expected a map of values of f64, f32, i32, u32, i64 or u64, this is the ${this.#block.what}. Use update().`,
      );
    }
    this.#key.write(key);
    this.#value.wrap(by);
    const [keyBytes, valueBytes] = [this.#keyBytes, this.#valueBytes];
    for (;;) {
      const { kernels, at, slots, stage, me, room } = table;
      const done = kernels.add(at, slots, stage, keyBytes, valueBytes, me, room > 0, this.#sums);
      if (done >= 0) {
        if (done !== THERE) this.#added(done);
        return this.#value.read();
      }
      table.clear(done, "add");
    }
  }

  /**
   * Sets the value of a key to what a function makes of it, which is called while the entry is locked: other PEs read
   * the old value, and wait to change it. If the PE is lost, or the function throws, it stays as it was.
   * @param change gets undefined if there is none; returns undefined to delete it, or to leave it away. It makes no
   * call that changes this map
   * @returns the new value
   */
  update(
    key: KeyOf<K>,
    change: (value: ItemValue<V> | undefined) => ItemValue<V> | undefined,
  ): ItemValue<V> | undefined {
    const taken = this.#take(key);
    const { kernels, stage } = this.#table;
    const entry = kernels.lastEntry();
    const [keyBytes, valueBytes] = [this.#keyBytes, this.#valueBytes];
    let isGiven = false;
    this.#updates = true;
    try {
      if (taken === THERE) kernels.fetch(entry, stage, keyBytes, valueBytes);
      const after = change(taken === THERE ? this.#value.read() : undefined);
      if (after !== undefined) {
        this.#value.write(after);
        kernels.put(entry, stage, keyBytes, valueBytes);
        isGiven = true;
        if (taken !== THERE) this.#added(taken);
      } else if (taken === THERE) {
        kernels.giveBack(entry, true);
        isGiven = true;
        this.#table.counted(-1);
      }
      return after;
    } finally {
      this.#updates = false;
      if (!isGiven) kernels.giveBack(entry, false);
      this.#table.tellWaiting();
    }
  }

  /** The entries at this moment, one slot after the other; in no order. */
  entries(): IterableIterator<[KeyOf<K>, ItemValue<V>]> {
    const all: [KeyOf<K>, ItemValue<V>][] = [];
    this.forEach((value, key) => {
      all.push([key, value]);
    });
    return all.values();
  }

  keys(): IterableIterator<KeyOf<K>> {
    const all: KeyOf<K>[] = [];
    this.forEach((_, key) => {
      all.push(key);
    });
    return all.values();
  }

  values(): IterableIterator<ItemValue<V>> {
    const all: ItemValue<V>[] = [];
    this.forEach((value) => {
      all.push(value);
    });
    return all.values();
  }

  [Symbol.iterator](): IterableIterator<[KeyOf<K>, ItemValue<V>]> {
    return this.entries();
  }

  /** Calls a function for each entry, as it was when it was come to. The function makes no call of this map. */
  forEach(use: (value: ItemValue<V>, key: KeyOf<K>) => void): void {
    const table = this.#table;
    this.#begin("forEach");
    const { at, slots, stage, kernels } = table;
    this.#updates = true;
    try {
      for (let slot = 0; slot < slots; ) {
        const found = kernels.slotAt(at, slot, stage, this.#keyBytes, this.#valueBytes);
        // an entry is written for some ns, or for as long as its writer does not run
        if (found === BUSY) continue;
        if (found === THERE) use(this.#value.read(), this.#key.read());
        slot++;
      }
    } finally {
      this.#updates = false;
    }
  }

  /** This PE uses it no more; when all have left, the heap gets its memory back. */
  leave(): void {
    if (this.#updates) throw this.#nested("leave");
    this.#isOpen = false;
    this.#block.leave(() => this.#table.freeAll());
  }

  #find(key: KeyOf<K>, call: string): boolean {
    const table = this.#table;
    this.#begin(call);
    this.#key.write(key);
    for (;;) {
      const found = table.kernels.get(table.at, table.slots, table.stage, this.#keyBytes, this.#valueBytes);
      if (found >= 0) return found === THERE;
    }
  }

  #begin(call: string): void {
    if (!this.#isOpen) this.#block.check(call);
    if (this.#updates) throw this.#nested(call);
    if (this.#table.isStale) this.#table.refresh();
  }

  #take(key: KeyOf<K>): number {
    const table = this.#table;
    this.#begin("update");
    this.#key.write(key);
    for (;;) {
      const { kernels, at, slots, stage, me, room } = table;
      const taken = kernels.take(at, slots, stage, this.#keyBytes, this.#valueBytes, me, room > 0);
      if (taken >= 0) return taken;
      table.clear(taken, "update");
    }
  }

  /** @param done ADDED, which has taken a slot, or ABSENT: it was deleted */
  #added(done: number): void {
    this.#table.counted(1);
    if (done === ADDED) this.#table.room--;
  }

  #nested(call: string): UsageError {
    return new UsageError(
      `${call}: this PE is in a function of an update or forEach of the ${this.#block.what}, which makes no call of the map. ` +
        "Return the new value, or keep what is to be done until it is over.",
    );
  }
}

/** Makes the block of a map. */
export function mapOf<K extends SharedKey, V extends SharedValue>(
  pe: Group,
  call: string,
  types: { readonly key: K; readonly value: V; readonly valueBytes: number },
  options: SharedMapOptions,
): SharedMap<K, V> {
  const { key, value, valueBytes } = types;
  const shape = { keyBytes: keyBytesOf(key, call), valueBytes, capacity: options?.capacity ?? 1 };
  const making = {
    call,
    kind: call === "sharedSet" ? "shared set" : "shared map",
    schema: MAP_OPTIONS,
    bytes: (size: number) => mapPlaces(size, stageBytesOf(shape)).bytes,
    terms: ` of ${describeItem(key)}, ${describeItem(value)}`,
  };
  return newSharedMap(sharedBlock(pe, making, options), shape, types);
}

const isValue = (type: ItemType): boolean => isItemType(type) && type.kind !== "bytes";

/**
 * Makes a map that the PEs of a group share, all of one node. Collective: all its PEs make it with the same types. It
 * grows while others read it.
 *
 *     const words = sharedMap(pe, bytes(23), u32);
 *     for (const word of mine) words.add(word, 1);
 *
 * @param key numbers, bigints, or `bytes(n)` for texts of at most n bytes of UTF-8
 * @param value numbers, bigints, or a struct
 * @throws UsageError for other types and options, and for a group over several nodes; HeapError; MismatchError, which
 * ends the world
 */
export function sharedMap<const K extends SharedKey, const V extends SharedValue>(
  pe: Group,
  key: K,
  value: V,
  options: SharedMapOptions = {},
): SharedMap<K, V> {
  if (!isValue(value)) {
    throw new UsageError(
      `sharedMap: expected a type of values: a number, a bigint or a struct, got ${shortText(value)}`,
    );
  }
  return mapOf(pe, "sharedMap", { key, value, valueBytes: roundUp(value.bytes, 4) }, options);
}
