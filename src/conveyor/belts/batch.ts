/**
 * Batches: all items of a received buffer, pulled in one call and read as columns.
 *
 * The column of a scalar or of a byte string is a typed-array view of the buffer itself, without a copy. The fields of
 * a struct are interleaved in the buffer; a field is copied into a column when the column is first read.
 */
import { type Column, type Columns, columnFor, columnKind, type Lane, lanesOf } from "../../item/columns.ts";
import type { ItemType } from "../../item/types.ts";
import type { Views } from "../../item/views.ts";
import { type Unpack, unpackCode } from "../codegen/batch-code.ts";
import type { Inbox } from "../engine/inbox.ts";
import { originOf, type Route } from "../geometry/route.ts";

/** Items pulled in one call. The batch and everything read from it are valid until the next pull. */
export interface Batch<I extends ItemType = ItemType> {
  /** Number of items. */
  readonly count: number;
  /**
   * The items: a typed array of `count` elements; for a struct an object with one such array per field; for bytes(n) an
   * array of n * count elements.
   */
  readonly columns: Columns<I>;
  /** The sender of each item. */
  readonly from: Uint32Array;
}

/** Replies pulled in one call. The batch and everything read from it are valid until the next pull or advance. */
export interface ReplyBatch<R extends ItemType = ItemType> extends Pick<Batch<R>, "count" | "columns"> {
  /** Index of the query that the first reply answers: 0 for the first query pushed in this session. */
  readonly first: number;
}

/** Contiguous items of one type as columns: those of the last {@link show}. */
class BatchColumns<I extends ItemType> {
  count = 0;
  readonly #views: Views;
  readonly #stride: number;
  readonly #columns: unknown;
  #at = 0;
  #serial = 0;

  /** @param stride bytes from one item to the next */
  constructor(item: I, views: Views, stride: number) {
    this.#views = views;
    this.#stride = stride;
    const [lane] = lanesOf(item);
    if (item.kind === "struct") this.#columns = this.#tree(lanesOf(item), 0);
    else this.#columns = item.bytes === stride ? this.#direct(lane) : this.#copied(lane);
  }

  /** Makes it show `count` items that start at byte offset `at`. */
  show(at: number, count: number): void {
    this.#at = at;
    this.count = count;
    this.#serial++;
  }

  get columns(): Columns<I> {
    const columns = this.#columns;
    return (typeof columns === "function" ? (columns as () => Column)() : columns) as Columns<I>;
  }

  /** The column of items without gaps between them. */
  #direct(lane: Lane): () => Column {
    const { name, each } = columnKind(lane);
    const view = this.#views[name];
    return () => {
      const first = this.#at / view.BYTES_PER_ELEMENT;
      return view.subarray(first, first + this.count * each);
    };
  }

  /** An object with a getter for each field, and nested objects for nested structs. */
  #tree(lanes: readonly Lane[], depth: number): object {
    const groups = new Map<string, Lane[]>();
    for (const lane of lanes) {
      const name = lane.path[depth];
      groups.set(name, [...(groups.get(name) ?? []), lane]);
    }
    const columns = {};
    for (const [name, group] of groups) {
      const isLeaf = group[0].path.length === depth + 1;
      const found = isLeaf ? { get: this.#copied(group[0]) } : { value: this.#tree(group, depth + 1) };
      Object.defineProperty(columns, name, { enumerable: true, ...found });
    }
    return Object.freeze(columns);
  }

  /** The column of one field. */
  #copied(lane: Lane): () => Column {
    const { each } = columnKind(lane);
    let unpack: Unpack | null = null;
    let column = columnFor(lane, 0);
    let shown = column;
    let serial = -1;
    return () => {
      if (serial === this.#serial) return shown;
      serial = this.#serial;
      const { count } = this;
      if (column.length < count * each) column = columnFor(lane, count);
      unpack ??= unpackCode(lane, this.#stride, this.#views);
      unpack(column, this.#at, count);
      shown = column.subarray(0, count * each);
      return shown;
    };
  }
}

/** One for each conveyor: it always shows the last batch. */
export class Batches<I extends ItemType> extends BatchColumns<I> implements Batch<I> {
  readonly #inbox: Inbox;
  readonly #route: Route;
  #from = new Uint32Array(0);
  /** Whether the senders of this batch were computed. */
  #isFrom = false;

  constructor(item: I, inbox: Inbox, route: Route, views: Views) {
    super(item, views, item.bytes);
    this.#inbox = inbox;
    this.#route = route;
  }

  /** Pulls the rest of the current buffer, which must not be empty. */
  take(): this {
    const { next } = this.#inbox;
    this.show(next, this.#inbox.take());
    this.#isFrom = false;
    return this;
  }

  get from(): Uint32Array {
    const { count } = this;
    if (!this.#isFrom) {
      this.#isFrom = true;
      if (this.#from.length < count) this.#from = new Uint32Array(count);
      const inbox = this.#inbox;
      const route = this.#route;
      const { source } = inbox;
      if (route.hops === 1) this.#from.fill(originOf(route, source, 0), 0, count);
      else
        for (let i = 0; i < count; i++)
          this.#from[i] = originOf(route, source, inbox.tagBefore(count - 1 - i));
    }
    return this.#from.subarray(0, count);
  }
}

/** One for each biconveyor: it always shows the last batch of replies. */
export class ReplyBatches<R extends ItemType> extends BatchColumns<R> implements ReplyBatch<R> {
  first = 0;
}
