/**
 * Where an array is that is pushed: in the heap, where kernels read it, or elsewhere. Then parts of it are copied into
 * the staging.
 *
 * The answers about an array are kept as long as the next call has the same one: most programs push the same arrays
 * again and again, and `buffer` is a call that takes as long as pushing ten items.
 */
import { Buffer } from "node:buffer";
import { UsageError } from "../../../ground/base/errors.ts";
import type { ColumnArray } from "../../../ground/item/columns.ts";
import type { Views } from "../../../ground/item/views.ts";
import { FREED, isFreed } from "../../../ground/memory/freed.ts";

/**
 * V8 copies to shared memory by words of so many bytes, if the source and the target lie alike in them; else byte by
 * byte, six times as long.
 */
const COPY_WORD = 8;
/** From so many bytes on `fill` is faster than `set`: it is memcpy, but takes 0.1 us longer to be called. */
const LONG = 4096;

export class ColumnSource {
  /** Byte offset of the array in the heap; -1 if it is elsewhere. */
  at = -1;
  readonly #heap: Buffer;
  readonly #u8: Uint8Array;
  #array: ColumnArray | null = null;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor({ u8 }: Views) {
    this.#u8 = u8;
    this.#heap = Buffer.from(u8.buffer, u8.byteOffset, u8.byteLength);
  }

  /** Looks where an array is. @throws UsageError for one of the heap that was given back */
  take(array: ColumnArray): void {
    // the buffer may have been resized since
    if (array !== this.#array || array.byteLength !== this.#bytes.byteLength) this.#look(array);
    if (this.at >= 0 && isFreed(array)) throw new UsageError(`pushAll: expected ${FREED}`);
  }

  #look(array: ColumnArray): void {
    const { buffer, byteOffset, byteLength } = array;
    this.#array = array;
    this.#bytes = new Uint8Array(buffer, byteOffset, byteLength);
    this.at = buffer === this.#u8.buffer ? byteOffset : -1;
  }

  /** Copies bytes `from` to `to` - 1 to a place in the heap, or a few bytes after it; gives where they begin. */
  stage(place: number, from: number, to: number): number {
    const part = this.#bytes.subarray(from, to);
    if (to - from >= LONG) {
      this.#heap.fill(part, place, place + to - from);
      return place;
    }
    const start = place + (part.byteOffset % COPY_WORD);
    this.#u8.set(part, start);
    return start;
  }
}
