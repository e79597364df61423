/**
 * A run of tasks, at one PE: the source, then tasks, its own newest ones first and others' oldest, until none is under
 * way anywhere; then the barrier.
 *
 * What goes wrong at one PE ends the run at all, as in loops: it stores its rank in STOP, and after the barrier all get
 * the error from that PE by a broadcast. What is left of the tasks is dropped, and the group goes on.
 */
import type { CheckedCall } from "../../collectives/calls/call.ts";
import { callWord } from "../../collectives/team/call-words.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import type { Task } from "../../ground/wait/task.ts";
import { Yields } from "../loop/conditions.ts";
import { thrownAt } from "../loop/thrown.ts";
import type { TaskArea } from "./area.ts";
import type { Runner } from "./codec.ts";
import { Work } from "./conditions.ts";
import type { TaskEntry } from "./table.ts";

/** One in so many tasks looks whether the run has been ended. */
const LOOK_MASK = 63;

/** Counts of one PE. */
export interface TaskCounts {
  /** Tasks that it has run. */
  ran: number;
  /** Those of them that other PEs had made. */
  stolen: number;
}

/** One that is under way. */
export class TaskRun {
  readonly #area: TaskArea;
  readonly #entries: readonly TaskEntry[];
  readonly #counts: TaskCounts;
  readonly #source: () => void;
  readonly #inside: (isInside: boolean) => void;
  readonly #run: Runner;
  readonly #turns: Yields;
  /** What has ended the run, if this PE has. */
  #error: unknown;

  /** @param run runs a task of the table @param source makes the first tasks */
  constructor(area: TaskArea, entries: readonly TaskEntry[], run: Runner, counts: TaskCounts, source: () => void) {
    this.#source = source;
    this.#run = run;
    this.#area = area;
    this.#turns = new Yields(area.seat);
    this.#inside = area.seat.collectives.engine.ops.inside;
    this.#entries = entries;
    this.#counts = counts;
  }

  /** What the source throws ends the run. */
  #begin(): void {
    try {
      this.#source();
    } catch (error) {
      this.#stop(error);
    }
    this.#area.countDone();
  }

  /** The call by which PEs compare their tables. */
  #call(): CheckedCall<void> {
    const names = this.#entries.map(({ name, takes }) => `${name}(${takes})`).join();
    const root = -2 - (fnv1a(names) >>> 2);
    return { word: callWord("tasks", "", ""), count: this.#entries.length, root, *begin() {}, finish() {} };
  }

  /** Runs tasks. @param pauses whether others are to have turns meanwhile @returns whether it has paused for that */
  work(pauses: boolean): boolean {
    const { own } = this.#area;
    // no collectives: PEs run different tasks
    this.#inside(true);
    try {
      for (let turn = 1; ; turn++) {
        if ((turn & LOOK_MASK) === 0) {
          this.#area.seat.checkGroup();
          if (this.#area.isStopped) return false;
        }
        let at = own.take();
        if (at < 0) {
          if (!this.#steals()) return false;
          at = own.left;
        }
        this.#counts.ran++;
        this.#run(at);
        this.#area.countDone();
        if (pauses && this.#turns.areDue) return true;
      }
    } catch (error) {
      this.#stop(error);
      return false;
    } finally {
      this.#inside(false);
    }
  }

  #steals(): boolean {
    if (this.#area.isStopped) return false;
    for (const victim of this.#area.victims) {
      if (!victim.steal(this.#area.own.left)) continue;
      this.#counts.stolen++;
      return true;
    }
    return false;
  }

  #stop(error: unknown): void {
    if (this.#area.stopNow()) this.#error = error;
  }

  /** Until the run is over: {@link work} and waits in turn. @param pauses as there */
  *working(call: string, pauses: boolean): Task<void> {
    const area = this.#area;
    const work = new Work(call, area);
    yield* area.seat.collectives.task(this.#call());
    this.#begin();
    for (;;) {
      while (this.work(pauses)) yield this.#turns.take();
      if (area.isStopped || area.isOver()) break;
      area.waits = true;
      try {
        yield work;
      } catch (error) {
        // without this PE the others do not come to an end
        throw area.seat.fail(error);
      } finally {
        area.waits = false;
      }
    }
    area.wakeAll();
  }

  /** The end, with the others. @throws what has ended the run early, at all PEs */
  *closing(): Task<void> {
    const area = this.#area;
    const { collectives } = area.seat;
    yield* collectives.task(collectives.backend.barrier());
    if (!area.isStopped) return;
    const error = yield* thrownAt(area.seat, area.stoppedBy, this.#error);
    area.clear();
    // nobody steals in the next run what is being dropped
    yield* collectives.task(collectives.backend.barrier());
    throw error;
  }
}
