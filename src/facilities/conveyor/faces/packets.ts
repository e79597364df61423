/** The public members of conveyors whose items have lengths of their own, but those that wait. */
import { bytesIn } from "../../../ground/base/byte-length.ts";
import type { ElasticBelt } from "../belts/elastic.ts";
import type { PacketBelt } from "../belts/packet-belt.ts";
import type { ElasticBatch } from "../belts/packet-columns.ts";
import type { ValueBelt } from "../belts/values.ts";
import { detached } from "../codegen/code.ts";
import { renamed, wrongCount } from "../engine/refusal.ts";
import { SessionFace } from "./session.ts";

/** A conveyor of packets, as seen by one PE. */
export abstract class PacketFace extends SessionFace {
  readonly #belt: PacketBelt<never>;

  protected constructor(belt: PacketBelt<never>) {
    super(belt);
    this.#belt = belt;
  }

  /** The bytes of the last pulled item: a view of memory that the next pull may reuse, so copy what you keep. */
  get bytes(): Uint8Array {
    return this.#belt.bytes;
  }

  /** The sender of the last pulled item. */
  get from(): number {
    return this.#belt.from;
  }

  /**
   * Puts the last pulled item back, to be pulled again. It must be called right after the pull, and works for one item
   * only.
   * @returns whether the item was put back
   * @throws StateError when dormant
   */
  unpull(): boolean {
    return this.#belt.unpull();
  }
}

/** An elastic conveyor, as seen by one PE. */
export abstract class ElasticFace extends PacketFace {
  readonly #belt: ElasticBelt;

  protected constructor(belt: ElasticBelt) {
    super(belt);
    this.#belt = belt;
  }

  /**
   * Copies `bytes` into the conveyor, for PE `dest`; any length from 0 on.
   * @returns false if there is no room now: advance, and try again
   * @throws StateError, UsageError; OverflowError for an item that the heap could never hold; nothing changes then
   */
  push(dest: number, bytes: Uint8Array): boolean {
    if (this === undefined) detached("push");
    if (arguments.length !== 2) wrongCount("push", arguments.length);
    return this.#belt.push(dest, bytes);
  }

  /**
   * As {@link push}, and then {@link flush} of the item's destination: the item, and all before it, waits in no buffer.
   * @throws as push
   */
  pushUrgent(dest: number, bytes: Uint8Array): boolean {
    if (this === undefined) detached("pushUrgent");
    if (arguments.length !== 2) wrongCount("pushUrgent", arguments.length);
    try {
      if (!this.#belt.push(dest, bytes)) return false;
    } catch (error) {
      throw renamed(error, "pushUrgent");
    }
    this.flush(dest);
    return true;
  }

  /**
   * Copies many items into the conveyor, in order: item i is for PE `dests[i]`, and is `bytes` from `offsets[i]` to
   * `offsets[i + 1]` - 1. Arrays of `pe.alloc` are read where they are.
   *
   *     for (let i = 0; c.advance(i === dests.length); ) {
   *       i = c.pushAll(dests, bytes, offsets, i);
   *       for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) read(batch.bytes, batch.offsets);
   *     }
   *
   * @param offsets one more than there are items
   * @param first index of the first item
   * @param end index after the last item
   * @returns the index of the first item that was not pushed: `end`, or less if there is no room now, or if a
   *   destination is not a rank, or offsets are not in order or not within `bytes`
   * @throws StateError, unless `first` is `end`; UsageError for invalid arrays; if it is item `first` that cannot be
   *   pushed, RankRangeError, UsageError for its offsets, OverflowError as push; nothing changes then
   */
  pushAll(dests: Uint32Array, bytes: Uint8Array, offsets: Uint32Array, first = 0, end: number = dests?.length): number {
    if (this === undefined) detached("pushAll");
    return this.#belt.pushAll({ dests, bytes, offsets }, first, end);
  }

  /**
   * Pulls all items of the next received buffer, up to an oversized one, which comes by itself. {@link unpull} does not
   * put them back.
   * @returns null if there is none now; else one object, which always shows the last batch
   * @throws StateError before begin
   */
  pullAll(): ElasticBatch | null {
    if (this === undefined) detached("pullAll");
    return this.#belt.pullAll();
  }

  /**
   * Pulls the next received item; read it with {@link bytes}, and its sender with {@link from}.
   * @param length the required length; an item of another length stays the next item. @default any
   * @returns false if there is none now; more items may still arrive
   * @throws StateError before begin; MisfitError for another length
   */
  pull(length?: number): boolean {
    if (this === undefined) detached("pull");
    return this.#belt.pull(length);
  }
}

/** A value conveyor, as seen by one PE. @typeParam V the type of the values */
export abstract class ValueFace<V> extends PacketFace {
  readonly #belt: ValueBelt<V>;

  protected constructor(belt: ValueBelt<V>) {
    super(belt);
    this.#belt = belt;
  }

  /**
   * Copies `value` into the conveyor, for PE `dest`. It is serialized if there is room for the smallest item; if there
   * is too little for this one nothing of it is kept, and the next push serializes it as it is then.
   * @returns false if there is no room now: advance, and try again
   * @throws StateError, RankRangeError; what `serialize` throws; UsageError for a value that cannot be cloned or is no
   *   array of the conveyor's type, and if `serialize` returns no bytes; OverflowError as an elastic conveyor; nothing
   *   changes then
   */
  push(dest: number, value: V): boolean {
    if (this === undefined) detached("push");
    if (arguments.length !== 2) wrongCount("push", arguments.length);
    const belt = this.#belt;
    const item = belt.encoded(dest, value);
    return item !== null && belt.put(dest, item, bytesIn(item));
  }

  /**
   * As {@link push}, and then {@link flush} of the value's destination: the value, and all before it, waits in no
   * buffer.
   * @throws as push
   */
  pushUrgent(dest: number, value: V): boolean {
    if (this === undefined) detached("pushUrgent");
    if (arguments.length !== 2) wrongCount("pushUrgent", arguments.length);
    try {
      if (!this.push(dest, value)) return false;
    } catch (error) {
      throw renamed(error, "pushUrgent");
    }
    this.flush(dest);
    return true;
  }

  /**
   * Pulls the next received item; read it with {@link value}, and its sender with {@link from}.
   * @returns false if there is none now; more items may still arrive
   * @throws StateError before begin
   */
  pull(): boolean {
    if (this === undefined) detached("pull");
    return this.#belt.pull();
  }

  /**
   * The last pulled item. A value that is deserialized is the caller's to keep; an array is a view of memory that the
   * next pull may reuse, as {@link bytes}. Read it before the next pull. It is the same value until then, and undefined
   * before the first pull.
   * @throws what `deserialize` throws, each time it is read: the item was pulled, {@link bytes} has its bytes, and
   *   {@link unpull} puts it back; StateError if a pull that returned false, an unpull or a reset came before it was
   *   read
   */
  get value(): V {
    return this.#belt.value;
  }
}
