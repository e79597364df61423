/**
 * The end of a phase without rounds: each PE votes when it has nothing more to send and all it has sent was read. When
 * all have voted, nothing more comes. Where there are control messages, a second vote follows after the last of them
 * were read, so that the lanes are empty in the next phase.
 */
import type { Lanes } from "./discipline.ts";

const OPEN = 0;
const EMPTY = 1;
const QUIET = 2;
const HEARD = 3;
const OVER = 4;

export class PhaseEnding {
  readonly #lanes: Lanes;
  readonly #isSilent: boolean;
  #state = OPEN;

  /** @param isSilent whether the discipline has no control messages */
  constructor(lanes: Lanes, isSilent = false) {
    this.#lanes = lanes;
    this.#isSilent = isSilent;
  }

  begin(): void {
    this.#state = OPEN;
  }

  /** Whether control messages may still be sent: not all PEs are known to be empty. */
  get isOpen(): boolean {
    return this.#state < QUIET;
  }

  get isOver(): boolean {
    return this.#state === OVER;
  }

  /** Takes the next step if it can. @returns whether it has */
  step(): boolean {
    const { vote, backlog, isClosed, isRead, isHeard } = this.#lanes;
    switch (this.#state) {
      case OPEN:
        if (!isClosed || backlog > 0 || !isRead) return false;
        vote.cast(0);
        break;
      case QUIET:
        if (!isHeard) return false;
        vote.cast(0);
        break;
      case EMPTY:
      case HEARD:
        if (vote.poll() < 0) return false;
        break;
      default:
        return false;
    }
    this.#state = this.#isSilent && this.#state === EMPTY ? OVER : this.#state + 1;
    return true;
  }
}
