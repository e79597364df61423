/**
 * Batches: all items of a received buffer, pulled in one call and read as columns.
 *
 * The column of a scalar or of a byte string is a typed-array view of the buffer itself, without a copy. The fields of
 * a struct are interleaved in the buffer; a field is copied into a column when the column is first read, and with it the one
 * beside it that a kernel copies in the same time.
 */
import {
  type Column,
  type Columns,
  columnFor,
  columnKind,
  type Lane,
  lanesOf,
  pairsOf,
} from "../../item/columns.ts";
import type { ItemType } from "../../item/types.ts";
import type { Views } from "../../item/views.ts";
import type { Site } from "../../transport/contract.ts";
import type { Frame } from "../engine/assembly.ts";
import type { Inbox } from "../engine/inbox.ts";
import { storedBytes } from "../geometry/choice.ts";
import { originOf, type Route } from "../geometry/route.ts";
import { conveyorKernels } from "../kernels/kernels.ts";

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
 * Copies the fields of `count` items, the first of which is at byte offset `at`, to columns of its own; gives one of them.
 * @param lane its number among the fields @param serial of the batch
 */
type TakeField = (lane: number, at: number, count: number, serial: number) => Column;

/** Contiguous items of one type as columns: those of the last {@link show}. */
class BatchColumns<I extends ItemType> {
  count = 0;
  readonly #views: Views;
  readonly #take: TakeField;
  readonly #columns: unknown;
  #at = 0;
  #serial = 0;

  /** Largest number of items that it can show. */
  readonly most: number;

  constructor(item: I, { site, choice }: Frame) {
    this.#views = site.views;
    const fields = lanesOf(item).map((lane, number): Field => ({ lane, number }));
    const stored = storedBytes(choice.bufferBytes);
    this.most = item.kind === "struct" ? Math.floor(stored / item.bytes) : Number.POSITIVE_INFINITY;
    // the inbox has the first buffer of the scratch
    this.#take = gatherFields(item, site, site.places.scratch + stored, this.most);
    this.#columns = item.kind === "struct" ? this.#tree(fields, 0) : this.#direct(fields[0].lane);
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
  #tree(fields: readonly Field[], depth: number): object {
    const groups = new Map<string, Field[]>();
    for (const field of fields) {
      const name = field.lane.path[depth];
      groups.set(name, [...(groups.get(name) ?? []), field]);
    }
    const columns = {};
    for (const [name, group] of groups) {
      const isLeaf = group[0].lane.path.length === depth + 1;
      const found = isLeaf ? { get: this.#copied(group[0]) } : { value: this.#tree(group, depth + 1) };
      Object.defineProperty(columns, name, { enumerable: true, ...found });
    }
    return Object.freeze(columns);
  }

  /** The column of one field. */
  #copied({ lane, number }: Field): () => Column {
    let shown = columnFor(lane, 0);
    let serial = -1;
    return () => {
      if (serial !== this.#serial) {
        serial = this.#serial;
        shown = this.#take(number, this.#at, this.count, serial);
      }
      return shown;
    };
  }
}

/** A field and its number. */
interface Field {
  readonly lane: Lane;
  readonly number: number;
}

/** Copies fields of items in the heap to columns in the heap. @param place byte offset of a buffer for all columns of a buffer */
function gatherFields(item: ItemType, { memory, views }: Site, place: number, most: number): TakeField {
  const lanes = lanesOf(item);
  const kernels = conveyorKernels(memory);
  // the widest first, so that each is aligned
  const order = [...lanes.keys()].sort((a, b) => widthIn(lanes[b]) - widthIn(lanes[a]));
  const starts: number[] = [];
  let next = place;
  for (const number of order) {
    starts[number] = next;
    next += lanes[number].type.bytes * most;
  }
  // by lane: those that are copied together, and the last batch that they were copied of
  const groups = pairsOf(lanes).flatMap((pair) => {
    const group = { pair, serial: 0 };
    return pair.map(() => group);
  });
  const shown = lanes.map((lane) => columnFor(lane, 0));
  return (number, at, count, serial) => {
    const group = groups[number];
    if (group.serial !== serial) {
      group.serial = serial;
      const [one, two] = group.pair;
      const { type, offset } = lanes[one];
      if (two === undefined) kernels.gather(starts[one], at + offset, type.bytes, item.bytes, count);
      else kernels.gatherPair(starts[one], starts[two], at + offset, type.bytes, item.bytes, count);
    }
    const { name, each } = columnKind(lanes[number]);
    // most buffers are full: the column lies where the one before lay, with as many elements
    if (shown[number].length !== count * each) {
      const view = views[name];
      const first = starts[number] / view.BYTES_PER_ELEMENT;
      shown[number] = view.subarray(first, first + count * each);
    }
    return shown[number];
  };
}

/** Bytes of an element of a field's column. */
const widthIn = ({ type }: Lane): number => (type.kind === "bytes" ? 1 : type.bytes);

/** One for each conveyor: it always shows the last batch. */
export class Batches<I extends ItemType> extends BatchColumns<I> implements Batch<I> {
  readonly #inbox: Inbox;
  readonly #route: Route;
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
