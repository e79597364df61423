/** Conveyors of items that all have the same type. */

import { UsageError } from "../../base/errors.ts";
import { noInline } from "../../base/no-inline.ts";
import { shortText } from "../../base/short-text.ts";
import { arrayInWords, type Columns, columnsIn, lanesOf } from "../../item/columns.ts";
import {
  describeItem,
  type ItemArguments,
  type ItemType,
  type ItemValue,
  isItemType,
  showsBytes,
} from "../../item/types.ts";
import type { Views } from "../../item/views.ts";
import type { TypedArray } from "../../memory/kernels/elements.ts";
import { COMPLETE, DORMANT, ENDGAME, type Status, WORKING } from "../../status/state.ts";
import { type Gate, itemCode } from "../codegen/code.ts";
import { type ItemView, showing, viewOf } from "../codegen/item-view.ts";
import { type Drain, drainCode, type UserDrain } from "../codegen/run-code.ts";
import { assemble, type Frame } from "../engine/assembly.ts";
import type { Inbox } from "../engine/inbox.ts";
import type { Outbox } from "../engine/outbox.ts";
import { misfitError, staleError } from "../engine/refusal.ts";
import { type ConveyorFeatures, Session } from "../engine/session.ts";
import type { Packing } from "../geometry/packing.ts";
import { originOf } from "../geometry/route.ts";
import { type AccumulateOptions, Accumulator } from "./accumulating.ts";
import { type Batch, Batches } from "./batch.ts";
import { ColumnPusher, type Pushed } from "./column-pusher.ts";
import { checkPushedRange } from "./pushed-range.ts";
import { RigidMover } from "./rigid-mover.ts";
import { packingsOf } from "./rigid-packings.ts";

/** A conveyor of items of one type, as seen by one PE. */
export class RigidBelt<I extends ItemType> extends Session implements ItemView {
  /**
   * Copies an item into the conveyor, for PE `dest`: the fields of a struct in order, or the one value of another item.
   * A value of another type is rejected; numbers are truncated to the field's width.
   * @returns false if there is no room now: advance, and try again
   * @throws StateError, UsageError; nothing changes then
   */
  push!: (dest: number, ...values: ItemArguments<I>) => boolean;
  /**
   * Pulls the next received item; read it with {@link item}, and its sender with {@link from}.
   * @returns false if there is none now: advance, and try again; more items may still arrive
   * @throws StateError before begin
   */
  pull!: () => boolean;
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
  /** @internal */
  view: object | null = null;
  /** @internal is told of items that pushAll has pushed */
  pushed: Pushed | undefined = undefined;
  #pusher: ColumnPusher | null = null;
  #batches: Batches<I> | null = null;
  #accumulator: Accumulator | null = null;
  #drain: Drain | null = null;
  #userDrain: UserDrain | null = null;
  /** @internal */
  readonly frame: Frame;
  readonly #movers: readonly RigidMover[];
  #gate: Gate;
  #item: ItemType;
  /** That of the session before. */
  #former: ItemType;
  #coded: ItemType | null = null;
  /** Of the items that were coded last: the packings of all hops, their name, and whether they are read as views of bytes. */
  #packings: readonly Packing[] = [];
  #terms = "";
  #showsBytes = false;

  /** @internal see makeConveyor */
  constructor(frame: Frame, item: I) {
    const movers: RigidMover[] = [];
    super(
      assemble(frame, (joint) => {
        movers[joint.hop] = new RigidMover(frame.site, joint);
        return movers[joint.hop];
      }),
    );
    this.frame = frame;
    this.store = frame.site.views;
    this.cursor = this.machinery.inbox;
    this.#item = item;
    this.#former = item;
    this.#terms = describeItem(item);
    this.agreed = this.#terms;
    this.#movers = movers;
    this.#gate = this.#newGate();
    this.#compile(item);
  }

