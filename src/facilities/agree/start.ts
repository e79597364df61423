/**
 * The start of replicas that have durable logs: all of them tell how long theirs is, and get the entries of the
 * longest. Each log is a begin of one and the same order, as only what is committed is kept. Until then nothing is
 * committed: the first epoch begins sealed and frozen, and its leader makes the second one, as for an acceptor that was
 * lost.
 *
 * All replicas are needed for it, once: one that is missing might have the longest log.
 */

import type { Shared } from "./shared.ts";
import { HELLO } from "./wire/message.ts";

export class EpochStart {
  readonly #shared: Shared;
  /** Up to where each log goes; -1: not known. */
  readonly #tops: number[];
  #done: boolean;

  constructor(shared: Shared) {
    this.#shared = shared;
    this.#done = shared.settings.log === undefined || shared.size === 1;
    this.#tops = new Array(shared.size).fill(-1);
    this.#tops[shared.rank] = shared.learned;
    if (this.#done) return;
    shared.frozen = shared.isLeader;
    shared.sealed = shared.isAcceptor;
    shared.out.sendAll({ kind: HELLO, index: shared.learned });
  }

  get isDone(): boolean {
    return this.#done;
  }

  hello(from: number, index: number): void {
    this.#tops[from] = index;
    this.#shared.watch.tops[from] = index;
  }

  /** The part of the longest log that is missing, and who has it; null if nothing is, or if that is not known yet. */
  look(): { readonly index: number; readonly from: number } | null {
    if (this.#done) return null;
    const { learned, config } = this.#shared;
    // somebody has made the second epoch, and so has heard all
    const later = config.epoch > 1;
    if (!later && this.#tops.includes(-1)) return null;
    const index = later ? config.top : Math.max(...this.#tops);
    if (learned >= index) this.#done = true;
    return learned >= index ? null : { index, from: later ? -1 : this.#tops.indexOf(index) };
  }

  /** Somebody was lost of whom this replica has not heard how long its log is. */
  isStuck(lost: (member: number) => boolean): boolean {
    return !this.#done && this.#shared.config.epoch === 1 && this.#tops.some((top, member) => top < 0 && lost(member));
  }
}
