/**
 * A running world on this node: one thread per PE. That of launch() does one job, and ends when all have finished; an
 * open one takes jobs until it is closed. Both end when a PE is lost, the timeout of a run expires or its signal
 * arrives.
 */

import { differenceSeen } from "../../collectives/team/calls-seen.ts";
import { decodeVerdict, type Verdict } from "../../ground/base/account.ts";
import { EnvironmentError, ModuleError, RankLostError, type TundishError } from "../../ground/base/errors.ts";
import { clearInterval, setImmediate, setInterval, setTimeout } from "../../ground/base/event-loop/timers.ts";
import { reportExternalMemory } from "../../ground/memory/new-heap.ts";
import { onAbort } from "../../ground/wait/abort.ts";
import { CLOSED, LOST, MISMATCHED } from "../../ground/wait/layout.ts";
import type { Ending, Termination } from "../../ground/wait/termination.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import { type Diagnosis, diagnose, type Watched } from "../../links/diagnose/diagnose.ts";
import { watch } from "../../links/diagnose/watchdog.ts";
import type { PEDescriptor } from "../../links/world/layout.ts";
import type { Epoch } from "../../links/world/nodes/epoch.ts";
import type { WindowBoard } from "../../links/world/nodes/window-board.ts";
import type { FirstDifference } from "../../pe/calls-compared.ts";
import type { PETrace } from "../trace/collect.ts";
import { START_BATCH } from "./ahead.ts";
import { missingText, stallText, whereText } from "./ending-words.ts";
import { finishRun } from "./finish.ts";
import { type Job, type MessageListener, Results, type WorkerReport } from "./jobs.ts";
import { endingBy } from "./limits.ts";
import type { Node } from "./node.ts";
import { overNodes } from "./over-nodes/begin.ts";
import type { Relay } from "./over-nodes/nodes.ts";
import { type Start, Threads } from "./threads.ts";

/**
 * Time for threads to exit by themselves once the world has ended. Tests that check what each PE is told allow
 * more: on a busy machine a thread may not run at all in that time.
 */
export const grace = { ms: 250 };

