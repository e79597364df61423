/**
 * The simple engine: bulk synchronous. All PEs exchange their buffers at the same time. They do so when any PE has a
 * full buffer, or is done or steady and has items to send, and no PE has items left to pull.
 *
 * The engine runs votes, one after another. Each PE casts three bits: it CANNOT exchange (items are left to pull, or in
 * transit), it WANTS to (a buffer is full, or it is done or steady and has items to send), and it goes ON (it is not
 * done). All PEs see the same result, so all exchange in the same round, or none: they exchange when no PE CANNOT, and
 * some PE WANTS or none goes ON. When none goes ON, the exchange is the last one; one more vote without CANNOT then
 * confirms that everything was pulled.
 *
 * advance does not wait for a vote; it tests whether the result is there. Votes continue while there is nothing to do,
 * but a vote alone is not progress: a PE that waits for a PE which is never done reaches its timeout.
 *
 * Source: papers/conveyors.txt, section 4.1; bale's simple.c.
 */
import type { Site } from "../../transport/contract.ts";
import type { Inbox } from "./inbox.ts";
import type { Outbox } from "./outbox.ts";
import type { Engine } from "./tensor.ts";

const CANNOT = 1;
const WANTS = 2;
const ON = 4;

/** The parts of the engine. */
export interface SimpleParts {
  readonly site: Site;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly steady: boolean;
}

export class Simple implements Engine {
  moved = false;
  votes = 0;
  readonly #parts: SimpleParts;
  #voting = false;
  /** The last exchange has been made. */
  #last = false;
  #complete = false;

  constructor(parts: SimpleParts) {
    this.#parts = parts;
    parts.outbox.hold = true;
  }

  begin(): void {
    this.votes = 0;
    this.#voting = false;
    this.#last = false;
    this.#complete = false;
  }

  advance(done: boolean): 0 | 1 | 2 {
    const { outbox, inbox, site } = this.#parts;
    this.moved = outbox.sendFull() || inbox.fetched;
    inbox.fetched = false;
    if (inbox.finish()) this.moved = true;
    if (this.#voting) {
      const result = site.vote.poll();
      if (result >= 0) this.#decide(result);
    }
    if (!this.#voting && !this.#complete) {
      site.vote.cast(this.#bits(done));
      this.votes++;
      this.#voting = true;
    }
    if (this.#complete) return 0;
    return this.#last ? 2 : 1;
  }

  #bits(done: boolean): number {
    const { outbox, inbox, site, steady } = this.#parts;
    const cannot = inbox.next !== inbox.limit || !site.porters[0].settled();
    const wants = outbox.overflow || ((done || steady) && outbox.pending > 0);
    return (cannot ? CANNOT : 0) | (wants ? WANTS : 0) | (done ? 0 : ON);
  }

  #decide(result: number): void {
    this.#voting = false;
    const allDone = (result & ON) === 0;
    if (result & CANNOT || !(result & WANTS || allDone)) return;
    if (this.#last) {
      this.#complete = true;
      this.moved = true;
      return;
    }
    const { outbox } = this.#parts;
    const sent = outbox.buffers;
    outbox.flush();
    this.#last = allDone;
    if (allDone || outbox.buffers !== sent) this.moved = true;
  }
}
