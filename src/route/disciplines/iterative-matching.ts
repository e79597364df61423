/**
 * Parallel iterative matching: before each round senders and receivers find pairs in four iterations. Each sender
 * without a pair asks all receivers that it has a chunk for; each receiver without one grants one of those that asked,
 * at random; each sender accepts one of its grants. Barriers separate the steps, as a receiver has to know that all
 * requests have come.
 *
 * Limits: 12 barriers and many messages for each round. The paper explains why it fails without the signals of a switch
 * in hardware; it is here to compare with.
 *
 * Source: Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance", section 4.2, after T. E.
 * Anderson et al. 1993.
 *
 * Example: PEs 1 and 2 both ask PE 0, PE 2 also PE 3. PE 0 grants PE 2, PE 3 too; PE 2 accepts 3; in the next iteration
 * PE 0 grants PE 1.
 */
import type { Discipline, Lanes } from "./discipline.ts";
import { Rounds } from "./rounds.ts";
import { Turn } from "./turn.ts";

const REQUEST = 1;
const GRANT = 2;
const ACCEPT = 3;

const ITERATIONS = 4;
/** Steps of an iteration: request, grant, accept. */
const STEPS = 3;

export class IterativeMatching implements Discipline {
  moved = false;
  readonly #lanes: Lanes;
  readonly #rounds: Rounds;
  readonly #turn: Turn;
  /** Step of the matching; `ITERATIONS * STEPS` while chunks are sent. */
  #step = 0;
  #isTold = false;
  #isCast = false;
  /** The receiver that this PE has accepted, and the sender that has accepted this one; -1 for none. */
  #receiver = -1;
  #sender = -1;
  /** Lanes that came with a request, or with a grant, in this iteration. */
  readonly #asking: number[] = [];
  readonly #granting: number[] = [];
  #messages = 0;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
    this.#rounds = new Rounds(lanes);
    this.#turn = new Turn(lanes);
  }

  get counts(): { readonly rounds: number; readonly messages: number } {
    return { rounds: this.#rounds.barriers, messages: this.#messages };
  }

  begin(): void {
    this.#rounds.begin();
    this.#turn.reset();
    this.#beginRound();
  }

  get isOver(): boolean {
    return this.#rounds.isOver;
  }

  next(): number {
    const rounds = this.#rounds;
    this.moved = rounds.step();
    if (rounds.isOver) return -1;
    if (this.moved) this.#beginRound();
    while (this.#step < ITERATIONS * STEPS) if (!this.#match()) return -1;
    if (!rounds.isWaiting && this.#turn.isDone && rounds.leave()) this.moved = true;
    return this.#turn.sends;
  }

  #beginRound(): void {
    this.#step = 0;
    this.#receiver = -1;
    this.#sender = -1;
    this.#beginStep();
  }

  #beginStep(): void {
    this.#isTold = false;
    this.#isCast = false;
  }

  /** Takes a step of the matching as far as it goes. @returns whether it is over at all PEs */
  #match(): boolean {
    const { vote } = this.#lanes;
    if (!this.#isTold) {
      this.#tell();
      this.#isTold = true;
      this.moved = true;
    }
    if (!this.#isCast) {
      // what comes after the vote has come at all PEs
      if (!this.#lanes.isHeard) return false;
      vote.cast(0);
      this.#isCast = true;
    }
    if (vote.poll() < 0) return false;
    this.moved = true;
    this.#step++;
    this.#beginStep();
    if (this.#step === ITERATIONS * STEPS) this.#turn.begin(this.#receiver);
    return true;
  }

  #tell(): void {
    switch (this.#step % STEPS) {
      case 0:
        if (this.#receiver < 0) this.#ask();
        break;
      case 1:
        // all requests of the iteration are there, and none of the next one
        if (this.#sender < 0 && this.#asking.length > 0) this.#send(this.#draw(this.#asking), GRANT);
        this.#asking.length = 0;
        break;
      default:
        if (this.#granting.length === 0) break;
        this.#receiver = this.#draw(this.#granting);
        this.#granting.length = 0;
        this.#send(this.#receiver, ACCEPT);
    }
  }

  #ask(): void {
    const { size, self } = this.#lanes;
    for (let step = 1; step < size; step++) {
      const lane = (self + step) % size;
      if (this.#lanes.waiting(lane) > 0) this.#send(lane, REQUEST);
    }
  }

  #send(lane: number, kind: number): void {
    this.#messages++;
    this.#lanes.tell(lane, kind);
  }

  #draw(from: readonly number[]): number {
    return from[Math.min(from.length - 1, Math.floor(this.#lanes.random() * from.length))];
  }

  sent(isLast: boolean): void {
    this.#turn.sent(isLast);
  }

  hear(lane: number, kind: number): void {
    if (kind === REQUEST) this.#asking.push(lane);
    else if (kind === GRANT) this.#granting.push(lane);
    else this.#sender = lane;
  }
}