  /** A literal without a spread: see assemble. */
  #newGate(): Gate {
    const { route } = this.frame.choice;
    return {
      state: DORMANT,
      direct: route.hops === 1,
      link: route.link,
      tag: route.tag,
      size: this.size,
      refuse: (call) => {
        const isLegal = call === "pull" ? this.isBegun : this.phase === WORKING;
        if (!isLegal) throw this.refusal(call);
        throw staleError(call);
      },
      range: (dest) => this.checkRank(dest) as never,
      misfit: (given) => {
        throw misfitError(this.#item, given);
      },
      fetch: () => this.#fetch(),
    };
  }

  get features(): ConveyorFeatures {
    const { choice, squeezer } = this.machinery;
    return { elastic: false, steady: choice.steady, compressed: squeezer !== null };
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
    if (next === first && first < end) this.checkRank(dests[first]);
    return next;
  }

  /** @internal the outbox of the first hop */
  get outbox(): Outbox {
    return this.machinery.outboxes[0];
  }

  /** @internal throws the error for what cannot be pushed: a rank and values */
  misfit(given: readonly unknown[]): never {
    return this.#gate.misfit(given as unknown as IArguments);
  }

  /** @internal what pushes checked columns */
  get pusher(): ColumnPusher {
    const { outbox } = this;
    this.#pusher ??= new ColumnPusher(
      ...([this.frame, outbox, lanesOf(this.#item), this.#item.bytes, this.pushed] as const),
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

  /** @internal number of arguments of a push after the destination */
  protected get arity(): number {
    return this.#item.kind === "struct" ? this.#item.fields.length : 1;
  }

  /** @internal passes one received buffer to a sink; false if the sink returned false for the last item */
  get drain(): Drain {
    this.#drain ??= this.#drainCode(false);
    return this.#drain;
  }

  /** @internal as drain, for a sink of the user */
  get userDrain(): UserDrain {
    this.#userDrain ??= this.#drainCode(true);
    return this.#userDrain;
  }

  #drainCode(isUsers: boolean): Drain & UserDrain {
    const { route } = this.frame.choice;
    const { tagBytes } = route.each[route.hops - 1];
    return drainCode(this.#item, tagBytes, route, this.store, this.#gate, this.cursor, this.view, isUsers);
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
      this.#compile(item);
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

  #compile(item: ItemType): void {
    if (this.#coded === item) return;
    if (this.#coded !== null) {
      // functions made for the former item type are rejected from now on
      this.#gate.state = DORMANT;
      this.#gate = this.#newGate();
    }
    const { site, choice } = this.frame;
    const { route } = choice;
    const { outboxes, inbox } = this.machinery;
    const first = route.each[0].tagBytes;
    const last = route.each[route.hops - 1].tagBytes;
    const code = itemCode(item, first, last, site.views, this.#gate, outboxes[0], inbox);
    this.view = viewOf(item, site.views, inbox);
    if (this.#coded !== null) {
      // the item type is another than the one that the class was chosen by
      const base = (this as object).constructor as typeof RigidBelt;
      Object.setPrototypeOf(this, showing(base, item, site.views).prototype);
    }
    this.#coded = item;
    this.#pusher = null;
    this.#batches = null;
    this.#accumulator = null;
    this.#drain = null;
    this.#userDrain = null;
    this.push = code.push as typeof this.push;
    this.pull = code.pull;
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

  /** @internal */
  override turnBegin(): boolean {
    const hasBegun = super.turnBegin();
    if (hasBegun) this.#gate.state = this.phase;
    return hasBegun;
  }

  protected override refuseBegin(): void {
    this.#item = this.#former;
    super.refuseBegin();
  }

  /** @internal */
  override proceed(done: boolean): Status {
    if (done && this.#gate.state === WORKING) this.#gate.state = ENDGAME;
    return super.proceed(done);
  }

  protected override release(): void {
    this.#gate.state = DORMANT;
    super.release();
  }

  #fetch(): boolean {
    if (!this.isBegun) throw this.refusal("pull");
    return this.phase !== COMPLETE && this.machinery.inbox.fetch();
  }

  protected tally(): { pushes: number; pulls: number } {
    const { outboxes, inbox } = this.machinery;
    return {
      pushes: outboxes[0].items + outboxes[0].pending,
      pulls: inbox.pulled + this.unpulls,
    };
  }
}
