/**
 * Side work: what a PE does for other PEs while it waits for something else. Whatever waits on behalf of the PE runs it; it never waits
 * itself. Where there is none, a wait looks at one number.
 */

/** Something of a PE that others may wait for at any time. */
export interface SideTask {
  /** Makes progress without waiting. It does not throw: it ends the world with its error. @returns whether there was anything to do */
  serve(): boolean;
  /** Longest sleep while it is there, ms, if no waker notifies for it. @default as the waiter does */
  readonly pollMs?: number | undefined;
}

/** That of one PE. */
export class SideWork {
  #tasks: readonly SideTask[] = [];
  #isRunning = false;
  /** Whether there is any. */
  isEmpty = true;
  /** The shortest of the longest sleeps, ms; Infinity if nobody limits them. */
  pollMs: number = Number.POSITIVE_INFINITY;

  add(task: SideTask): void {
    this.#set([...this.#tasks, task]);
  }

  delete(task: SideTask): void {
    this.#set(this.#tasks.filter((other) => other !== task));
  }

  #set(tasks: readonly SideTask[]): void {
    this.#tasks = tasks;
    this.isEmpty = tasks.length === 0;
    this.pollMs = Math.min(
      Number.POSITIVE_INFINITY,
      ...tasks.map(({ pollMs = Number.POSITIVE_INFINITY }) => pollMs),
    );
  }

  /** Runs it, unless it runs already: a task may come to a wait, which would run it again. @returns whether there was anything to do */
  run(): boolean {
    if (this.isEmpty || this.#isRunning) return false;
    this.#isRunning = true;
    try {
      let moved = false;
      for (const task of this.#tasks) if (task.serve()) moved = true;
      return moved;
    } finally {
      this.#isRunning = false;
    }
  }
}
