/**
 * Learned entries go into the log in the order of their indices. Those behind a gap wait, a bounded amount of them:
 * whatever is dropped is fetched again.
 */

import type { Shared } from "./shared.ts";
import { skipEntries } from "./wire/entries.ts";

/** How many messages wait behind a gap. */
const PENDING = 256;

interface Pending {
  readonly first: number;
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly start: number;
}

export class Learner {
  readonly #shared: Shared;
  /** Ascending by first. */
  #pending: Pending[] = [];

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** Whether something that is committed is missing. */
  get hasGap(): boolean {
    return this.#pending.length > 0;
  }

  /**
   * Entries that are committed, and were checked: `count` from index `first` on, from byte `start` on to the end.
   * @param kept whether the bytes may be kept as they are; otherwise they are copied
   */
  learn(first: number, count: number, bytes: Uint8Array, start: number, kept: boolean): void {
    const { learned } = this.#shared;
    if (count === 0 || first + count - 1 <= learned) return;
    if (first > learned + 1) {
      this.#defer({ first, count, bytes: kept ? bytes : bytes.slice(), start });
      return;
    }
    this.#take(first, count, bytes, start, kept);
    while (this.#pending.length > 0 && (this.#pending[0] as Pending).first <= this.#shared.learned + 1) {
      const { first, count, bytes, start } = this.#pending.shift() as Pending;
      if (first + count - 1 > this.#shared.learned) this.#take(first, count, bytes, start, true);
    }
  }

  /** After a snapshot: what waits and is older is of no use. */
  restart(): void {
    this.#pending = this.#pending.filter(({ first, count }) => first + count - 1 > this.#shared.learned);
  }

  /** Entries of which the first is the next one that is missing, or older. */
  #take(first: number, count: number, bytes: Uint8Array, start: number, kept: boolean): void {
    const shared = this.#shared;
    const last = first + count - 1;
    // a leader has what it has proposed: only now it is committed
    const known = Math.min(last, Math.max(shared.learned, shared.log.end));
    if (known < last) {
      const at = known < first ? start : skipEntries(viewOf(bytes), start, known + 1 - first);
      if (kept) shared.log.append(last - known, bytes, at);
      else shared.log.append(last - known, bytes.slice(at), 0);
    }
    shared.learned = last;
  }

  #defer(pending: Pending): void {
    let at = this.#pending.length;
    while (at > 0 && (this.#pending[at - 1] as Pending).first > pending.first) at--;
    this.#pending.splice(at, 0, pending);
    if (this.#pending.length > PENDING) this.#pending.pop();
  }
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
