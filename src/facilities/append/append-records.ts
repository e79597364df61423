/** Append buffers of records: items of one type in place of bytes. All else is as in an append buffer. */
import { UsageError } from "../../ground/base/errors.ts";
import { checkOptions, optionsOf, whole } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { ItemArguments } from "../../ground/item/arguments.ts";
import { type Columns, columnFor, columnsIn, type ItemLane, lanesOf, treeOf } from "../../ground/item/columns.ts";
import type { ItemType, ItemValue } from "../../ground/item/item-type.ts";
import { roundUp } from "../../ground/item/item-type.ts";
import { type Views, viewsOf } from "../../ground/item/views.ts";
import type { WaitOptions } from "../../ground/wait/options.ts";
import { readerOf } from "../conveyor/codegen/item-reader.ts";
import { type AppendBuffer, type BufferInside, insideOf } from "./append-buffer.ts";
import type { AppendTarget } from "./options.ts";
import type { OwnPushes } from "./own-pushes.ts";
import { type AppendPush, PushInRecords } from "./push.ts";
import { type Encode, encoderOf, type Weave, weaverOf } from "./record-code.ts";

/** The condition of the owner's wait. */
export interface RecordTarget {
  /** Records in the buffer, all of them complete. */
  readonly records?: number | undefined;
  /** Pushes that are complete. */
  readonly messages?: number | undefined;
}

const RECORD_TARGET = optionsOf<RecordTarget>({ records: whole(0), messages: whole(0) });

export let makeRecords: <I extends ItemType>(a: AppendBuffer, item: I) => AppendRecords<I>;

/** A buffer of records of each PE into which all PEs push, as seen by one PE. */
export class AppendRecords<I extends ItemType = ItemType> {
  /** This PE's rank, and the number of PEs. */
  readonly rank: number;
  readonly size: number;
  /** The type of the records. */
  readonly itemType: I;
  readonly #a: AppendBuffer;
  readonly #pushing: OwnPushes;
  readonly #inside: BufferInside;
  readonly #bytes: number;
  readonly #lanes: readonly ItemLane[];
  readonly #encode: Encode;
  readonly #views: Views;
  readonly #read: (at: number) => unknown;
  /** Rows of columns that are pushed together. */
  #rows: Views = viewsOf(new ArrayBuffer(0));
  #weave: Weave | null = null;
  #unweave: Weave | null = null;

  static {
    makeRecords = (a, item) => new AppendRecords(a, item);
  }

  private constructor(a: AppendBuffer, item: I) {
    this.rank = a.rank;
    this.size = a.size;
    this.itemType = item;
    this.#a = a;
    this.#inside = insideOf(a);
    this.#pushing = this.#inside.pushing;
    this.#bytes = item.bytes;
    this.#lanes = lanesOf(item);
    this.#encode = encoderOf(item);
    this.#views = viewsOf(this.#inside.memory);
    this.#read = readerOf(item, this.#views);
  }

  /**
   * Appends a record to the buffer of PE `dest`, as {@link AppendBuffer.push}; values as for a conveyor's push.
   * @returns 1, or 0 with overflow: "truncate" if there is no room
   * @throws UsageError for values that are no record; else as there
   */
  push(dest: number, ...values: ItemArguments<I>): number {
    return this.#pushing.push("push", dest, this.#encode("push", values)) === this.#bytes ? 1 : 0;
  }

  /** As {@link push}, without blocking the thread. */
  async pushAsync(dest: number, ...values: ItemArguments<I>): Promise<number> {
    // the next call encodes into the same bytes
    const taken = await this.#pushing.pushAsync("pushAsync", dest, this.#encode("pushAsync", values).slice());
    return taken === this.#bytes ? 1 : 0;
  }

  /**
   * Appends records `first` to `end` - 1 of columns to the buffer of PE `dest`: they come side by side.
   * @param columns a typed array; for a struct an object with one per field; for bytes(n) an array with n bytes for
   * each record
   * @returns how many were taken: all of them, or the first ones with overflow: "truncate"
   * @throws UsageError for invalid columns; else as push
   */
  pushAll(dest: number, columns: Columns<I>, first = 0, end: number = this.#count(columns)): number {
    return this.#pushing.push("pushAll", dest, this.#woven("pushAll", columns, first, end)) / this.#bytes;
  }

