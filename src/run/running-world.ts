/**
 * A running world on this node: one thread per PE. It ends when all have finished, one is lost, the timeout expires or
 * a signal arrives.
 */
import type { Worker } from "node:worker_threads";
import type { Trees } from "../../trees/model/types.ts";
import { decodeVerdict, type Verdict } from "../base/account.ts";
import {
  AbortedError,
  ModuleError,
  RankLostError,
  restoreClass,
  sentenceOf,
  TimeoutError,
  type TundishError,
  UsageError,
} from "../base/errors.ts";
import { sibling } from "../base/package-file.ts";
import { shortText } from "../base/short-text.ts";
import { spawnThread } from "../base/thread/spawn.ts";
import { type Diagnosis, diagnose, type Watched } from "../diagnose/diagnose.ts";
import { watch } from "../diagnose/watchdog.ts";
import type { MachineModel } from "../machine/types.ts";
import type { WasmModules } from "../memory/kernels/compile.ts";
import { Mpi } from "../mpi/mpi.ts";
import { Window } from "../mpi/window.ts";
import type { WorldPlan } from "../plan/document/world-plan.ts";
import type { PETrace } from "../trace/collect.ts";
import { ABORTED, CLOSED, LOST, TIMED_OUT } from "../wait/layout.ts";
import type { Ending, Termination } from "../wait/termination.ts";
import type { Wakers } from "../wait/wakers.ts";
import type { Seat } from "../world/layout.ts";
import type { Epoch } from "../world/nodes/epoch.ts";
import { relayFailures } from "../world/nodes/failure-relay.ts";
import { keep } from "../world/nodes/job.ts";
import type { WindowBoard } from "../world/nodes/window-board.ts";
import { relayWindow } from "../world/nodes/window-relay.ts";
import type { Node } from "./node.ts";
import type { Output } from "./output.ts";

/** A message from a PE's thread to the launcher. */
export type WorkerReport =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "trace"; readonly trace: PETrace }
  /** Its main has thrown. In a world that goes on without it the account says what (base/account.ts). */
  | { readonly kind: "failed"; readonly account?: Uint8Array | undefined }
  /** Its main has returned: PEs of other nodes are told. */
  | { readonly kind: "returned" };

/**
 * @internal Time for threads to exit by themselves once the world has ended. Tests that check what each PE is told allow
 * more: on a busy machine a thread may not run at all in that time.
 */
export const grace = { ms: 250 };
/** Number of PEs that an error message names. */
const NAMED_RANKS = 8;
/** Time without progress that a timeout error reports, ms. */
const STALL_MS = 300;
/** Threads started before timers and signals may run. */
const START_BATCH = 8;

/** What every PE's thread receives in addition to its seat. */
export interface Common {
  readonly trees: Trees;
  readonly model: MachineModel;
  readonly plan: WorldPlan;
  readonly module: string;
  readonly args: unknown;
  /** Whether conveyors are traced. */
  readonly trace: boolean;
  readonly output: Output;
  readonly kernels: WasmModules;
}

/** One run: its threads, and how it ends. */
export class RunningWorld {
  readonly #wakers: Wakers;
  readonly #termination: Termination;
  readonly #watched: Watched;
  /** The rank of this node's first PE. */
  readonly first: number;
  readonly #epoch: Epoch | null;
  /** The window over the heaps of all nodes; null if this is the only one. */
  readonly #window: WindowBoard | null;
  readonly #workers: Worker[] = [];
  readonly #results: unknown[];
  readonly #missing: Set<number>;
  /** PEs that are lost, in a world that goes on without them. */
  readonly #lost: RankLostError[] = [];
  /** The traces that the PEs collected. */
  readonly traces: PETrace[] = [];
  #killer: NodeJS.Timeout | undefined;
  /** The error that ended the world, if it arose in this thread. */
  #cause: unknown;

