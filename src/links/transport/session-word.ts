/**
 * The session word: of which session a buffer is, and under which terms it was filled. It travels in the head of every
 * buffer.
 *
 *     bit   31 ………………………………………… 9   8       7 ………………………………… 0
 *         ┌───────────────────────────┬───────┬───────────────────────────┐
 *         │ bits of the hash of terms │ QUIET │ number of the session     │
 *         └───────────────────────────┴───────┴───────────────────────────┘
 *     QUIET   1: it ends by quiescence. That is part of the terms, and so known of the other side, too
 *
 * It keeps sessions apart without a barrier between them: a PE that is complete may begin the next session and send
 * buffers of it while others are still in this one. These do not borrow them before they begin that session, too. A
 * link delivers in order, so all that its sender has sent in this session comes before.
 *
 * No PE is more than one session ahead of another: it completes a session only after all others have said in it that
 * they push nothing more. So some bits of the number are enough.
 *
 * The terms, such as the item type, are compared by it as well, at the first buffer between two PEs.
 */
import { fnv1a } from "../../ground/base/hash.ts";

const NUMBER_MASK = 0xff;
const QUIET = 0x100;

/** Of one PE's open session, or of the last one. */
export class SessionWord {
  /** A number of 32 bits with a sign. */
  value = 0;
  /**
   * Ends the world as a friend has begun the open session with other terms; returns the error to be thrown.
   * @param isOfEnds whether its sessions end in another way
   */
  onMismatch: (isOfEnds: boolean) => Error = () => new Error("no session");
  /** The terms that all PEs must agree about in this session. */
  terms = "";
  #hash: number = fnv1a("");

  /** @param number of the session, from 1 on @param isQuiet whether it ends by quiescence */
  begin(number: number, terms: string, isQuiet = false): void {
    if (terms !== this.terms) {
      this.terms = terms;
      this.#hash = fnv1a(terms);
    }
    this.value = (this.#hash & ~(NUMBER_MASK | QUIET)) | (isQuiet ? QUIET : 0) | (number & NUMBER_MASK);
  }

  /** Whether a buffer with this word is of the open session; else it is of the next one. @throws MismatchError */
  admits(word: number): boolean {
    if (word === this.value) return true;
    const differs = word ^ this.value;
    if ((differs & NUMBER_MASK) === 0) throw this.onMismatch((differs & QUIET) !== 0);
    return false;
  }
}
