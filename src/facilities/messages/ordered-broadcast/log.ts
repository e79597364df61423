/**
 * The log of a member: parts of messages in the order of the root, until this member has delivered them and its
 * children have them.
 *
 *     words   ┌──────┬──────┬──────┬──────┬──────┬────────┐
 *             │ part │ part │ part │ part │ part │ unused │
 *             └──────┴──────┴──────┴──────┴──────┴────────┘
 *                      ▲ own         ▲ child 2    ▲ tail (child 1 has all)
 *
 * Each of those that it waits for has a cursor. What all cursors have passed is dropped when the end of the memory is
 * reached: the rest is moved to its start, or to a longer memory.
 *
 * Limits: it lies in the memory of the thread, as it may have to grow in the middle of a submit (relay.ts), where a
 * full heap would be the end of the world. It does not shrink.
 */
import { copyWords, EXTENT, FROM, KIND, LOG_HEAD_WORDS, wordsOf } from "./layout.ts";

const FIRST_WORDS = 2048;

/** How far one has got. */
export class LogCursor {
  /** Word of the next part. */
  at = 0;
  /** Parts before it. */
  count = 0;
}

/** Parts in order. */
export class PartLog {
  i32: Int32Array = new Int32Array(FIRST_WORDS);
  /** Parts that were ever appended. */
  appended = 0;
  #tail = 0;
  readonly #cursors = new Set<LogCursor>();

  /** One who has got nothing yet. Only while the log is empty. */
  cursor(): LogCursor {
    const cursor = new LogCursor();
    this.#cursors.add(cursor);
    return cursor;
  }

  /** Nobody waits for what is behind it. */
  drop(cursor: LogCursor): void {
    this.#cursors.delete(cursor);
    cursor.count = Number.POSITIVE_INFINITY;
  }

  /** Appends a part. @param content where it lies: a word of `words` */
  append(from: number, kind: number, words: Int32Array, content: number, bytes: number, isLast: boolean): void {
    const length = wordsOf(bytes);
    const size = LOG_HEAD_WORDS + length;
    if (this.#tail + size > this.i32.length) this.#makeRoom(size);
    const { i32 } = this;
    const at = this.#tail;
    i32[at + FROM] = from;
    i32[at + KIND] = kind;
    i32[at + EXTENT] = bytes * 2 + (isLast ? 1 : 0);
    copyWords(i32, at + LOG_HEAD_WORDS, words, content, length);
    this.#tail = at + size;
    this.appended++;
  }

  /** Moves a cursor behind its part. */
  pass(cursor: LogCursor): void {
    const bytes = (this.i32[cursor.at + EXTENT] as number) >>> 1;
    cursor.at += LOG_HEAD_WORDS + wordsOf(bytes);
    cursor.count++;
  }

  #makeRoom(size: number): void {
    let head = this.#tail;
    for (const { at } of this.#cursors) head = Math.min(head, at);
    const used = this.#tail - head;
    // at least half of it is unused then, so that what is moved is paid by what was appended
    if (2 * (used + size) <= this.i32.length) this.i32.copyWithin(0, head, this.#tail);
    else {
      const longer = new Int32Array(2 ** Math.ceil(Math.log2(2 * (used + size))));
      longer.set(this.i32.subarray(head, this.#tail));
      this.i32 = longer;
    }
    this.#tail = used;
    for (const cursor of this.#cursors) cursor.at -= head;
  }
}