  constructor({ heap, wakers, termination, seats, window }: Node, epoch: Epoch | null) {
    const [{ statusOffset, first }] = seats as readonly [Seat];
    this.#watched = { heap, wakers, termination, offset: statusOffset, size: seats.length, first };
    this.#wakers = wakers;
    this.#termination = termination;
    this.first = first;
    this.#epoch = epoch;
    this.#window = window;
    this.#results = new Array(seats.length);
    this.#missing = new Set(seats.map(({ rank }) => rank));
  }

  async run(
    seats: readonly Seat[],
    common: Common,
    stop: AbortSignal,
    stallAfter: number,
  ): Promise<unknown[]> {
    const onStop = () => {
      const error = stop.reason as TundishError;
      const [message, cause] = [sentenceOf(error), error.cause];
      if (stop.reason instanceof TimeoutError) {
        const who = `not finished: ${this.#namesOfMissing()}${this.#diagnosis()}`;
        this.#end(TIMED_OUT, { rank: -1, message: `${message}; ${who}` });
      } else {
        this.#end(stop.reason instanceof AbortedError ? ABORTED : CLOSED, { rank: -1, message, cause });
      }
    };
    stop.addEventListener("abort", onStop);
    const watching = watch(this.#watched, stallAfter);
    const relay =
      this.#epoch && relayFailures(this.#epoch, this.#termination, this.#wakers, () => this.#leave());
    const windowing =
      this.#epoch && this.#window && relayWindow(this.#epoch, this.#window, () => this.#makeWindow());
    try {
      if (stop.aborted) onStop();
      else await this.#startAll(seats, common);
      // the other nodes hear how it ended before they hear that this node has left
      relay?.look();
      // until then the failure of another node ends the world for all
      await this.#epoch?.leave();
    } finally {
      relay?.[Symbol.dispose]();
      windowing?.[Symbol.dispose]();
      watching[Symbol.dispose]();
      clearInterval(this.#killer);
      stop.removeEventListener("abort", onStop);
    }
    if (!this.#termination.decided) {
      this.#freeWindow();
      const { losses, pes } = this.#wakers;
      // nobody is left, here or on another node
      if (this.#lost.length === this.#results.length && losses.count === pes) throw this.#lost[0];
      return this.#results;
    }
    if (this.#epoch !== null) keep(this.#watched.heap);
    const error = this.#termination.error();
    // a fault of the module does not concern a single PE
    if (error.cause instanceof ModuleError) throw error.cause;
    if (this.#cause !== undefined) error.cause = this.#cause;
    throw error;
  }

  #makeWindow(): number {
    return Window.create(Mpi.join(), this.#watched.heap.own);
  }

  /** All nodes have left, so all come to this. After a failure, or where one has made none, not all may: then it stays, and the heap, too. */
  #freeWindow(): void {
    const handle = this.#window?.handle ?? null;
    if (handle === null) return;
    if (this.#epoch?.windowsMade.every(Boolean)) Window.free(Mpi.join(), handle);
    else keep(this.#watched.heap);
  }

  diagnose(patience?: number): Diagnosis {
    return diagnose(this.#watched, patience);
  }

  /** What is broken, for the message of a run that timed out. */
  #diagnosis(): string {
    const { problems } = this.diagnose(STALL_MS);
    return problems.length > 0 ? `. ${problems.join(" ")}` : "";
  }

  /** Unfinished PEs of this node; if all have finished, the other nodes that have not. */
  #namesOfMissing(): string {
    const nodes = (this.#epoch?.gone ?? []).flatMap((gone, node) => (gone ? [] : [node]));
    const [what, missing] = this.#missing.size > 0 ? ["PE", [...this.#missing]] : ["node", nodes];
    const more = missing.length > NAMED_RANKS ? ` and ${missing.length - NAMED_RANKS} more` : "";
    return `${what} ${missing.slice(0, NAMED_RANKS).join(", ")}${more}`;
  }

  async #startAll(seats: readonly Seat[], common: Common): Promise<void> {
    const gone: Promise<void>[] = [];
    for (const seat of seats) {
      if (this.#termination.decided) break;
      gone.push(this.#start(seat, common));
      if (gone.length % START_BATCH === 0) await new Promise(setImmediate);
    }
    // now, as the threads take longer to start than this
    this.#wakers.leaveFencesToSleepers();
    await Promise.all(gone);
  }

  /** Starts a PE's thread; resolves when the thread has exited for any reason. */
  #start(seat: Seat, common: Common): Promise<void> {
    const { rank } = seat;
    let worker: Worker;
    try {
      worker = spawnThread({
        entry: sibling("./worker.js", import.meta.url),
        workerData: { seat, ...common },
        name: `tundish PE ${rank}`,
      });
    } catch (cause) {
      if (rank === this.first && (cause as Error).name === "DataCloneError") {
        throw new UsageError(
          `args: expected a value that can be cloned, got one that cannot: ${shortText(cause)}. ` +
            "Pass data, and let the module import the functions it needs.",
          { cause },
        );
      }
      const message = `PE ${rank} could not be started: ${shortText(cause)}`;
      this.#fail(null, { rank, message, cause });
      return Promise.resolve();
    }
    this.#workers.push(worker);
    worker.on("message", (report: WorkerReport) => {
      if (report.kind === "trace") this.traces.push(report.trace);
      else if (report.kind === "result") this.#finish(rank, report.value);
      else if (report.kind === "returned") this.#epoch?.tellReturned(rank);
      else if (report.account === undefined) this.#leave();
      else this.#lose(worker, { rank, ...decodeVerdict(report.account) });
    });
    worker.on("messageerror", (cause) => {
      const message = `The result of PE ${rank} could not be read: ${cause.message}`;
      this.#fail(worker, { rank, message, cause });
    });
    worker.on("error", (cause) => {
      if (cause instanceof Error) restoreClass(cause);
      const message = `PE ${rank} failed outside its main: ${shortText(cause)}`;
      this.#fail(worker, { rank, message, cause });
    });
    return new Promise((resolve) => {
      worker.on("exit", (code) => {
        if (this.#missing.has(rank)) {
          const message = `PE ${rank} ended with exit code ${code} before its main returned (process.exit, a promise that is never settled, or killed)`;
          this.#fail(worker, { rank, message });
        }
        resolve();
      });
    });
  }

  /** A PE has failed. */
  #fail(worker: Worker | null, verdict: Verdict): void {
    if (this.#wakers.losses.areSurvived && !this.#termination.decided) this.#lose(worker, verdict);
    else this.#end(LOST, verdict);
  }

  /** A PE is lost, and the world goes on: its result is why. */
  #lose(worker: Worker | null, { rank, message, cause }: Verdict): void {
    if (!this.#missing.has(rank)) return;
    const { losses } = this.#wakers;
    if (losses.lose(rank, message)) this.#wakers.notifyAll();
    this.#lost.push(new RankLostError(rank, message, cause === undefined ? {} : { cause }));
    // what its program keeps running does not outlive it
    if (worker !== null) setTimeout(() => void worker.terminate(), grace.ms).unref();
    this.#finish(rank, this.#lost.at(-1));
  }

  #finish(rank: number, value: unknown): void {
    this.#results[rank - this.first] = value;
    this.#missing.delete(rank);
    // a PE may catch an error and return
    if (this.#missing.size === 0 || this.#termination.decided) this.#leave();
  }

  /** Ends the world for all, unless it has ended already. */
  #end(ending: Ending, verdict: Verdict): void {
    // all results are there: only other work that a program left behind is still running
    if (this.#missing.size === 0 && ending !== LOST && this.#epoch === null) return;
    if (this.#termination.decide(ending, verdict)) this.#cause = verdict.cause;
    this.#wakers.notifyAll();
    this.#leave();
  }

  /** Gives threads time to exit by themselves, then terminates those that a program keeps running. */
  #leave(): void {
    this.#killer ??= setInterval(() => {
      for (const worker of this.#workers) void worker.terminate();
    }, grace.ms);
  }
}
