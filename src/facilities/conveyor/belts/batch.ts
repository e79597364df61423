/**
 * Batches: all items of a received buffer, pulled in one call and read as columns.
 *
 * The column of a scalar or of a byte string is a typed-array view of the buffer itself, without a copy. The fields of
 * a struct are interleaved in the buffer; a field is copied into a column when the column is first read, and with it
 * the one beside it that a kernel copies in the same time.
 */
import {
  type ColumnArray,
  type Columns,
  columnFor,
  columnKind,
  type ItemLane,
  lanesOf,
  pairsOf,
} from "../../../ground/item/columns.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import type { Site } from "../../../links/transport/contract.ts";
import { storedBytes } from "../../../route/geometry/conveyor-choice.ts";
import { type ConveyorRoute, originOf } from "../../../route/geometry/route.ts";
import type { Frame } from "../engine/assembly.ts";
import type { Inbox } from "../engine/inbox.ts";
import { type ConveyorKernels, conveyorKernels } from "../kernels/kernels.ts";
import { type LaneColumns, treeOfGetters } from "./column-tree.ts";

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

/**
 * Contiguous items of one type as columns: those of the last {@link show}. It has no closures of its own: a loop that
 * calls them would be compiled anew for each conveyor.
 */
class BatchColumns<I extends ItemType> {
  count = 0;
  readonly #fields: FieldColumns | null;
  /** Of items without fields: the memory, and elements of an item. */
  readonly #view: ColumnArray;
  readonly #each: number;
  #at = 0;

  /** Largest number of items that it can show. */
  readonly most: number;

  constructor(item: I, { site, choice }: Frame) {
    const stored = storedBytes(choice.bufferBytes);
    const isStruct = item.kind === "struct";
    this.most = isStruct ? Math.floor(stored / item.bytes) : Number.POSITIVE_INFINITY;
    // the inbox has the first buffer of the scratch
    this.#fields = isStruct ? new FieldColumns(item, site, site.places.scratch + stored, this.most) : null;
    const { name, each } = columnKind(lanesOf(item)[0]);
    this.#view = site.views[name];
    this.#each = each;
  }

  /** Makes it show `count` items that start at byte offset `at`. */
  show(at: number, count: number): void {
    this.#at = at;
    this.count = count;
    this.#fields?.show(at, count);
  }

  get columns(): Columns<I> {
    if (this.#fields !== null) return this.#fields.tree as Columns<I>;
    const view = this.#view;
    const first = this.#at / view.BYTES_PER_ELEMENT;
    return view.subarray(first, first + this.count * this.#each) as Columns<I>;
  }
}

/** Copies of the fields of contiguous structs. */
class FieldColumns implements LaneColumns {
  /** An object with a getter for each field, and such objects for nested structs. */
  readonly tree: object;
  readonly #stride: number;
  readonly #views: Views;
  readonly #kernels: ConveyorKernels;
  readonly #lanes: readonly ItemLane[];
  /** By lane: those that are copied together, and the last batch that they were copied of. */
  readonly #groups: readonly { readonly pair: readonly number[]; serial: number }[];
  /** By lane: byte offset of its column, and the column. */
  readonly #starts: readonly number[];
  readonly #shown: ColumnArray[];
  #at = 0;
  #count = 0;
  #serial = 0;

  /** @param place byte offset of a buffer for all columns of `most` items */
  constructor(item: ItemType & { kind: "struct" }, { memory, views }: Site, place: number, most: number) {
    const lanes = lanesOf(item);
    this.tree = treeOfGetters(item)(this);
    this.#stride = item.bytes;
    this.#views = views;
    this.#kernels = conveyorKernels(memory);
    this.#lanes = lanes;
    this.#groups = pairsOf(lanes).flatMap((pair) => {
      const group = { pair, serial: 0 };
      return pair.map(() => group);
    });
    // the widest first, so that each is aligned
    const order = [...lanes.keys()].sort((a, b) => widthIn(lanes[b]) - widthIn(lanes[a]));
    const starts: number[] = [];
    let next = place;
    for (const number of order) {
      starts[number] = next;
      next += lanes[number].type.bytes * most;
    }
    this.#starts = starts;
    this.#shown = lanes.map((lane) => columnFor(lane, 0));
  }

  show(at: number, count: number): void {
    this.#at = at;
    this.#count = count;
    this.#serial++;
  }

  /** Copied when it is first read. */
  column(number: number): ColumnArray {
    const count = this.#count;
    const group = this.#groups[number];
    const starts = this.#starts;
    if (group.serial !== this.#serial) {
      group.serial = this.#serial;
      const [one, two] = group.pair;
      const { type, offset } = this.#lanes[one];
      const from = this.#at + offset;
      if (two === undefined) this.#kernels.gather(starts[one], from, type.bytes, this.#stride, count);
      else this.#kernels.gatherPair(starts[one], starts[two], from, type.bytes, this.#stride, count);
    }
    const { name, each } = columnKind(this.#lanes[number]);
    // most buffers are full: the column lies where the one before lay, with as many elements
    if (this.#shown[number].length !== count * each) {
      const view = this.#views[name];
      const first = starts[number] / view.BYTES_PER_ELEMENT;
      this.#shown[number] = view.subarray(first, first + count * each);
    }
    return this.#shown[number];
  }
}

/** Bytes of an element of a field's column. */
const widthIn = ({ type }: ItemLane): number => (type.kind === "bytes" ? 1 : type.bytes);

/** One for each conveyor: it always shows the last batch. */
export class Batches<I extends ItemType> extends BatchColumns<I> implements Batch<I> {
  readonly #inbox: Inbox;
  readonly #route: ConveyorRoute;
  #from = new Uint32Array(0);
  /** Whether the senders of this batch were computed. */
  #isFrom = false;
  /** The link of this batch, and the position of the tag of its last item: an unpull moves that of the inbox. */
  #source = 0;
  #tagAt = 0;

  constructor(item: I, inbox: Inbox, frame: Frame) {
    super(item, frame);
    this.#inbox = inbox;
    this.#route = frame.choice.route;
  }

  /** Pulls the rest of the current buffer, which must not be empty. */
  take(): this {
    const { next } = this.#inbox;
    this.show(next, this.#inbox.take());
    this.#source = this.#inbox.source;
    this.#tagAt = this.#inbox.tagAt;
    this.#inbox.lent = true;
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
      const source = this.#source;
      if (route.hops === 1) this.#from.fill(originOf(route, source, 0), 0, count);
      else
        for (let i = 0; i < count; i++)
          this.#from[i] = originOf(route, source, inbox.tagBefore(this.#tagAt, count - 1 - i));
    }
    return this.#from.subarray(0, count);
  }
}

/** One for each biconveyor: it always shows the last batch of replies. */
export class ReplyBatches<R extends ItemType> extends BatchColumns<R> implements ReplyBatch<R> {
  first = 0;
}
