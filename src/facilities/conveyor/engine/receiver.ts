/**
 * The receiving side of a hop: received buffers, and how many links have sent their last one in this session.
 *
 * The number that travels with a buffer (Porter.send) has four parts:
 *
 *     bit   31       30     29           28 … 0
 *         ┌────────┬──────┬────────────┬──────────────────────────────────────────────────┐
 *         │ URGENT │ LAST │ COMPRESSED │ items; bytes, if items have lengths of their own │
 *         └────────┴──────┴────────────┴──────────────────────────────────────────────────┘
 *
 * An urgent buffer was flushed by the program: who forwards it sends all that it has for the next hop.
 */
import { LAST, type Porter } from "../../../links/transport/contract.ts";

const COMPRESSED = 2 ** 29;
const URGENT = 1 << 31;
const COUNT_MASK: number = COMPRESSED - 1;

/** The number that travels with a buffer. */
export const buffersNumber = (count: number, isCompressed: boolean, isLast: boolean, isUrgent: boolean): number =>
  count | (isCompressed ? COMPRESSED : 0) | (isLast ? LAST : 0) | (isUrgent ? URGENT : 0);

export class HopReceiver {
  /** Of the borrowed buffer. */
  count = 0;
  isCompressed = false;
  isUrgent = false;
  /** Whether a buffer came that had nothing in it but that it is the last; set to false by its reader. */
  moved = false;
  readonly porter: Porter;
  readonly #senders: number;
  /** Links whose last buffer was borrowed in this session. */
  ended = 0;

  /** @param senders number of links that buffers come over */
  constructor(porter: Porter, senders: number) {
    this.porter = porter;
    this.#senders = senders;
  }

  /** Before a session. */
  begin(): void {
    this.ended = 0;
  }

  /** Borrows the next buffer with something in it, as Porter.borrow. */
  borrow(): boolean {
    const { porter } = this;
    while (porter.borrow()) {
      const number = porter.count;
      if ((number & LAST) !== 0) this.ended++;
      this.count = number & COUNT_MASK;
      this.isCompressed = (number & COMPRESSED) !== 0;
      this.isUrgent = (number & URGENT) !== 0;
      if (this.count > 0) return true;
      this.moved = true;
      porter.release();
    }
    return false;
  }

  /** Whether no buffer will come any more in this session. */
  get isOver(): boolean {
    return this.ended === this.#senders;
  }
}
