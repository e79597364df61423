/**
 * Batches: all items of a buffer that has come, pulled at once, and read as columns.
 *
 * What: the column of a bare scalar or of a string of bytes is the buffer itself, seen through a typed array: nothing is
 * copied. The fields of a struct lie side by side in the buffer; a field is copied into a column when it is
 * asked for, those that nobody asks for are not.
 */
import { type Column, type Columns, columnFor, columnKind, type Lane, lanesOf } from "../../item/columns.ts";
import type { ItemType } from "../../item/types.ts";
import type { Views } from "../../item/views.ts";
import { type Unpack, unpackCode } from "../codegen/batch-code.ts";
import type { Inbox } from "../engine/inbox.ts";
import { originOf, type Route } from "../geometry/route.ts";

/** Items that were pulled at once. It, and all that is read from it, is good until the next pull. */
export interface Batch<I extends ItemType = ItemType> {
  /** How many items. */
  readonly count: number;
  /** The items: a typed array of `count` elements; for a struct an object of them, by field; for bytes(n) of n * count. */
  readonly columns: Columns<I>;
  /** By item: the PE that pushed it. */
  readonly from: Uint32Array;
}

/** Replies that were pulled at once. It, and all that is read from it, is good until the next pull or advance. */
export interface ReplyBatch<R extends ItemType = ItemType> extends Pick<Batch<R>, "count" | "columns"> {
  /** The number of the query that the first one answers: 0 for the first that was pushed in this session. */
  readonly first: number;
}

/** Items of one type that lie side by side, as columns: of those that were {@link show}n last. */
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

  /** From now on it is `count` items, the first of them at byte offset `at`. */
  show(at: number, count: number): void {
    this.#at = at;
    this.count = count;
    this.#serial++;
  }

  get columns(): Columns<I> {
    const columns = this.#columns;
    return (typeof columns === "function" ? (columns as () => Column)() : columns) as Columns<I>;
  }

  /** The column of items that lie without anything between them. */
  #direct(lane: Lane): () => Column {
    const { name, each } = columnKind(lane);
    const view = this.#views[name];
    return () => {
      const first = this.#at / view.BYTES_PER_ELEMENT;
      return view.subarray(first, first + this.count * each);
    };
  }

  /** An object with a getter for each field, and such objects in it for structs within the struct. */
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

/** One for each conveyor: it always shows the batch that was pulled last. */
export class Batches<I extends ItemType> extends BatchColumns<I> implements Batch<I> {
  readonly #inbox: Inbox;
  readonly #route: Route;
  #from = new Uint32Array(0);
  /** The senders of this batch have been worked out. */
  #isFrom = false;

  constructor(item: I, inbox: Inbox, route: Route, views: Views) {
    super(item, views, item.bytes);
    this.#inbox = inbox;
    this.#route = route;
  }

  /** Pulls all that is left of the buffer at hand, which is something. */
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

/** One for each biconveyor: it always shows the replies that were pulled at once last. */
export class ReplyBatches<R extends ItemType> extends BatchColumns<R> implements ReplyBatch<R> {
  first = 0;
}
