/**
 * Refused pushes: those that returned false. Their items are in no buffer, so they are lost unless the program pushes
 * them again.
 *
 * A refusal is settled when any later push succeeds: a program may try another PE, or change what it pushes. So what is
 * found is a PE that is done and whose last pushes were refused, as that of a program that does not look at what push
 * returns. A push that succeeds does nothing for this: whether any has is seen by the bytes pushed so far. To add them
 * up takes a look at every link, so of the refusals between two advances the first, second, fourth, … look.
 */

import { CallSite } from "../../../ground/base/call-site/call-site.ts";
import { StateError } from "../../../ground/base/errors.ts";
import { DOUBLE_ZERO } from "../../../ground/base/for-v8.ts";

/** The entry that is pushed into. */
interface Pushed {
  /** A measure of the pushes of this session: more after each push. */
  pushed(): number;
}

/** Of one conveyor at one PE. */
export class Refusals {
  /** Since no push has succeeded, as far as was looked; and in this session. */
  #last = 0;
  #session: number = DOUBLE_ZERO;
  /** Since the last advance. */
  #turn = 0;
  /** That measure at the last look. */
  #pushed = -1;
  #dest = 0;
  /** Of all sessions: a stack is taken at the first, second, fourth, …, as it costs more than all else here. */
  #all = 0;
  #site: CallSite | null = null;

  /** Before a session. */
  clear(): void {
    this.#last = 0;
    this.#session = 0;
    this.#turn = 0;
  }

  /** Called in each advance. */
  turn(): void {
    this.#turn = 0;
  }

  /** A push to a PE is refused. @param rest items that a pushAll has left. @default one */
  add(dest: number, into: Pushed, rest?: number): void {
    if (isPowerOf2(++this.#turn)) {
      const pushed = into.pushed();
      if (pushed !== this.#pushed) this.#last = 0;
      this.#pushed = pushed;
    }
    if (isPowerOf2(++this.#all)) this.#site = new CallSite();
    this.#last = rest ?? this.#last + 1;
    this.#session += rest ?? 1;
    this.#dest = dest;
  }

  /** The program is told in another way that what was refused is not sent: its push throws. */
  settle(): void {
    this.#last = 0;
  }

  /** @throws StateError if pushes were refused, and none has succeeded after them */
  check(into: Pushed): void {
    if (this.#last === 0 || into.pushed() !== this.#pushed) return;
    const where = this.#site?.text ?? "";
    const at = where === "" ? "" : ` at ${where}`;
    const pushes = this.#last === 1 ? "the last push" : `the last ${this.#last} pushes`;
    throw new StateError(
      `advance(true): ${pushes}${at} returned false, to PE ${this.#dest} for example, and nothing was pushed after: the items are lost (` +
        `in this session ${this.#session} returned false). Where push returns false, or pushAll less than the end, advance, and push it ` +
        "again, before advance(true); or make the conveyor with { lossy: true } if items may be left out.",
    );
  }
}

const isPowerOf2 = (n: number): boolean => (n & (n - 1)) === 0;
