/** A waiter that a test drives: it counts turns and runs what the test wants to happen meanwhile. */
import type { Waiter } from "../../src/ground/wait/waiter.ts";

/** Never sleeps; `onPause` may make the condition true, or throw to end the wait. */
export class ControllableWaiter implements Waiter {
  readonly looks: number = 1;
  /** Turns since it was made. */
  pauses = 0;
  /** Waits that ended well. */
  finished = 0;
  /** Runs in each turn; the default gives up after a million. */
  onPause: (turn: number, peer: number) => void = (turn) => {
    if (turn > 1_000_000) throw new Error("nobody made the condition true");
  };

  pause(turn: number, peer: number): number {
    this.pauses++;
    this.onPause(turn, peer);
    return turn + 1;
  }

  done(): void {
    this.finished++;
  }
}
