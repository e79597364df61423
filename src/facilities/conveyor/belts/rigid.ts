/** Conveyors of items that all have the same type. */

import { UsageError } from "../../../ground/base/errors.ts";
import { noInline } from "../../../ground/base/no-inline.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { ItemArguments, Pushes } from "../../../ground/item/arguments.ts";
import { arrayInWords, type Columns, columnsIn, lanesOf } from "../../../ground/item/columns.ts";
import { describeItem, type ItemType, type ItemValue, isItemType, showsBytes } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import type { TypedArray } from "../../../ground/memory/kernels/elements.ts";
import { COMPLETE, DORMANT, WORKING } from "../../../links/status/state.ts";
import type { Packing } from "../../../route/geometry/packing.ts";
import { originOf } from "../../../route/geometry/route.ts";
import { detached, type ItemSeat, itemMembers } from "../codegen/code.ts";
import { itemClass } from "../codegen/item-class.ts";
import { type ItemView, viewOf } from "../codegen/item-view.ts";
import type { Drain, Sender, UserDrain } from "../codegen/run-code.ts";
import { assemble, type Frame } from "../engine/assembly.ts";
import type { Inbox } from "../engine/inbox.ts";
import type { Entry } from "../engine/outbox.ts";
import { misfitError, renamed } from "../engine/refusal.ts";
import { type ConveyorFeatures, Session } from "../engine/session.ts";
import { type AccumulateOptions, Accumulator } from "./accumulating.ts";
import { type Batch, Batches } from "./batch.ts";
import { ColumnPusher, type Pushed } from "./column-pusher.ts";
import { checkPushedRange } from "./pushed-range.ts";
import { RigidMover } from "./rigid-mover.ts";
import { packingsOf } from "./rigid-packings.ts";

const WORD = 4;

/** The class of conveyors of a type of items, with the methods that are generated for it. */
export function rigidClass<Class extends abstract new (frame: Frame, item: never) => ItemView & ItemSeat>(
  base: Class,
  { choice, site }: Frame,
  item: ItemType,
): Class {
  const { hops, each } = choice.route;
  const [first, last] = [each[0].tagBytes, each[hops - 1].tagBytes];
  return itemClass(base, item, site.views, `${first},${last},${hops === 1}`, () =>
    itemMembers(item, first, last, hops === 1, site.views),
  );
}

/** A conveyor of items of one type, as seen by one PE; it is made of a {@link rigidClass}. */
export class RigidBelt<I extends ItemType> extends Session {
  /**
   * Copies an item into the conveyor, for PE `dest`: the fields of a struct in order, or the one value of another item.
   * A value of another type is rejected; numbers are truncated to the field's width.
   * @returns false if there is no room now: advance, and try again
   * @throws StateError, UsageError; nothing changes then
   */
  declare readonly push: Pushes<I, boolean>;
  /**
   * Pulls the next received item; read it with {@link item}, and its sender with {@link from}.
   * @returns false if there is none now: advance, and try again; more items may still arrive
   * @throws StateError before begin
   */
  declare readonly pull: () => boolean;
  /**
   * The last pulled item: for a struct one object whose fields always show it, for other items its value. It is valid
   * until another item is pulled or unpulled. Byte strings are views of memory that the next pull may reuse, so copy
   * what you keep.
   */
  declare readonly item: ItemValue<I>;
  /** @internal */
  readonly cursor: Inbox;
  /** @internal the memory of the items */
  readonly store: Views;
  /** @internal see ItemSeat, as what follows */
  readonly outbox: Entry;
  /** @internal */
  readonly places: number;
  /** @internal */
  readonly links: number;
  /** @internal */
  readonly routes: number;
  /** @internal makes a push that waits for room */
  declare readonly sender: Sender;
  /** @internal passes one received buffer to a sink; false if the sink returned false for the last item */
  declare readonly drain: Drain;
  /** @internal as drain, for a sink of the user */
  declare readonly userDrain: UserDrain;
  /** @internal */
  view: object | null = null;
  /** @internal is told of items that pushAll has pushed */
  pushed: Pushed | undefined = undefined;
  #pusher: ColumnPusher | null = null;
  #batches: Batches<I> | null = null;
  #accumulator: Accumulator | null = null;
  /** @internal */
  readonly frame: Frame;
  readonly #movers: readonly RigidMover[];
  #item: ItemType;
  /** That of the session before. */
  #former: ItemType;
  /** What the class is of. */
  #coded: ItemType;
  /** Of these items: the packings of all hops, their name, and whether they are read as views of bytes. */
  #packings: readonly Packing[] = [];
  #terms = "";
  #showsBytes = false;

