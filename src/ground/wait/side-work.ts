/**
 * Side work: what a PE does for other PEs while it waits for something else. Whatever waits on behalf of the PE runs
 * it; it never waits itself. Where there is none, a wait looks at one number.
 */
import { clearTimeout, setTimeout } from "../base/event-loop/timers.ts";

/** Something of a PE that others may wait for at any time. */
export interface SideTask {
  /** Makes progress without waiting. Its error ends the world, and is not thrown. @returns whether there was any */
  serve(): boolean;
  /** Longest sleep while it is there, ms, if no waker notifies for it. @default as the waiter does */
  readonly pollMs?: number | undefined;
}

/** Longest time between two runs of it in a PE that has nothing else to do, ms. */
const LONGEST_NAP_MS = 16;

/** A task idle so often is quiet: a wait that looks again soon runs it in each {@link SELDOM}th of its looks. */
const QUIET = 16;
const SELDOM = 8;

interface Entry {
  readonly task: SideTask;
  /** Times in a row that it had nothing to do. */
  idle: number;
}

/** That of one PE. */
export class SideWork {
  #entries: readonly Entry[] = [];
  #isRunning = false;
  /** Looks of waits that look again soon. */
  #looks = 0;
  /** Whether there is any. */
  isEmpty = true;
  /** The shortest of the longest sleeps, ms; Infinity if nobody limits them. */
  pollMs: number = Number.POSITIVE_INFINITY;

  add(task: SideTask): void {
    this.#set([...this.#entries, { task, idle: 0 }]);
  }

  delete(task: SideTask): void {
    this.#set(this.#entries.filter((entry) => entry.task !== task));
  }

  #set(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.isEmpty = entries.length === 0;
    this.pollMs = Math.min(
      Number.POSITIVE_INFINITY,
      ...entries.map(({ task: { pollMs = Number.POSITIVE_INFINITY } }) => pollMs),
    );
  }

  /**
   * Runs it, unless it runs already: a task may come to a wait, which would run it again.
   * @param looksAgain whether the caller looks again at once: a look of a task at messages of other nodes takes some us
   * @returns whether there was anything to do
   */
  run(looksAgain = false): boolean {
    if (this.isEmpty || this.#isRunning) return false;
    this.#isRunning = true;
    const isSeldom = !looksAgain || ++this.#looks % SELDOM === 0;
    try {
      let moved = false;
      for (const entry of this.#entries) {
        if (entry.idle >= QUIET && !isSeldom) continue;
        entry.idle = entry.task.serve() ? 0 : entry.idle + 1;
        if (entry.idle === 0) moved = true;
      }
      return moved;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Runs it now and then in a PE that has nothing else to do. @returns what that PE waits for */
  async runUntil<T>(awaited: Promise<T>): Promise<T> {
    if (this.isEmpty) return awaited;
    let isWaiting = true;
    let wake = () => {};
    const settled = () => {
      isWaiting = false;
      wake();
    };
    awaited.then(settled, settled);
    for (let ms = 1; isWaiting && !this.isEmpty; ms = Math.min(2 * ms, LONGEST_NAP_MS)) {
      if (this.run()) ms = 1;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return awaited;
  }
}
