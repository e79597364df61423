/** The queue of a PE's Async calls: they run one after the other, in the order in which they were made. */
import type { Condition } from "../../wait/condition.ts";

/** The place of an Async call in the queue of its PE: what the next one waits for. */
export class AsyncPlace implements Condition {
  /** This PE's own calls are what is waited for, no other PE. */
  readonly peer = -1;
  over = false;
  readonly ended: Promise<void>;
  #resolve!: () => void;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Nothing to wait for. */
  static none(): AsyncPlace {
    const turn = new AsyncPlace();
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