  /** @internal see newBelt */
  constructor(frame: Frame, item: I) {
    const movers: RigidMover[] = [];
    super(
      assemble(frame, (joint) => {
        movers[joint.hop] = new RigidMover(frame.site, joint);
        return movers[joint.hop];
      }),
    );
    const { site } = frame;
    const { inbox, entry: outbox, ways } = this.machinery;
    this.frame = frame;
    this.store = site.views;
    this.cursor = inbox;
    this.outbox = outbox;
    this.places = outbox.address / WORD;
    this.links = outbox.stride;
    this.routes = ways.at / WORD;
    this.view = viewOf(item, site.views, inbox);
    this.#item = item;
    this.#former = item;
    this.#coded = item;
    this.#terms = describeItem(item);
    this.agreed = this.#terms;
    this.#movers = movers;
  }

  get features(): ConveyorFeatures {
    const { choice, squeezer } = this.machinery;
    return { elastic: false, steady: choice.steady, compressed: squeezer !== null };
  }

  /**
   * As {@link push}, and then {@link flush} of the item's destination: the item, and all before it, waits in no buffer.
   * @throws as push
   */
  pushUrgent(dest: number, ...values: ItemArguments<I>): boolean {
    if (this === undefined) detached("pushUrgent");
    try {
      if (!this.push(dest, ...values)) return false;
    } catch (error) {
      throw renamed(error, "pushUrgent");
    }
    this.flush(dest);
    return true;
  }

  /**
   * Copies many items into the conveyor, in order: item i is for PE `dests[i]`; its fields are the elements i of the
   * columns.
   *
   *     for (let i = 0; c.advance(i === dests.length); ) {
   *       i = c.pushAll(dests, { slot, value }, i);
   *       for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) add(batch.columns.slot, batch.columns.value);
   *     }
   *
   * @param columns a typed array; for a struct an object with one per field; for bytes(n) an array with n bytes for
   *   each item
   * @param first index of the first item
   * @param end index after the last item
   * @returns the index of the first item that was not pushed: `end`, or less if there is no room now or a destination
   *   is not a rank
   * @throws StateError, unless `first` is `end`; UsageError for invalid columns; RankRangeError if the destination of
   *   item `first` is not a rank; nothing changes then
   */
  pushAll(dests: Uint32Array, columns: Columns<I>, first = 0, end: number = dests?.length): number {
    if (this === undefined) detached("pushAll");
    return noInline(this.pushMost, this, dests, columns, first, end, Number.POSITIVE_INFINITY);
  }

  /** @internal as pushAll: `most` items at most */
  pushMost(dests: Uint32Array, columns: Columns<I>, first: number, end: number, most: number): number {
    if (!(dests instanceof Uint32Array)) {
      throw new UsageError(`pushAll: dests: expected a Uint32Array of ranks, got ${arrayInWords(dests)}`);
    }
    checkPushedRange(dests, first, end);
    // allows a loop that keeps pulling after the last push
    if (first === end && this.isBegun) return end;
    if (this.phase !== WORKING) throw this.refusal("pushAll");
    const { pusher } = this;
    const arrays = columnsIn(pusher.lanes, columns, end, "pushAll");
    const next = pusher.push(dests, arrays, first, Math.min(end, first + most));
    if (next === first && first < end && dests[first] >= this.size)
      this.checkRank(dests[first], `pushAll: dests[${first}]`);
    // else what follows is no rank, or more than the caller wants
    if (next < Math.min(end, first + most) && dests[next] < this.size) this.refused(dests[next], end - next);
    return next;
  }

