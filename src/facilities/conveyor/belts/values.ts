/**
 * Value conveyors: items are values, transported as packets of their bytes (packet-belt.ts), oversized ones included.
 * How a value becomes bytes is in value-kinds.ts.
 *
 * A value is made when it is read first, once for each pull. A pull gives the bytes of the item before it back, so a
 * value that was not read until then cannot be made any more:
 *
 *             pull: true                 value                pull: false, reset
 *     NONE ───────────────▶ UNREAD ───────────────▶ READ      UNREAD ──────▶ GONE      unpull: GONE
 */

import { bytesIn, bytesUnder } from "../../../ground/base/byte-length.ts";
import { StateError, UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { ArrayType, TypedArray } from "../../../ground/memory/kernels/elements.ts";
import { WORKING } from "../../../links/status/state.ts";
import type { Frame } from "../engine/assembly.ts";
import { HEAD, reserve } from "../engine/packets.ts";
import { PacketBelt } from "./packet-belt.ts";
import type { ValueKind } from "./value-kinds.ts";

/** States of the value of the last pulled item. */
const NONE = 0;
const UNREAD = 1;
const READ = 2;
const GONE = 3;

/** A value conveyor, as seen by one PE. */
export class ValueBelt<V> extends PacketBelt<TypedArray> {
  readonly #kind: ValueKind<V>;
  /** All of the memory as arrays of the type that is copied. */
  readonly #memory: TypedArray;
  readonly #width: number;
  #shown = NONE;
  #value: V | undefined = undefined;

  constructor(frame: Frame, kind: ValueKind<V>) {
    super(frame);
    const { type } = kind;
    this.#kind = kind;
    this.#memory = memoryAs(type, this.views.u8);
    this.#width = type.BYTES_PER_ELEMENT;
  }

  /**
   * The item that {@link put} copies for a value; null if there is no room for the smallest one.
   * @throws as put, and what `serialize` throws
   */
  encoded(dest: number, value: V): TypedArray | null {
    this.#check(dest);
    const { encode, decode } = this.#kind;
    if (decode !== null && reserve(this.outbox, this.machinery.ways.link[dest], HEAD) === 0) {
      this.refused(dest);
      return null;
    }
    return encode(value);
  }

  /**
   * Copies a value into the conveyor, and waits until there is room; serializes it once.
   * @param wait is called until there is
   */
  pushAfter(dest: number, value: V, wait: () => void): void {
    this.#check(dest);
    const { encode, decode } = this.#kind;
    let item = encode(value);
    if (this.put(dest, item, bytesIn(item))) return;
    // whatever is called meanwhile may serialize other values, into the same array
    if (decode !== null) item = new Uint8Array(item as Uint8Array);
    do {
      wait();
      // an array may be detached meanwhile
      if (decode === null) item = encode(value);
    } while (!this.put(dest, item, bytesIn(item)));
  }

  /** @throws what push throws whatever the item is; before code of the user runs */
  #check(dest: number): void {
    if (this.phase !== WORKING) throw this.refusal("push");
    this.checkRank(dest);
  }

  protected copy(item: TypedArray, at: number): void {
    this.#memory.set(item as never, at / this.#width);
  }

  protected bytesOf(item: TypedArray): Uint8Array {
    return bytesUnder(item);
  }

  protected noItem(item: unknown): UsageError {
    return new UsageError(`push: expected a value, got ${shortText(item)}`);
  }

  /** Pulls the next received item; false if there is none now. */
  pull(): boolean {
    const isThere = this.next();
    if (isThere) this.#show(UNREAD);
    else if (this.#shown === UNREAD) this.#shown = GONE;
    return isThere;
  }

  /** The value of the last pulled item. @throws what `deserialize` throws; StateError if it was not read in time */
  get value(): V {
    if (this.#shown === UNREAD) return this.#read();
    if (this.#shown === GONE) {
      throw new StateError(
        "value: the item is not there any more, as it was put back, or pull, reset or free was called before its value was read. Read value right after pull.",
      );
    }
    return this.#value as V;
  }

  #read(): V {
    const { pulled, unpulls } = this;
    const { decode } = this.#kind;
    const value = decode === null ? this.#view() : decode(this.#copied());
    // deserialize may have pulled another item
    if (this.pulled === pulled && this.unpulls === unpulls && this.#shown === UNREAD) {
      this.#value = value;
      this.#shown = READ;
    }
    return value;
  }

  #view(): V {
    this.lend();
    const at = this.place / this.#width;
    return this.#memory.subarray(at, at + this.lastBytes / this.#width) as V;
  }

  /** The bytes of the item in memory of their own, which is not shared. */
  #copied(): Uint8Array {
    const at = this.place;
    return this.views.u8.slice(at, at + this.lastBytes);
  }

  override unpull(): boolean {
    const isBack = super.unpull();
    if (isBack) this.#show(GONE);
    return isBack;
  }

  /** Drops the value, so that its memory can be collected. */
  #show(state: number): void {
    this.#shown = state;
    this.#value = undefined;
  }

  protected override release(): void {
    if (this.#shown === UNREAD) this.#shown = GONE;
    super.release();
  }
}

function memoryAs(type: ArrayType, { buffer }: Uint8Array): TypedArray {
  const width = type.BYTES_PER_ELEMENT;
  return new type(buffer as SharedArrayBuffer, 0, Math.floor(buffer.byteLength / width));
}
