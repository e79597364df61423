/** Tasks that make tasks, for divide and conquer: balanced over the PEs of a node by stealing. See docs/loops.md. */
import { StateError, UsageError } from "../../ground/base/errors.ts";
import { type AtOnce, isAsync, isPromise, promiseError } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { Checked } from "../../ground/item/handlers.ts";
import { awaitOn, blockOn } from "../../ground/wait/task.ts";
import type { Group } from "../../pe/group.ts";
import type { Seat } from "../../pe/seat.ts";
import { loopSeat } from "../loop/run.ts";
import { type TaskArea, taskAreaOf } from "./area.ts";
import { type Runner, runnerOf, type Spawning, spawnerOf } from "./codec.ts";
import { TaskRun } from "./run.ts";
import { entriesOf, type Spawn, type TaskEntry, type TaskHandlers } from "./table.ts";

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
   * task is run later, by this PE or by one that has none. When 256 of this PE wait, it is run at once, before the
   * call returns. A StateError outside of {@link run}; a UsageError for what is no number.
   */
  readonly spawn: Spawn<H>;
  readonly #area: TaskArea;
  readonly #entries: readonly TaskEntry[];
  readonly #counts = { ran: 0, stolen: 0 };
  readonly #run: Runner;
  readonly #state: Spawning;

  private constructor(area: TaskArea, entries: readonly TaskEntry[]) {
    this.#area = area;
    this.#entries = entries;
    const counts = this.#counts;
    const run = runnerOf(entries, area);
    this.#run = run;
    this.#state = {
      isOpen: false,
      atOnce(at) {
        counts.ran++;
        run(at);
      },
      outside,
    };
    const spawns = entries.map((entry, number) => [entry.name, spawnerOf(entry, number, area, this.#state)] as const);
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
    return new TaskRun(area, this.#entries, this.#run, this.#counts, () => {
      const returned = source(this.spawn);
      if (isPromise(returned)) throw promiseError(`${call}: the source`, "compute before, and spawn what is known.");
    });
  }

  #end(): void {
    this.#state.isOpen = false;
    this.#area.call = "";
  }
}

function outside(name: string): never {
  throw new StateError(`spawn.${name}: expected the source or a handler of a run, got a call outside of one.`);
}

/**
 * Tasks that make tasks: OpenMP's `task` for divide and conquer (n-queens, quicksort, adaptive quadrature). Handlers
 * are functions of at most 7 numbers, or have the type of their arguments: `{ args: struct({ a: f64, lo: u32 }),
 * run(a, lo) { … } }`. Each PE runs the newest of its own tasks, and when it has none the oldest of the nearest PE
 * that has some.
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
export function tasks<const H extends TaskHandlers>(pe: Group, handlers: H & Checked<H>): Tasks<H> {
  const entries = entriesOf(handlers);
  return newTasks<H>(taskAreaOf(seatOnNode(pe)), entries);
}

/** @throws UsageError for a group over nodes */
function seatOnNode(pe: Group): Seat {
  const seat = loopSeat(pe, "tasks");
  if (seat.here.length === seat.size) return seat;
  throw new UsageError(
    `tasks: expected a group of one node, got one with ${seat.size - seat.here.length} of ${seat.size} PEs on others: tasks do not go to other ` +
      "nodes. Divide the work by pe.node, and run tasks in the group of each node: pe.split(pe.node).",
  );
}
