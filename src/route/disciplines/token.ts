/**
 * Tokens: whoever holds the token of a PE may send to it, and nobody else. In round a PE i holds the token of PE i + a
 * (mod N); when it is done with the round it passes it to PE i - 1, which needs it in round a + 1. No barrier: a PE
 * goes on as soon as it has the next token.
 *
 * Limits: all PEs pass all tokens, also those that have nothing to send; a PE that makes no progress holds up the ring.
 * PE i is at most one round ahead of PE i + 1, so two PEs can be up to N - 1 rounds apart (T3 of the contract).
 *
 * With `barrierEvery` k there is a barrier after every k rounds, so that PEs do not drift apart.
 *
 * Source: Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance", section 3.1, figure 4; the
 * barriers: section 5.1.
 *
 * Example: 4 PEs. At first PE 0 holds token 1, PE 1 token 2, PE 2 token 3, PE 3 token 0. PE 2 is done with 3 early: it
 * passes token 3 to PE 1, and waits for token 0, which PE 3 passes to it.
 */

import type { Discipline, Lanes } from "./discipline.ts";
import { PhaseEnding } from "./ending.ts";
import { Rounds } from "./rounds.ts";
import { Turn } from "./turn.ts";

/** The kind of the control message: the token of the PE that its first number says. */
const TOKEN = 1;

export class Token implements Discipline {
  moved = false;
  readonly #lanes: Lanes;
  readonly #turn: Turn;
  /** The end of the phase: the votes of the barriers, or those of PEs that are empty. */
  readonly #rounds: Rounds | null;
  readonly #ending: PhaseEnding | null;
  readonly #every: number;
  /** Number of the round, from 1 on. */
  #round = 1;
  /** Tokens that came and were not used, in the order of their rounds. */
  readonly #held: number[] = [];
  /** Whether this PE holds the token of its round. */
  #isHolding = true;
  /** Rounds since the last barrier; as many as there are from one to the next when this PE is to leave. */
  #since = 0;
  #passed = 0;

  /** @param every rounds from barrier to barrier; 0 for none */
  constructor(lanes: Lanes, every = 0) {
    this.#lanes = lanes;
    this.#every = every;
    this.#turn = new Turn(lanes);
    this.#rounds = every > 0 ? new Rounds(lanes) : null;
    this.#ending = every > 0 ? null : new PhaseEnding(lanes);
  }

  get counts(): { readonly "tokens passed": number } {
    return { "tokens passed": this.#passed };
  }

  begin(): void {
    this.#rounds?.begin();
    this.#ending?.begin();
    this.#round = 1;
    this.#held.length = 0;
    this.#isHolding = true;
    this.#since = 0;
    this.#turn.reset();
    this.#turn.begin(this.#target);
  }

  get isOver(): boolean {
    return this.#rounds?.isOver ?? this.#ending?.isOver ?? true;
  }

  /** Whose token this PE needs in its round; its own in every N-th, where there is nothing to send. */
  get #target(): number {
    const { size, self } = this.#lanes;
    return (self + this.#round) % size;
  }

  next(): number {
    this.moved = false;
    for (;;) {
      const rounds = this.#rounds;
      if (rounds?.isWaiting) {
        if (!rounds.step()) return -1;
        this.moved = true;
        this.#since = 0;
      }
      if (this.isOver) return -1;
      if (rounds !== null && this.#since === this.#every) {
        if (!rounds.leave()) return -1;
        this.moved = true;
        continue;
      }
      if (this.#ending?.step()) this.moved = true;
      if (!this.#isHolding && !this.#take()) return -1;
      if (!this.#turn.isDone) return this.#turn.sends;
      if (this.#ending?.isOpen === false) return -1;
      this.#pass();
    }
  }

  /** Takes the token of the round if it is there. */
  #take(): boolean {
    if (this.#held.length === 0) return false;
    const owner = this.#held.shift() as number;
    if (owner !== this.#target) {
      throw new Error(`token: expected that of ${this.#target} in round ${this.#round}, got that of ${owner}`);
    }
    this.#isHolding = true;
    this.moved = true;
    this.#turn.begin(owner);
    return true;
  }

  /** Passes the token of the round on, and goes to the next round. */
  #pass(): void {
    const { size, self } = this.#lanes;
    this.#lanes.tell((self - 1 + size) % size, TOKEN, this.#target);
    this.#isHolding = false;
    this.#passed++;
    this.#round++;
    this.#since++;
    this.moved = true;
  }

  sent(isLast: boolean): void {
    this.#turn.sent(isLast);
  }

  hear(_lane: number, _kind: number, owner: number): void {
    this.#held.push(owner);
  }
}
