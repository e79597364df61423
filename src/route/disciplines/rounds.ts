/**
 * Rounds with a barrier between them, which also says whether any PE has work left: the phase is over after the first
 * round in which none had. The barrier is a vote (links/transport/contract.ts): in hardware where the network has one,
 * else on the tree.
 *
 * Source: Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance", sections 2 and 4.3.
 */
import type { Lanes } from "./discipline.ts";

/** The only bit of the votes: a PE has more to send, or may have. */
const WORK = 1;

export class Rounds {
  /** Number of the current round, from 0 on. */
  round = 0;
  isOver = false;
  /** Barriers of all phases. */
  barriers = 0;
  readonly #lanes: Lanes;
  #isWaiting = false;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  begin(): void {
    this.round = 0;
    this.isOver = false;
    this.#isWaiting = false;
  }

  /** Whether this PE is done with the round, and waits for the others. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /**
   * This PE is done with the round. One with nothing more to send leaves only when all it has sent was read: then the
   * phase may be over, and the lanes must be empty. @returns whether it has left
   */
  leave(): boolean {
    const { vote, backlog, isClosed, isRead, isHeard } = this.#lanes;
    const hasWork = backlog > 0 || !isClosed;
    if (!hasWork && !(isRead && isHeard)) return false;
    vote.cast(hasWork ? WORK : 0);
    this.barriers++;
    this.#isWaiting = true;
    return true;
  }

  /** Looks whether all are done. @returns whether the next round has begun, or the phase is over */
  step(): boolean {
    if (!this.#isWaiting) return false;
    const result = this.#lanes.vote.poll();
    if (result < 0) return false;
    this.#isWaiting = false;
    if (result === 0) this.isOver = true;
    else this.round++;
    return true;
  }
}
