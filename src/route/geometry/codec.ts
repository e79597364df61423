/**
 * Compression of buffers between nodes: a codec compresses the items of a buffer before it is sent.
 *
 * The built-in codec finds the bits that are equal in all items of the buffer, and sends them once:
 *
 *     ┌──────────────────────┬───────────────────────┬───────────────────────────────────────┐
 *     │ mask: bits that vary │ stamp: the other bits │ the varying bits of item 0, 1, 2, …   │
 *     └──────────────────────┴───────────────────────┴───────────────────────────────────────┘
 *       itemBytes              itemBytes               count * (number of ones in mask) bits, whole bytes
 *
 * Source: Maley, DeVinney, "Conveyors for Streaming Many-To-Many Communication", section 3.6, "Compression"; squeeze.c
 * of bale's convey, which works on words.
 *
 * Example: 1000 indices below 4096 as u64: 12 bits of 64 vary, so 8016 bytes become 16 + 1500.
 */

import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { Views } from "../../ground/item/views.ts";

/** Compresses and decompresses the items of a buffer. Every PE of a conveyor has the same codec. */
export interface Codec {
  /**
   * Writes `items` (of `itemBytes` bytes each, contiguous) to `target` in fewer bytes.
   * @returns the number of bytes written to `target`; 0 to leave the items uncompressed
   */
  compress(items: Uint8Array, itemBytes: number, target: Uint8Array): number;
  /** Writes the items that {@link compress} took to `items`, which has the same length. */
  decompress(compressed: Uint8Array, itemBytes: number, items: Uint8Array): void;
}

/** Fewer items than this cannot be compressed. */
const FEWEST = 3;

/** Sends constant bits once. */
export const constantBits: Codec = {
  compress(items, itemBytes, target) {
    const count = items.length / itemBytes;
    if (count < FEWEST) return 0;
    const mask = new Uint8Array(itemBytes);
    let varying = 0;
    for (let byte = 0; byte < itemBytes; byte++) {
      let any = 0;
      let all = 255;
      for (let at = byte; at < items.length; at += itemBytes) {
        any |= items[at];
        all &= items[at];
      }
      mask[byte] = any ^ all;
      target[byte] = any ^ all;
      target[itemBytes + byte] = all;
      varying += onesIn(any ^ all);
    }
    const bytes = 2 * itemBytes + Math.ceil((count * varying) / 8);
    if (bytes >= items.length) return 0;
    let to = 2 * itemBytes;
    let buffer = 0;
    let held = 0;
    for (let at = 0; at < items.length; ) {
      for (let byte = 0; byte < itemBytes; byte++, at++) {
        let left = mask[byte];
        const value = items[at];
        while (left !== 0) {
          const bit = left & -left;
          buffer |= (value & bit ? 1 : 0) << held;
          left ^= bit;
          if (++held < 8) continue;
          target[to++] = buffer;
          buffer = 0;
          held = 0;
        }
      }
    }
    if (held > 0) target[to++] = buffer;
    return to;
  },

  decompress(compressed, itemBytes, items) {
    let from = 2 * itemBytes;
    let buffer = 0;
    let held = 0;
    for (let at = 0; at < items.length; ) {
      for (let byte = 0; byte < itemBytes; byte++, at++) {
        let left = compressed[byte];
        let value = compressed[itemBytes + byte];
        while (left !== 0) {
          const bit = left & -left;
          if (held === 0) {
            buffer = compressed[from++];
            held = 8;
          }
          if (buffer & 1) value |= bit;
          buffer >>= 1;
          held--;
          left ^= bit;
        }
        items[at] = value;
      }
    }
  },
};

const onesIn = (byte: number): number => {
  let ones = 0;
  for (let left = byte; left !== 0; left &= left - 1) ones++;
  return ones;
};

/** The least useful compression: by an eighth. Source: bale's convey. */
const WORTH = 7 / 8;

/** Compresses and decompresses the items of a hop in two buffers of scratch. Tags stay as they are, below. */
export class Squeezer {
  readonly #u8: Uint8Array;
  readonly #codec: Codec;
  readonly #out: number;
  readonly #in: number;
  readonly #bufferBytes: number;
  readonly #fail: (error: Error) => Error;
  /** Of this session: bytes saved. */
  saved = 0;

  /** @param scratch byte offset of two buffers @param fail ends the session at all PEs: corrupt items are lost */
  constructor(
    { u8 }: Views,
    codec: Codec,
    scratch: number,
    bufferBytes: number,
    fail: (error: Error) => Error = (error) => error,
  ) {
    this.#fail = fail;
    this.#u8 = u8;
    this.#codec = codec;
    this.#out = scratch;
    this.#in = scratch + bufferBytes;
    this.#bufferBytes = bufferBytes;
  }

  /** Compresses the items at `base` in place; returns their new size in bytes. @param unit bytes of an item */
  compress(base: number, bytes: number, unit: number): number {
    const u8 = this.#u8;
    const target = u8.subarray(this.#out, this.#out + this.#bufferBytes);
    const squeezed = this.#run("compress", () => this.#codec.compress(u8.subarray(base, base + bytes), unit, target));
    if (!(Number.isInteger(squeezed) && squeezed >= 0 && squeezed <= target.length)) {
      throw this.#fail(
        new UsageError(
          `compress: expected the codec to return how many bytes of target it wrote, 0 to ${target.length}, got ${shortText(squeezed)}`,
        ),
      );
    }
    if (squeezed === 0 || squeezed > bytes * WORTH) return bytes;
    u8.copyWithin(base, this.#out, this.#out + squeezed);
    this.saved += bytes - squeezed;
    return squeezed;
  }

  /** Decompresses items that had `whole` bytes before {@link compress}; returns their position. */
  decompress(from: number, bytes: number, unit: number, whole: number): number {
    const u8 = this.#u8;
    const items = u8.subarray(this.#in, this.#in + whole);
    this.#run("decompress", () => this.#codec.decompress(u8.subarray(from, from + bytes), unit, items));
    return this.#in;
  }

  #run<T>(name: string, call: () => T): T {
    try {
      return call();
    } catch (cause) {
      throw this.#fail(new UsageError(`${name}: the codec threw ${shortText(cause)}`, { cause }));
    }
  }
}
