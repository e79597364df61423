/** Conveyors of items that all have the same type. */

import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { Pushes } from "../../../ground/item/arguments.ts";
import { arrayInWords, type Columns, columnsIn, lanesOf } from "../../../ground/item/columns.ts";
import { describeItem, type ItemType, type ItemValue, isItemType, showsBytes } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { FREED, isFreed } from "../../../ground/memory/freed.ts";
import type { TypedArray } from "../../../ground/memory/kernels/elements.ts";
import { COMPLETE, DORMANT, WORKING } from "../../../links/status/state.ts";
import type { Packing } from "../../../route/geometry/packing.ts";
import { originOf } from "../../../route/geometry/route.ts";
import { type ItemSeat, itemMembers } from "../codegen/code.ts";
import { type Base, type ClassParts, itemClass, newFace, showItems } from "../codegen/item-class.ts";
import { viewOf } from "../codegen/item-view.ts";
import type { Drain, SendMaker, UserDrain } from "../codegen/run-code.ts";
import { assemble, type Frame } from "../engine/assembly.ts";
import type { Inbox } from "../engine/inbox.ts";
import type { PushEntry } from "../engine/outbox.ts";
import { misfitError } from "../engine/refusal.ts";
import { type ConveyorFeatures, Session } from "../engine/session.ts";
import { type AccumulateOptions, Accumulator } from "./accumulating.ts";
import { type Batch, Batches } from "./batch.ts";
import { ColumnPusher, type Pushed } from "./column-pusher.ts";
import { type CompiledSession, compiledSession } from "./compiled-session.ts";
import { checkPushedRange } from "./pushed-range.ts";
import { RigidMover } from "./rigid-mover.ts";
import { packingsOf } from "./rigid-packings.ts";

const WORD = 4;

function checkDests(dests: Uint32Array, first: number, end: number): void {
  if (!(dests instanceof Uint32Array)) {
    throw new UsageError(`pushAll: dests: expected a Uint32Array of ranks, got ${arrayInWords(dests)}`);
  }
  checkPushedRange(dests, first, end);
}

/** The parts of the class of a conveyor of a type of items. */
function partsOf({ choice, site }: Frame, item: ItemType): ClassParts {
  const { hops, each } = choice.route;
  const [first, last] = [each[0].tagBytes, each[hops - 1].tagBytes];
  const form = `${first},${last},${hops === 1}`;
  return [item, site.views, form, () => itemMembers(item, first, last, hops === 1, site.views)];
}

/** A conveyor of items of one type, as seen by one PE; it is made by {@link newBelt}. */
export class RigidBelt<I extends ItemType> extends Session implements ItemSeat {
  /** Generated, as {@link sender} and what follows: copies an item into the conveyor; false if there is no room now. */
  declare readonly push: Pushes<I, boolean>;
  /** Pulls the next received item; false if there is none now. */
  declare readonly pull: () => boolean;
  /** The last pulled item. */
  declare readonly item: ItemValue<I>;
  readonly cursor: Inbox;
  /** The memory of the items. */
  readonly store: Views;
  /** As ItemSeat says, and what follows. */
  readonly outbox: PushEntry;
  readonly places: number;
  readonly links: number;
  readonly routes: number;
  /** Makes a push that waits for room. */
  declare readonly sender: SendMaker;
  /** Passes one received buffer to a sink; false if the sink returned false for the last item. */
  declare readonly drain: Drain;
  /** As drain, for a sink of the user. */
  declare readonly userDrain: UserDrain;
  view: object | null = null;
  /** Called for items that pushAll has pushed. */
  pushed: Pushed | undefined = undefined;
  #pusher: ColumnPusher | null = null;
  #batches: Batches<I> | null = null;
  #accumulator: Accumulator | null = null;
  /** Shows the items to a program; null if none does. */
  #face: object | null = null;
  readonly frame: Frame;
  /** The sessions in compiled code; null where the engine has to move all buffers. */
  readonly compiled: CompiledSession | null;
  readonly #movers: readonly RigidMover[];
  #item: ItemType;
  /** That of the session before. */
  #former: ItemType;
  /** The item type of the class. */
  #coded: ItemType;
  /** Of these items: the packings of all hops, their name, and whether they are read as views of bytes. */
  #packings: readonly Packing[] = [];
  #terms = "";
  #showsBytes = false;

