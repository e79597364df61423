/**
 * The slow start of a conveyor: its first buffers are sent with few items, each with twice as many as the one before.
 *
 * V8 compiles a function by what it has done so far. A loop that pushes fills its first buffers with thousands of
 * items; what it does when one is full, or when there is no room, would come first in compiled code, which is thrown
 * away then. By the end of a slow start all of that has happened, and only some hundred items were pushed. It also
 * brings the first items to the others sooner.
 *
 * Source of the name: the slow start of TCP (RFC 5681), where a sender doubles what it has under way.
 */

/** Items of the first buffer, and of the last short one: 504 in all short ones. */
const FIRST_ITEMS = 8;
const LAST_ITEMS = 256;
/** Bytes that an item takes, where items have lengths of their own. */
const ITEM_BYTES = 32;

/** Of one outbox. */
export class SlowStart {
  /** Items of the next buffer. */
  #items = FIRST_ITEMS;

  /** Whether the next buffer is no short one. */
  get isOver(): boolean {
    return this.#items > LAST_ITEMS;
  }

  /**
   * Bytes with which the next buffer is sent.
   * @param stride bytes of an item; null where they differ
   * @param most of a later one
   */
  next(stride: number | null, most: number): number {
    const bytes = this.#items * (stride ?? ITEM_BYTES);
    this.#items *= 2;
    return Math.min(bytes, most);
  }
}
