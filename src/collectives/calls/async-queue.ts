/** The queue of a PE's Async calls: they run one after another, in the order in which they were made. */
import type { Condition } from "../../ground/wait/condition.ts";

/** An entry of the queue of Async calls, which the next call waits for. */
export class QueuedCall implements Condition {
  /** The call waits for this PE's own earlier calls, not for another PE. */
  readonly peer = -1;
  over = false;
  readonly ended: Promise<void>;
  #resolve!: () => void;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** An entry that is complete. */
  static none(): QueuedCall {
    const turn = new QueuedCall();
    turn.end();
    return turn;
  }

  end(): void {
    this.over = true;
    this.#resolve();
  }

  ready(): boolean {
    return this.over;
  }

  spin(): boolean {
    return this.over;
  }
}
