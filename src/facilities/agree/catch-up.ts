/**
 * A replica that misses something asks one that has it, a part at a time; what nobody keeps as entries any more comes
 * as a snapshot. An answer that does not come is asked for at another replica.
 */

import type { Shared } from "./shared.ts";
import type { Snapshot } from "./state.ts";
import { FETCH, type IncomingMessage, MORE } from "./wire/message.ts";

export class CatchUp {
  readonly #shared: Shared;
  /** Whom it waits for, and since when; -1 for nobody. */
  #asked = -1;
  #since = 0;
  /** Whom it has asked last. */
  #last = -1;
  /** The top it knew when it asked, and until when it asks no more, as the last answer had nothing new. */
  #knew = 0;
  #pause = 0;
  /** The snapshot that is coming. */
  #index = 0;
  #got = 0;
  #snapshot: Uint8Array | null = null;
  /** Somebody knows that all up to here is committed. */
  #goal = 0;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** All up to `index` is committed: it is fetched, from `from` if that is not -1. */
  want(index: number, from = -1): void {
    if (index > this.#goal) this.#goal = index;
    if (this.#asked >= 0 || this.#shared.learned >= this.#goal || this.#shared.members.now < this.#pause) return;
    this.ask(from);
  }

  /** Asks for whatever there is. */
  ask(from = -1): void {
    const { out, learned, members } = this.#shared;
    const to = from >= 0 ? from : this.#source();
    if (to < 0) return;
    this.#last = to;
    this.#asked = to;
    this.#since = members.now;
    this.#knew = learned;
    out.send(to, { kind: FETCH, index: learned + 1 });
  }

  /** The answer has come. @param more whether there is more than this */
  answered(from: number, more: boolean): void {
    if (from !== this.#asked) return;
    this.#asked = -1;
    const { learned, members, settings } = this.#shared;
    if (learned === this.#knew) this.#pause = members.now + settings.suspectAfter / 16;
    else if (more) this.ask(from);
    else if (learned < this.#goal) this.ask();
  }

  /** A part of a snapshot. @returns all of it, once it is here */
  part({ from, index, extra, view, bytes }: IncomingMessage, at: number): Snapshot | null {
    const { learned, out, members } = this.#shared;
    if (index <= learned) {
      this.answered(from, false);
      return null;
    }
    const part = bytes.subarray(at + 8);
    if (extra === 0) {
      this.#snapshot = new Uint8Array(view.getFloat64(at, true));
      this.#index = index;
      this.#got = 0;
    }
    if (this.#snapshot === null || index !== this.#index || extra !== this.#got) return null;
    this.#snapshot.set(part, this.#got);
    this.#got += part.length;
    this.#asked = from;
    this.#since = members.now;
    if (this.#got < this.#snapshot.length) {
      out.send(from, { kind: MORE, index, extra: this.#got });
      return null;
    }
    const whole = { index, bytes: this.#snapshot };
    this.#snapshot = null;
    return whole;
  }

  /** Asks again, or somebody else, if no answer comes. */
  tick(now: number, hasGap: boolean): void {
    const { watch, settings, learned } = this.#shared;
    if (this.#asked >= 0) {
      if (!watch.isLost(this.#asked) && now - this.#since < settings.suspectAfter / 2) return;
      this.#snapshot = null;
      this.#asked = -1;
      this.ask(this.#source(this.#last));
    } else if (now >= this.#pause && (hasGap || learned < this.#goal)) this.ask(this.#source(this.#last));
  }

  /** The acceptor, the leader, or one that has more than this replica: not `except`, if there is another. */
  #source(except = -1): number {
    const { config, rank, size, watch, learned, members } = this.#shared;
    const now = members.now;
    for (const member of [config.acceptor, config.leader]) {
      if (member !== rank && member !== except && !watch.isSuspected(member, now)) return member;
    }
    for (let i = 1; i <= size; i++) {
      const member = (Math.max(except, 0) + i) % size;
      if (member !== rank && !watch.isLost(member) && (watch.tops[member] as number) > learned) return member;
    }
    for (let i = 1; i <= size; i++) {
      const member = (Math.max(except, 0) + i) % size;
      if (member !== rank && !watch.isLost(member)) return member;
    }
    return -1;
  }
}
