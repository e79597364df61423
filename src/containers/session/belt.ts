/** The conveyor of operations: packets that are written from a scratch and read where they lie. */
import { lengthOf } from "../../base/byte-length.ts";
import { UsageError } from "../../base/errors.ts";
import { shortText } from "../../base/short-text.ts";
import { PacketBelt } from "../../conveyor/belts/packet-belt.ts";
import type { Frame } from "../../conveyor/engine/assembly.ts";
import { Scratch } from "../content/cursor.ts";

/** Longer operations are copied by a call, which costs more than some words. */
const SHORT_BYTES = 96;

export class OperationBelt extends PacketBelt<Uint8Array> {
  /** What the next operation is put together in. */
  readonly scratch: Scratch = new Scratch();

  /** @internal */
  constructor(frame: Frame) {
    super(frame);
  }

  /** Pushes what is in the scratch up to its place. @returns false if there is no room now */
  pushScratch(dest: number): boolean {
    const { at, views } = this.scratch;
    return this.put(dest, views.u8, at);
  }

  /** Pushes a copy that was made while there was no room. */
  push(dest: number, bytes: Uint8Array): boolean {
    return this.put(dest, bytes, lengthOf(bytes));
  }

  /** The next received operation is at {@link place} then. */
  pull(): boolean {
    return this.next();
  }

  protected copy(bytes: Uint8Array, at: number): void {
    const { views, at: length } = this.scratch;
    if (bytes !== views.u8) {
      this.views.u8.set(bytes, at);
    } else if (length > SHORT_BYTES) {
      this.views.u8.set(bytes.subarray(0, length), at);
    } else {
      const from = views.u32;
      const { u32 } = this.views;
      const shift = at >>> 2;
      const words = (length + 3) >>> 2;
      for (let i = 0; i < words; i++) u32[shift + i] = from[i] as number;
    }
  }

  protected bytesOf(bytes: Uint8Array): Uint8Array {
    return bytes === this.scratch.views.u8 ? bytes.subarray(0, this.scratch.at) : bytes;
  }

  protected noItem(bytes: unknown): UsageError {
    return new UsageError(`expected the bytes of an operation, got ${shortText(bytes)}`);
  }
}
