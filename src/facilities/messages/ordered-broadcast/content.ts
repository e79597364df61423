/** A message that is put together from its parts in the log. Its memory is used again for the next one. */
import { copyWords, EXTENT, FROM, LOG_HEAD_WORDS, wordsOf } from "./layout.ts";
import type { LogCursor, PartLog } from "./log.ts";

export class LoggedMessage {
  /** Its words; and its bytes, all of the memory. */
  i32: Int32Array;
  u8: Uint8Array;
  /** Bytes of it. */
  length = 0;
  /** Rank in the group of who has submitted it. */
  from = -1;
  #isWhole = true;

  /** @param bytes that have room at first */
  constructor(bytes: number) {
    this.i32 = new Int32Array(sizeFor(bytes));
    this.u8 = new Uint8Array(this.i32.buffer);
  }

  /** Takes the next part. @returns whether the message is whole with it */
  take(log: PartLog, cursor: LogCursor): boolean {
    const { i32 } = log;
    const { at } = cursor;
    const extent = i32[at + EXTENT] as number;
    const bytes = extent >>> 1;
    const before = this.#isWhole ? 0 : this.length;
    const length = before + bytes;
    if (length > this.u8.length) this.#grow(before, length);
    // all parts but the last one are of whole words
    copyWords(this.i32, before / 4, i32, at + LOG_HEAD_WORDS, wordsOf(bytes));
    this.length = length;
    this.from = i32[at + FROM] as number;
    this.#isWhole = (extent & 1) === 1;
    log.pass(cursor);
    return this.#isWhole;
  }

  /** @param used bytes that stay */
  #grow(used: number, length: number): void {
    const longer = new Int32Array(sizeFor(length));
    longer.set(this.i32.subarray(0, wordsOf(used)));
    this.i32 = longer;
    this.u8 = new Uint8Array(longer.buffer);
  }
}

/** Words of a memory for so many bytes: an even number. */
const sizeFor = (bytes: number): number => 2 ** Math.ceil(Math.log2(wordsOf(bytes) + 2));
