/** A turn: at most one chunk over one lane, until all has left. For disciplines that send to one PE at a time. */
import type { Lanes } from "./discipline.ts";

const SENDING = 0;
const LEAVING = 1;
const DONE = 2;

export class Turn {
  lane = -1;
  readonly #lanes: Lanes;
  #state = DONE;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  /** Begins a turn. @param lane -1 or the own one for a turn without anything to send */
  begin(lane: number): void {
    this.lane = lane;
    const isIdle = lane < 0 || this.#lanes.waiting(lane) === 0;
    this.#state = isIdle ? DONE : SENDING;
  }

  /** Gives up what is left of it: before a phase. */
  reset(): void {
    this.lane = -1;
    this.#state = DONE;
  }

  /** The lane to send over now; -1 for none. */
  get sends(): number {
    return this.#state === SENDING && this.#lanes.hasRoom(this.lane) ? this.lane : -1;
  }

  sent(isLast: boolean): void {
    if (isLast) this.#state = LEAVING;
  }

  /** Whether its chunk is not complete. */
  get isSending(): boolean {
    return this.#state === SENDING;
  }

  /** Whether all of it has left this PE. */
  get isDone(): boolean {
    if (this.#state === LEAVING && this.#lanes.hasLeft(this.lane)) this.#state = DONE;
    return this.#state === DONE;
  }
}