  /** @internal throws the error for what cannot be pushed: a rank and values */
  misfit(given: ArrayLike<unknown>): never {
    throw misfitError(this.#item, given);
  }

  /** @internal what pushes checked columns */
  get pusher(): ColumnPusher {
    const { outbox } = this;
    this.#pusher ??= new ColumnPusher(
      ...([this.frame, outbox, this.machinery.ways, lanesOf(this.#item)] as const),
      ...([this.#item.bytes, this.pushed] as const),
    );
    return this.#pusher;
  }

  /**
   * Pulls all items of the next received buffer. {@link unpull} puts the last of them back, and may be repeated for
   * each item.
   * @returns null if there is none now; else one object, which always shows the last batch
   * @throws StateError before begin
   */
  pullAll(): Batch<I> | null {
    if (this === undefined) detached("pullAll");
    return noInline(this.#pullBatch, this);
  }

  #pullBatch(): Batch<I> | null {
    const { inbox } = this.machinery;
    if (!this.isBegun) throw this.refusal("pullAll");
    if (inbox.next === inbox.limit && !this.#fetch()) return null;
    this.#batches ??= new Batches(this.#item as I, inbox, this.frame);
    return this.#batches.take();
  }

  /**
   * Pulls all items that can be pulled now, and adds them to a table: to the element that each names, without a call for any
   * of them. A table of `pe.alloc` is the fastest.
   *
   *     for (let i = 0; c.advance(i === dests.length); ) {
   *       i = c.pushAll(dests, { slot, value }, i);
   *       c.accumulate(sums, { op: "sum", index: "slot", value: "value" });
   *     }
   *
   * @returns the number of items
   * @throws StateError before begin; UsageError for a table or fields that do not fit; IndexRangeError for an item that names
   *   no element: those before it are in the table, and it is the next item
   */
  accumulate(table: TypedArray, options: AccumulateOptions<I>): number {
    return noInline(this.#accumulateAll, this, table, options);
  }

  #accumulateAll(table: TypedArray, options: AccumulateOptions): number {
    if (!this.isBegun) throw this.refusal("accumulate");
    const accumulator = this.accumulatorFor(table, options, "accumulate");
    let items = 0;
    while (this.refill()) items += accumulator.take("accumulate");
    return items;
  }

  /** @internal what adds items to a table. @throws UsageError for a table or fields that do not fit */
  accumulatorFor(table: TypedArray, options: AccumulateOptions, call: string): Accumulator {
    this.#accumulator ??= new Accumulator(this.#item, this.frame, this.cursor);
    this.#accumulator.prepare(table, options, call);
    return this.#accumulator;
  }

  /** @internal the type of the items, of this session or the next */
  protected get itemType(): ItemType {
    return this.#item;
  }

  /** @internal fetches the next buffer if nothing is left to pull; returns whether there is an item to pull */
  refill(): boolean {
    const { cursor } = this;
    return cursor.next !== cursor.limit || this.#fetch();
  }

  /** The sender of the last pulled item. */
  get from(): number {
    const { inbox } = this.machinery;
    return originOf(this.frame.choice.route, inbox.link, inbox.tag);
  }

  /**
   * Puts the last pulled item back, to be pulled again. It succeeds right after a pull and may be refused otherwise.
   * @returns whether the item was put back
   * @throws StateError when dormant
   */
  unpull(): boolean {
    if (!this.isBegun) throw this.refusal("unpull");
    if (!this.machinery.inbox.restore(this.#item.bytes)) return false;
    this.unpulls++;
    return true;
  }

  protected prepare(): string {
    const { inbox, outboxes } = this.machinery;
    const item = this.#item;
    if (this.#packings.length === 0 || this.#coded !== item) {
      this.#packings = packingsOf(item, this.frame.choice);
      if (this.#coded !== item) this.#convert(item);
      this.#terms = describeItem(item);
      this.#showsBytes = showsBytes(item);
    }
    const packings = this.#packings;
    const movers = this.#movers;
    for (let hop = 0; hop < outboxes.length; hop++) outboxes[hop].begin(packings[hop]);
    inbox.begin(packings[outboxes.length - 1], this.#showsBytes);
    for (let hop = 0; hop < movers.length; hop++) movers[hop].begin(packings[hop]);
    return this.#terms;
  }

  /** Becomes a conveyor of another item type. */
  #convert(item: ItemType): void {
    const base = (this as object).constructor as typeof RigidBelt;
    this.view = viewOf(item, this.store, this.cursor);
    Object.setPrototypeOf(this, rigidClass(base, this.frame, item).prototype);
    this.#coded = item;
    this.#pusher = null;
    this.#batches = null;
    this.#accumulator = null;
  }

  /** @internal with an item type for this session */
  override startBegin(waits: boolean, item?: ItemType): void {
    if (item !== undefined && !isItemType(item)) {
      throw new UsageError(`begin: expected an item type, got ${shortText(item)}`);
    }
    if (this.phase !== DORMANT || item === undefined) {
      if (this.phase === DORMANT) this.#former = this.#item;
      super.startBegin(waits);
      return;
    }
    this.#former = this.#item;
    this.#item = item;
    try {
      super.startBegin(waits);
    } catch (error) {
      // what prepare throws
      this.#item = this.#former;
      throw error;
    }
  }

  protected override refuseBegin(): void {
    this.#item = this.#former;
    super.refuseBegin();
  }

  #fetch(): boolean {
    if (!this.isBegun) throw this.refusal("pull");
    return this.phase !== COMPLETE && this.machinery.inbox.fetch();
  }

  protected tally(): { pushes: number; pulls: number } {
    const { entry, inbox } = this.machinery;
    let pushes = entry.items + entry.pending;
    // in a mesh the same outboxes have what was forwarded
    if (this.frame.choice.route.mesh !== null) for (const { items } of this.#movers) pushes -= items;
    return {
      pushes,
      pulls: inbox.pulled + this.unpulls,
    };
  }
}

/** A conveyor that is part of another thing: the blocking calls are not needed. */
export const newBelt = <I extends ItemType>(frame: Frame, item: I): RigidBelt<I> =>
  new (rigidClass(RigidBelt<I>, frame, item))(frame, item);