  /** As {@link pushAll}, without blocking the thread. */
  async pushAllAsync(
    dest: number,
    columns: Columns<I>,
    first = 0,
    end: number = this.#count(columns),
  ): Promise<number> {
    const rows = this.#woven("pushAllAsync", columns, first, end).slice();
    return (await this.#pushing.pushAsync("pushAllAsync", dest, rows)) / this.#bytes;
  }

  /**
   * Begins a {@link push} and returns at once; within a node it is complete already. {@link sync} waits for all that
   * were begun.
   * @returns the push, whose result is in records
   * @throws as push, if it is known now; else the push throws it when it is waited for
   */
  pushStart(dest: number, ...values: ItemArguments<I>): AppendPush {
    const bytes = this.#encode("pushStart", values).slice();
    return new PushInRecords(this.#pushing.pushStart("pushStart", dest, bytes), this.#bytes);
  }

  /** As {@link pushStart}, of records `first` to `end` - 1 of columns, which may be changed afterwards. */
  pushAllStart(dest: number, columns: Columns<I>, first = 0, end: number = this.#count(columns)): AppendPush {
    const rows = this.#woven("pushAllStart", columns, first, end).slice();
    return new PushInRecords(this.#pushing.pushStart("pushAllStart", dest, rows), this.#bytes);
  }

  /** Records of each PE's buffer, by rank. */
  get lengths(): readonly number[] {
    return this.#a.lengths.map((bytes) => bytes / this.#bytes);
  }

  /** Records of this PE's buffer. */
  get length(): number {
    return this.#a.length / this.#bytes;
  }

  /** As {@link AppendBuffer.offset}, in records. */
  get offset(): number {
    return this.#a.offset / this.#bytes;
  }

  /** As {@link AppendBuffer.completed}, in records. */
  get completed(): number {
    return this.#a.completed / this.#bytes;
  }

  /** As {@link AppendBuffer.messages}: pushes, of one record or many. */
  get messages(): number {
    return this.#a.messages;
  }

  /**
   * Record `i` of this PE's buffer: a value; for a struct a view that shows the record that was asked for last.
   * @throws UsageError unless it is complete
   */
  at(i: number): ItemValue<I> {
    const start = this.#inside.start("at");
    const { completed } = this;
    if (!(typeof i === "number" && i >>> 0 === i && i < completed)) {
      const there = completed === 0 ? "a record, and none is complete" : `a record from 0 to ${completed - 1}`;
      throw new UsageError(`at: expected ${there}, got ${shortText(i)}`);
    }
    return this.#read(start + i * this.#bytes) as ItemValue<I>;
  }

  /** The complete records as columns: of structs copies, else a view of the heap. */
  columns(): Columns<I> {
    const { completed, itemType: item } = this;
    const start = this.#inside.start("columns");
    const made = this.#lanes.map((lane) => columnFor(lane, item.kind === "struct" ? completed : 0));
    if (item.kind !== "struct") {
      const type = made[0]?.constructor as new (buffer: SharedArrayBuffer, at: number, length: number) => never;
      const each = item.kind === "bytes" ? item.bytes : 1;
      return new type(this.#inside.memory, start, completed * each);
    }
    this.#unweave ??= weaverOf(item, true);
    this.#unweave(this.#views, start, made, 0, completed);
    return treeOf(item, made) as Columns<I>;
  }

  /** As {@link AppendBuffer.waitUntil}, in records. */
  waitUntil(target: RecordTarget, options?: WaitOptions): void {
    this.#a.waitUntil(this.#inBytes("waitUntil", target), options);
  }

  /** As {@link AppendBuffer.waitUntilAsync}, in records. */
  async waitUntilAsync(target: RecordTarget, options?: WaitOptions): Promise<void> {
    await this.#a.waitUntilAsync(this.#inBytes("waitUntilAsync", target), options);
  }

  /** As {@link AppendBuffer.sync}. */
  sync(): void {
    this.#a.sync();
  }

  /** As {@link AppendBuffer.syncAsync}. */
  syncAsync(): Promise<void> {
    return this.#a.syncAsync();
  }

  /** As {@link AppendBuffer.reset}. */
  reset(): void {
    this.#a.reset();
  }

  /** As {@link AppendBuffer.free}. */
  free(): void {
    this.#a.free();
  }

  /** As {@link free}. */
  [Symbol.dispose](): void {
    this.free();
  }

  #inBytes(call: string, target: RecordTarget): AppendTarget {
    checkOptions(call, RECORD_TARGET, target);
    const { records, messages } = target;
    if ((records ?? 0) > this.length) {
      throw new UsageError(`${call}: records: expected at most the ${this.length} of this PE's buffer, got ${records}`);
    }
    return { messages, bytes: records === undefined ? undefined : records * this.#bytes };
  }

  #count(columns: Columns<I>): number {
    const [lane] = this.#lanes;
    let found: unknown = columns;
    for (const part of lane?.path ?? []) found = (found as Record<string, unknown> | undefined)?.[part];
    const each = lane?.type.kind === "bytes" ? lane.type.bytes : 1;
    return Math.floor(((found as { length?: number } | undefined)?.length ?? 0) / each);
  }

  /** Rows of columns, in memory that the next call uses again. */
  #woven(call: string, columns: Columns<I>, first: number, end: number): Uint8Array {
    if (!(Number.isSafeInteger(first) && first >= 0 && Number.isSafeInteger(end) && end >= first)) {
      throw new UsageError(
        `${call}: expected whole numbers 0 <= first <= end, got ${shortText(first)}, ${shortText(end)}`,
      );
    }
    const arrays = columnsIn(this.#lanes, columns, end, call);
    const bytes = (end - first) * this.#bytes;
    if (this.#rows.u8.length < bytes) this.#rows = viewsOf(new ArrayBuffer(roundUp(bytes, 8)));
    this.#weave ??= weaverOf(this.itemType, false);
    this.#weave(this.#rows, 0, arrays, first, end);
    return this.#rows.u8.subarray(0, bytes);
  }
}
