/** Tasks that make tasks, for divide and conquer: balanced over the PEs of a node by stealing. See docs/loops.md. */
import { StateError, UsageError } from "../../ground/base/errors.ts";
import { type AtOnce, isAsync, isPromise, promiseError } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { awaitOn, blockOn } from "../../ground/wait/task.ts";
import type { Group } from "../../pe/group.ts";
import { loopSeat } from "../loop/run.ts";
import { type TaskArea, taskAreaOf } from "./area.ts";
import { TaskRun } from "./run.ts";
import { checkArguments, entriesOf, refusePromise, type Spawn, type TaskEntry, type TaskHandlers } from "./table.ts";

/** Counts of one PE, of all runs. */
export interface TasksStats {
  /** Tasks that it has run. */
  readonly ran: number;
  /** Those of them that it has stolen from other PEs. */
  readonly stolen: number;
}

let newTasks: <H extends TaskHandlers>(area: TaskArea, entries: readonly TaskEntry[]) => Tasks<H>;

/** Tasks of a group, as one of its PEs sees them: made by {@link tasks}. */
export class Tasks<H extends TaskHandlers = TaskHandlers> {
  static {
    newTasks = (area, entries) => new Tasks(area, entries);
  }

  /**
   * Makes a task for each call: `spawn.place(row, columns)`, in the source or in a handler. It returns at once; the
   * task is run later, by this PE or by one that has none. When 256 of this PE wait, it is run at once, as a plain
   * call. A StateError outside of {@link run}; a UsageError for what is no number.
   */
  readonly spawn: Spawn<H>;
  readonly #area: TaskArea;
  readonly #entries: readonly TaskEntry[];
  readonly #counts = { ran: 0, stolen: 0 };
  readonly #state = { isOpen: false };

  private constructor(area: TaskArea, entries: readonly TaskEntry[]) {
    this.#area = area;
    this.#entries = entries;
    const spawns = entries.map((entry, number) => [entry.name, this.#spawnOf(entry, number)] as const);
    this.spawn = Object.fromEntries(spawns) as unknown as Spawn<H>;
  }

  /**
   * Runs the source, then tasks, until no task is left at any PE. Collective: all PEs of the group call it. It blocks
   * the thread; what it has written into shared memory, all PEs see afterwards.
   *
   * @param source makes the first tasks, perhaps at one PE only. @default none
   * @throws what a source or a handler throws, at all PEs alike: the tasks that are left are dropped, and the group
   *   goes on; UsageError for a source or handler that returns a promise; RankLostError; TimeoutError
   */
  run(source: (spawn: Spawn<H>) => AtOnce = () => {}): void {
    const seat = this.#area.seat;
    seat.collectives.checkBlocking("run");
    const run = this.#begin("run", source);
    try {
      blockOn(seat, run.working("run", false));
      this.#state.isOpen = false;
      blockOn(seat, run.closing());
    } finally {
      this.#end();
    }
  }

  /** As {@link run}, without blocking: other events have turns between tasks. @throws as run */
  async runAsync(source: (spawn: Spawn<H>) => AtOnce = () => {}): Promise<void> {
    const seat = this.#area.seat;
    const run = this.#begin("runAsync", source);
    try {
      await awaitOn(seat, run.working("runAsync", true));
      this.#state.isOpen = false;
      await awaitOn(seat, run.closing());
    } finally {
      this.#end();
    }
  }

  /** This PE's counts. */
  stats(): TasksStats {
    return { ...this.#counts };
  }

  #begin(call: string, source: (spawn: Spawn<H>) => AtOnce): TaskRun {
    const area = this.#area;
    if (typeof source !== "function" || isAsync(source)) {
      throw new UsageError(`${call}: expected a source (spawn) => { … } that does not await, got ${shortText(source)}`);
    }
    if (area.call !== "") {
      throw new UsageError(
        `${call}: expected one run of tasks of a group at a time, got one during ${area.call}. A handler spawns tasks, and makes no run.`,
      );
    }
    area.call = call;
    area.run++;
    this.#state.isOpen = true;
    return new TaskRun(area, this.#entries, this.#counts, () => {
      const returned = source(this.spawn);
      if (isPromise(returned)) throw promiseError(`${call}: the source`, "compute before, and spawn what is known.");
    });
  }

  #end(): void {
    this.#state.isOpen = false;
    this.#area.call = "";
  }

  #spawnOf(entry: TaskEntry, number: number): unknown {
    const area = this.#area;
    const { own } = area;
    const counts = this.#counts;
    const state = this.#state;
    const { count, name } = entry;
    return function (a: number, b: number, c: number, d: number, e: number, f: number, g: number): void {
      // biome-ignore lint/complexity/noArguments: a rest parameter would be an array for each task
      const given = arguments.length;
      const areNumbers =
        typeof (count > 0 ? a : 0) === "number" &&
        typeof (count > 1 ? b : 0) === "number" &&
        typeof (count > 2 ? c : 0) === "number" &&
        typeof (count > 3 ? d : 0) === "number" &&
        typeof (count > 4 ? e : 0) === "number" &&
        typeof (count > 5 ? f : 0) === "number" &&
        typeof (count > 6 ? g : 0) === "number";
      if (given !== count || !areNumbers) checkArguments(entry, [a, b, c, d, e, f, g], given);
      if (!state.isOpen) throw outside(name);
      if (!own.hasRoom()) {
        counts.ran++;
        refusePromise(entry, entry.run(a, b, c, d, e, f, g));
        return;
      }
      area.countSpawned();
      own.put(number, a, b, c, d, e, f, g);
      if (area.someWait) area.wakeOne();
    };
  }
}

const outside = (name: string): StateError =>
  new StateError(`spawn.${name}: expected the source or a handler of a run, got a call outside of one.`);

/**
 * Tasks that make tasks: OpenMP's `task` for divide and conquer (n-queens, quicksort, adaptive quadrature). Handlers
 * are functions of at most 7 numbers; each PE runs the newest of its own tasks, and when it has none the oldest of the
 * nearest PE that has some.
 *
 *     let found = 0;
 *     const queens = tasks(pe, {
 *       place(row, columns, left, right) {
 *         if (row === n) found++;
 *         else for (const free of fields(n, columns, left, right)) queens.spawn.place(row + 1, …);
 *       },
 *     });
 *     queens.run((spawn) => { if (pe.rank === 0) spawn.place(0, 0, 0, 0); });
 *     const all = allreduce(found, "sum");
 *
 * Make tasks of some microseconds at least (`tundish bench loops` says what one costs). What they are about lies in
 * arrays of `allocShared`.
 *
 * @param pe a PE, or a group of one node: threads or virtual PEs
 * @param handlers by name, the same at all PEs. They must not await, and make no collective
 * @throws UsageError; HeapError
 */
export function tasks<H extends TaskHandlers>(pe: Group, handlers: H): Tasks<H> {
  const entries = entriesOf(handlers);
  return newTasks<H>(taskAreaOf(loopSeat(pe, "tasks")), entries);
}
