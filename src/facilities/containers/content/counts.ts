/** Counts by key, at the owner of the keys: a table together with the codec of its keys. */
import { TypedColumn } from "../tables/columns.ts";
import { CountTable } from "../tables/counts.ts";
import { NONE } from "../tables/table.ts";
import type { Content } from "./content.ts";
import type { Cursor, Scratch } from "./cursor.ts";
import { indexOf, type KeyIndex, type LookupIndex } from "./index-of.ts";
import { keyCodecOf, type NumberKeyCodec, type WholeRange } from "./keys.ts";

export interface CountContent<K> {
  readonly index: LookupIndex<K, number>;
  /** The same if the keys are whole numbers of up to 32 bits. */
  readonly wholes: WholeCounts | null;
  /** Reads a key, and adds to its count. @param isOne whether that is one; else it is behind the key, an f64 */
  count(from: Cursor, isOne: boolean): void;
}

/** A table of counts for keys of a content. */
export function countsOf<K>(keys: Content): CountContent<K> {
  const codec = keyCodecOf(keys);
  return codec.form === "number" && codec.range !== null
    ? (new WholeCounts(codec, codec.range) as CountContent<unknown> as CountContent<K>)
    : new EntryCounts<K>(indexOf(keys, new TypedColumn<number>(Float64Array)));
}

const countAt = (from: Cursor, isOne: boolean): number => (isOne ? 1 : (from.views.f64[from.align(8) >>> 3] as number));

class EntryCounts<K> implements CountContent<K> {
  readonly index: KeyIndex<K, number>;
  readonly wholes = null;

  constructor(index: KeyIndex<K, number>) {
    this.index = index;
  }

  count(from: Cursor, isOne: boolean): void {
    const { index } = this;
    const entry = index.obtain(from);
    index.table.set(entry, index.table.get(entry) + countAt(from, isOne));
  }
}

/** Counts of whole numbers of up to 32 bits. */
export class WholeCounts implements CountContent<number>, LookupIndex<number, number> {
  readonly index: LookupIndex<number, number> = this;
  readonly wholes: WholeCounts = this;
  readonly table: CountTable;
  readonly range: WholeRange;
  readonly mostWords = 1;
  readonly textOf = null;
  readonly #codec: NumberKeyCodec;

  constructor(codec: NumberKeyCodec, range: WholeRange) {
    this.#codec = codec;
    this.range = range;
    this.table = new CountTable(range.isSigned);
  }

  count(from: Cursor, isOne: boolean): void {
    const key = this.#codec.read(from);
    this.table.add(key, countAt(from, isOne));
  }

  write(to: Scratch, what: string, key: unknown): number {
    return this.#codec.write(to, what, key);
  }

  look(from: Cursor): number {
    return this.table.look(this.#codec.read(from));
  }

  /** It is beside the key. */
  lookAtValue(): number {
    return NONE;
  }

  find(from: Cursor): number {
    return this.table.find(this.#codec.read(from));
  }
}