  /** Of a class that {@link newBelt} makes. */
  constructor(frame: Frame, item: I) {
    const movers: RigidMover[] = [];
    super(
      assemble(frame, (joint) => {
        movers[joint.hop] = new RigidMover(frame.site, joint);
        return movers[joint.hop];
      }),
    );
    this.compiled = compiledSession(this.machinery, frame.ends);
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

  /** @throws UsageError for columns that are none of these items, or do not have so many */
  checkColumns(dests: Uint32Array, columns: Columns<I>, first: number, end: number): void {
    checkDests(dests, first, end);
    const arrays = columnsIn(this.pusher.lanes, columns, end, "pushAll");
    if ([dests, ...arrays].some(isFreed)) throw new UsageError(`pushAll: expected ${FREED}`);
  }

  /** As pushAll: `most` items at most. */
  pushMost(dests: Uint32Array, columns: Columns<I>, first: number, end: number, most: number): number {
    checkDests(dests, first, end);
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

  /** Puts items where kernels read them, some of `first` to `end` - 1; gives the end of these. @throws as pushMost */
  stage(dests: Uint32Array, columns: Columns<I>, first: number, end: number): number {
    checkDests(dests, first, end);
    const { pusher } = this;
    pusher.take(dests, columnsIn(pusher.lanes, columns, end, "pushAll"));
    return pusher.stage(first, end);
  }

  /** @throws UsageError, RigidError for what cannot be pushed: a rank and values */
  misfit(given: ArrayLike<unknown>): never {
    throw misfitError(this.#item, given);
  }

  /** The pusher of checked columns. */
  get pusher(): ColumnPusher {
    if (this.#pusher !== null) return this.#pusher;
    const { outbox } = this;
    this.compiled?.prepare();
    this.#pusher = new ColumnPusher(
      ...([this.frame, outbox, this.machinery.ways, lanesOf(this.#item)] as const),
      ...([this.#item.bytes, this.pushed, this.compiled] as const),
    );
    return this.#pusher;
  }

  /** Pulls all items of the next received buffer; null if there is none now. */
  pullAll(): Batch<I> | null {
    const { inbox } = this.machinery;
    if (!this.isBegun) throw this.refusal("pullAll");
    if (inbox.next === inbox.limit && !this.#fetch()) return null;
    this.#batches ??= new Batches(this.#item as I, inbox, this.frame);
    return this.#batches.take();
  }

  /** Adds all items that can be pulled now to a table; gives their number. */
  accumulate(table: TypedArray, options: AccumulateOptions): number {
    if (!this.isBegun) throw this.refusal("accumulate");
    const accumulator = this.accumulatorFor(table, options, "accumulate");
    let items = 0;
    while (this.refill()) items += accumulator.take("accumulate");
    return items;
  }

  /** The accumulator, for a table. @throws UsageError for a table or fields that do not fit */
  accumulatorFor(table: TypedArray, options: AccumulateOptions, call: string): Accumulator {
    this.#accumulator ??= new Accumulator(this.#item, this.frame, this.cursor);
    this.#accumulator.prepare(table, options, call);
    return this.#accumulator;
  }

  /** As ItemSeat says; a push without room is refused. */
  makesRoom(dest: number, link: number): boolean {
    return this.outbox.open(link) || this.refused(dest);
  }

  /** The type of the items, of this session or the next. */
  get itemType(): ItemType {
    return this.#item;
  }

  /** Fetches the next buffer if nothing is left to pull; returns whether there is an item to pull. */
  refill(): boolean {
    const { cursor } = this;
    return cursor.next !== cursor.limit || this.#fetch();
  }

  /** The sender of the last pulled item. */
  get from(): number {
    const { inbox } = this.machinery;
    return originOf(this.frame.choice.route, inbox.link, inbox.tag);
  }

  /** Puts the last pulled item back; whether that was possible. */
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
    if (this.compiled?.pays()) this.engine = this.compiled;
    for (let hop = 0; hop < movers.length; hop++) movers[hop].begin(packings[hop]);
    return this.#terms;
  }

  /** Makes what shows it to a program, in each session with the push, pull and item of its item type. */
  face<Face extends object>(of: Base<Face>): Face {
    const face = newFace(of, this, ...partsOf(this.frame, this.#coded));
    this.#face = face;
    return face;
  }

  /** Becomes a conveyor of another item type. */
  #convert(item: ItemType): void {
    const parts = partsOf(this.frame, item);
    this.view = viewOf(item, this.store, this.cursor);
    Object.setPrototypeOf(this, itemClass(RigidBelt, ...parts).prototype);
    if (this.#face !== null) showItems(this.#face, this, ...parts);
    this.#coded = item;
    this.#pusher = null;
    this.#batches = null;
    this.#accumulator = null;
  }

  /** With an item type for this session. */
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

/** Makes a conveyor of the class for its items. */
export const newBelt = <I extends ItemType>(frame: Frame, item: I): RigidBelt<I> =>
  new (itemClass(RigidBelt<I>, ...partsOf(frame, item)))(frame, item);