/** The threads of a world, and how it ends. */
export class RunningWorld {
  readonly #wakers: Wakers;
  readonly #termination: Termination;
  readonly #watched: Watched;
  /** The rank of this node's first PE. */
  readonly first: number;
  /** PEs of this node. */
  readonly pes: number;
  readonly #epoch: Epoch | null;
  /** Byte offset of the block of the world's team on this node. */
  readonly #teamOffset: number;
  /** The window over the heaps of all nodes; null if this is the only one. */
  readonly #window: WindowBoard | null;
  #relay: Relay | null = null;
  readonly #threads = new Threads({
    hear: (rank, report) => this.#hear(rank, report),
    fail: (verdict) => this.#fail(verdict),
    exited: (rank, code) => this.#exited(rank, code),
  });
  /** Of this node's PEs. */
  readonly #ranks: readonly number[];
  /** PEs that have neither left nor are lost. */
  readonly #present: Set<number>;
  #results: Results;
  /** Whether its PEs take further jobs when they have returned. */
  #isOpen = false;
  /** Resolves when the threads have exited and all nodes have left. */
  #life: Promise<void> = Promise.resolve();
  #isOver = false;
  /** PEs that are lost, in a world that goes on without them. */
  readonly #lost: RankLostError[] = [];
  /** The traces that the PEs collected. */
  readonly traces: PETrace[] = [];
  #killer: NodeJS.Timeout | undefined;
  /** The error that ended the world, if it arose in this thread. */
  #cause: unknown;

  constructor({ heap, wakers, termination, seats, window }: Node, epoch: Epoch | null) {
    const [{ statusOffset, teamOffset, first }] = seats as readonly [PEDescriptor];
    this.#teamOffset = teamOffset;
    this.#watched = { heap, wakers, termination, offset: statusOffset, size: seats.length, first };
    this.#wakers = wakers;
    this.#termination = termination;
    this.first = first;
    this.pes = seats.length;
    this.#epoch = epoch;
    this.#window = window;
    this.#ranks = seats.map(({ rank }) => rank);
    this.#present = new Set(this.#ranks);
    this.#results = this.#expect(() => {});
  }

  /** Whether it can run nothing any more: it has ended, or ends. */
  get isOver(): boolean {
    return this.#isOver || this.#present.size === 0 || this.#termination.decided;
  }

  /** The error that ended it; null if it has none. */
  get failure(): Error | null {
    return this.#termination.decided ? this.#error() : null;
  }

  /** Starts PEs that do one job, and leave. @returns their results */
  async launch(start: Start, job: Job, stop: AbortSignal, onPost: MessageListener): Promise<unknown[]> {
    const { values } = this.#expect(onPost);
    await this.#within(stop, () => this.#live(start, job, () => this.#compareCalls(stop)));
    return this.#resultsIn(values);
  }

  /** Starts PEs that take jobs until {@link close}. Resolves when all are ready. */
  async open(start: Start, stop: AbortSignal): Promise<void> {
    this.#isOpen = true;
    const { complete } = this.#results;
    await this.#within(stop, () => {
      this.#life = this.#live(start, null, async () => {}).finally(() => {
        this.#isOver = true;
        // not by Promise.race: what waits for this would stay with it, run after run
        this.#results.end();
      });
      // thrown where it is awaited
      this.#life.catch(() => {});
      return complete;
    });
    await this.#unlessOver([]);
  }

  /**
   * Runs a job by the PEs of an open world, which are all waiting for one.
   * @throws UsageError for arguments that cannot be cloned, and the world stays as it is; else the error that ended the
   * world
   */
  async run(job: Job, stop: AbortSignal, onPost: MessageListener): Promise<unknown[]> {
    const before = this.#results;
    let isFinished = false;
    const { values, complete } = this.#expect(onPost);
    const epoch = this.#epoch;
    this.#wakers.renew();
    if (epoch !== null) epoch.run = job.number;
    await this.#within(stop, async () => {
      if (!this.isOver) {
        try {
          this.#threads.order({ kind: "run", job });
          this.#keep(true);
        } catch (error) {
          this.#results = before;
          throw error;
        }
      }
      if (!this.#isOver) await complete;
      isFinished = !this.isOver && (await this.#finishRun(stop));
    });
    // what has ended the world since concerns the next run
    if (isFinished && this.isOver) return values;
    return this.#unlessOver(values);
  }

  /**
   * All PEs have returned, here and then on all nodes. The world ends if their calls do not match (finish.ts).
   * @returns whether the run has ended well
   */
  async #finishRun(stop: AbortSignal): Promise<boolean> {
    // calls that a lost PE has ended at some PEs may not have been made by others
    const made = this.#wakers.losses.count === 0 ? this.#results.made : new Map<number, string>();
    const first: FirstDifference = ([, where, , offset, here], last) =>
      differenceSeen(this.#watched.heap, offset, here, last, where);
    const fault = await finishRun(made, first, this.#epoch, stop, !this.#isOpen);
    if (fault !== null && fault !== "ended") this.#end(fault.ending, { rank: -1, message: fault.message });
    return fault === null;
  }

  /** As {@link #finishRun}, at the end of launch(). */
  async #compareCalls(stop: AbortSignal): Promise<void> {
    if (!this.#termination.decided) await this.#finishRun(stop);
  }

  /** Looks at once whether another node, or this one's main thread, has ended the world. */
  look(): void {
    this.#relay?.look();
  }

  /** Ends an open world. Resolves when its threads have exited. */
  async close(): Promise<void> {
    if (this.#results.missing.size > 0)
      this.#end(CLOSED, { rank: -1, message: "The world was closed before the run had finished" });
    else this.#threads.order({ kind: "leave" });
    this.#keep(true);
    await this.#life;
  }

  /** The results, unless the world has ended; the threads have exited then. @throws the error that ended it */
  async #unlessOver(values: unknown[]): Promise<unknown[]> {
    if (this.isOver) await this.#life;
    // a world that waits for its next job does not keep the process alive
    else this.#keep(false);
    return this.#resultsIn(values);
  }

  /** @throws the error that ended the world */
  #resultsIn(values: unknown[]): unknown[] {
    if (this.#termination.decided) throw this.#error();
    const { losses, pes } = this.#wakers;
    // nobody is left, here or on another node
    if (this.#lost.length === values.length && values.length > 0 && losses.count === pes) throw this.#lost[0];
    return values;
  }

  #error(): Error {
    const error = this.#termination.error(whereText(this.#watched, this.#ranks, this.#teamOffset));
    // a fault of the module does not concern a single PE
    if (error.cause instanceof ModuleError) return error.cause;
    // nor does a limit of the system that this thread has met
    if (this.#cause instanceof EnvironmentError) return this.#cause;
    if (this.#cause !== undefined) error.cause = this.#cause;
    return error;
  }

  /** From now on results are those of another job. */
  #expect(onPost: MessageListener): Results {
    this.#results = new Results(this.first, this.#watched.size, this.#lost, onPost);
    return this.#results;
  }

  /** Does what `stop` ends. */
  async #within(stop: AbortSignal, work: () => Promise<void>): Promise<void> {
    const onStop = () =>
      this.#end(
        ...endingBy(stop.reason as TundishError, () => {
          const { missing } = this.#results;
          return `${missingText(missing, this.#epoch)}${stallText(this.#watched, missing)}`;
        }),
      );
    const unwatch = onAbort(stop, onStop);
    try {
      if (stop.aborted) onStop();
      await work();
    } finally {
      unwatch();
    }
  }

  /** From the start of the threads until they and all nodes have left. @param atEnd done when they have exited */
  async #live(start: Start, job: Job | null, atEnd: () => Promise<void>): Promise<void> {
    const epoch = this.#epoch;
    const watching = watch(this.#watched, start.stallAfter);
    const relay = await this.#relayed();
    try {
      await this.#startAll(start, job);
      await atEnd();
      // the other nodes hear how it ended before they hear that this node has left
      relay?.look();
      // until then the failure of another node ends the world for all
      await epoch?.leave();
    } finally {
      relay?.[Symbol.dispose]();
      watching[Symbol.dispose]();
      clearInterval(this.#killer);
      reportExternalMemory(this.#watched.heap);
    }
    relay?.free(this.#termination.decided);
  }

  /** Relays between its PEs and the other nodes, from now on; null if this node is alone. */
  async #relayed(): Promise<Relay | null> {
    const [epoch, window] = [this.#epoch, this.#window];
    if (epoch === null || window === null) return null;
    const { Relay } = await overNodes();
    this.#relay = new Relay(
      epoch,
      { heap: this.#watched.heap, termination: this.#termination, wakers: this.#wakers, window },
      () => this.#leave(),
    );
    return this.#relay;
  }

  /** Has its PEs look at what they wait for. */
  wake(): void {
    this.#wakers.notifyAll();
  }

  diagnose(patience?: number): Diagnosis {
    return diagnose(this.#watched, patience);
  }

  /** Whether its threads, and what is said between nodes, keep the process alive. */
  #keep(keeps: boolean): void {
    this.#epoch?.keep(keeps);
    this.#threads.keep(keeps);
  }

  async #startAll({ seats, common, ...options }: Start, job: Job | null): Promise<void> {
    const gone: Promise<void>[] = [];
    for (const seat of seats) {
      if (this.#termination.decided) break;
      gone.push(this.#threads.start(seat, { ...common, job }, options, gone.length === 0));
      if (gone.length % START_BATCH === 0) await new Promise(setImmediate);
    }
    // those that were guessed to be needed
    void options.ahead?.end();
    // now, as the threads take longer to start than this
    this.#wakers.leaveFencesToSleepers();
    await Promise.all(gone);
  }

  /** The thread of a PE has exited. */
  #exited(rank: number, code: number): void {
    if (!this.#present.has(rank)) return;
    const when = this.#results.missing.has(rank) ? "before its main returned" : "between two runs";
    const message = `PE ${rank} ended with exit code ${code} ${when} (process.exit, a promise that is never settled, or killed)`;
    this.#fail({ rank, message });
  }

  #hear(rank: number, report: WorkerReport): void {
    if (report.kind === "post") this.#results.onPost(report.value, rank);
    else if (report.kind === "trace") this.traces.push(report.trace);
    else if (report.kind === "result") {
      if (report.made !== undefined) this.#results.made.set(rank, report.made);
      this.#finish(rank, report.value);
    } else if (report.kind === "returned") this.#epoch?.tellReturned(rank);
    else if (report.kind === "left") this.#absent(rank);
    else if (report.account === undefined) this.#leave();
    else this.#lose({ rank, ...decodeVerdict(report.account) });
  }

  /** A PE has failed. */
  #fail(verdict: Verdict): void {
    if (this.#wakers.losses.areSurvived && !this.#termination.decided) this.#lose(verdict);
    else this.#end(LOST, verdict);
  }

  /** A PE is lost, and the world goes on: its result is why. */
  #lose({ rank, message, cause }: Verdict): void {
    if (!this.#present.has(rank)) return;
    const { losses } = this.#wakers;
    if (losses.lose(rank, message)) this.#wakers.notifyAll();
    const error = new RankLostError(rank, message, cause === undefined ? {} : { cause });
    this.#lost.push(error);
    // what its program keeps running does not outlive it
    setTimeout(() => this.#threads.terminate(rank), grace.ms).unref();
    this.#finish(rank, error);
    this.#absent(rank);
  }

  #finish(rank: number, value: unknown): void {
    this.#results.set(rank, value);
    if (!this.#isOpen) this.#absent(rank);
    // a PE may catch the error that ended the world, and return
    else if (this.#termination.decided) this.#leave();
  }

  #absent(rank: number): void {
    this.#present.delete(rank);
    if (this.#present.size === 0 || this.#termination.decided) this.#leave();
  }

  /** Ends the world for all, unless it has ended already. */
  #end(ending: Ending, verdict: Verdict): void {
    // all results are there: only other work that a program left behind is still running
    if (this.#present.size === 0 && ending !== LOST && ending !== MISMATCHED && this.#epoch === null) return;
    if (this.#termination.decide(ending, verdict)) this.#cause = verdict.cause;
    this.#wakers.notifyAll();
    this.#leave();
  }

  /** Gives threads time to exit by themselves, then terminates those that a program keeps running. */
  #leave(): void {
    if (this.#killer !== undefined) return;
    if (this.#isOpen) this.#threads.order({ kind: "leave" });
    this.#killer = setInterval(() => this.#threads.terminateAll(), grace.ms);
  }
}
