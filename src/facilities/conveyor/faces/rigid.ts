/** The public members of conveyors of items of one type, but those that wait. */
import { noInline } from "../../../ground/base/for-v8.ts";
import type { ItemArguments, Pushes } from "../../../ground/item/arguments.ts";
import type { Columns } from "../../../ground/item/columns.ts";
import type { ItemType, ItemValue } from "../../../ground/item/item-type.ts";
import type { TypedArray } from "../../../ground/memory/kernels/elements.ts";
import type { AccumulateOptions } from "../belts/accumulating.ts";
import type { Batch } from "../belts/batch.ts";
import type { RigidBelt } from "../belts/rigid.ts";
import { detached } from "../codegen/code.ts";
import { renamed } from "../engine/refusal.ts";
import { SessionFace } from "./session.ts";

/** A conveyor of items of one type, as seen by one PE. */
export abstract class RigidFace<I extends ItemType> extends SessionFace {
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
  readonly #belt: RigidBelt<I>;

  protected constructor(belt: RigidBelt<I>) {
    super(belt);
    this.#belt = belt;
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
    const belt = this.#belt;
    return noInline(belt.pushMost, belt, dests, columns, first, end, Number.POSITIVE_INFINITY);
  }

  /**
   * Pulls all items of the next received buffer. {@link unpull} puts the last of them back, and may be repeated for
   * each item.
   * @returns null if there is none now; else one object, which always shows the last batch
   * @throws StateError before begin
   */
  pullAll(): Batch<I> | null {
    if (this === undefined) detached("pullAll");
    const belt = this.#belt;
    return noInline(belt.pullAll, belt);
  }

  /**
   * Pulls all items that can be pulled now, and adds them to a table: to the element that each names, without a call
   * for any of them. A table of `pe.alloc` is the fastest.
   *
   *     for (let i = 0; c.advance(i === dests.length); ) {
   *       i = c.pushAll(dests, { slot, value }, i);
   *       c.accumulate(sums, { op: "sum", index: "slot", value: "value" });
   *     }
   *
   * @returns the number of items
   * @throws StateError before begin; UsageError for a table or fields that do not fit; IndexRangeError for an item that
   *   names no element: those before it are in the table, and it is the next item
   */
  accumulate(table: TypedArray, options: AccumulateOptions<I>): number {
    const belt = this.#belt;
    return noInline(belt.accumulate, belt, table, options);
  }

  /** The sender of the last pulled item. */
  get from(): number {
    return this.#belt.from;
  }

  /**
   * Puts the last pulled item back, to be pulled again. It succeeds right after a pull and may be refused otherwise.
   * @returns whether the item was put back
   * @throws StateError when dormant
   */
  unpull(): boolean {
    return this.#belt.unpull();
  }
}
