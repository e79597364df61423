/**
 * Starts a world on this node: heap, plan, one thread per PE; ends it when all have finished, or when
 * one is lost, the time is up or a signal comes.
 */
import { type FileHandle, open } from "node:fs/promises";
import type { Worker } from "node:worker_threads";
import type { Trees } from "../../trees/model/types.ts";
import { inWords, type Verdict } from "../base/account.ts";
import {
  AbortedError,
  EnvironmentError,
  ModuleError,
  restoreClass,
  sentenceOf,
  TimeoutError,
  type TundishError,
  UsageError,
} from "../base/errors.ts";
import { sibling } from "../base/package-file.ts";
import { shieldThreads } from "../base/shield.ts";
import { spawnThread } from "../base/thread/spawn.ts";
import { type Diagnosis, diagnose, type Watched } from "../diagnose/diagnose.ts";
import { watch } from "../diagnose/watchdog.ts";
import type { MachineModel } from "../machine/types.ts";
import { checkLaunchOptions } from "../run/check.ts";
import { checkInMain } from "../run/in-main.ts";
import { Limits } from "../run/limits.ts";
import { resolveModule } from "../run/module.ts";
import { makeNode, type Node, type WorldOptions } from "../run/node.ts";
import { type Output, outputOfPEs } from "../run/output.ts";
import { chromeTrace } from "../trace/chrome.ts";
import type { PETrace } from "../trace/collect.ts";
import { ABORTED, CLOSED, LOST, TIMED_OUT } from "../wait/layout.ts";
import type { Ending, Fate } from "../wait/termination.ts";
import type { Bells } from "../wait/wakers.ts";
import type { Seat } from "../world/layout.ts";
import type { Epoch } from "../world/nodes/epoch.ts";
import { heed } from "../world/nodes/failure-relay.ts";
import { controlOfJob, keep } from "../world/nodes/job.ts";

/** How to start a world. */
export interface LaunchOptions extends WorldOptions {
  /** Handed to every PE's main as its second argument; must be cloneable. @default undefined */
  readonly args?: unknown;
  /**
   * Time the whole run may take, ms, the measuring of its trees included; then it ends with a TimeoutError.
   * @default no limit
   */
  readonly timeout?: number;
  /** Ends the run with an AbortedError, also while its trees are measured. @default none */
  readonly signal?: AbortSignal;
  /**
   * Time without progress in conveyors after which a warning (`TUNDISH_STALL`) says once which PE keeps which promise not, ms;
   * Infinity for none. SIGUSR2 prints it at any time, unless the process has another handler. @default 10000
   */
  readonly stallAfter?: number;
  /**
   * A file for a trace of all conveyors that chrome://tracing and ui.perfetto.dev show; written when the run ends, however.
   * Where that fails, as on a full disk, a warning (`TUNDISH_TRACE`) says so, and the results are there all the same.
   * @default none
   */
  readonly trace?: string;
}

const STALL_AFTER_MS = 10_000;

/** The results in rank order; `await using` or {@link close} ends the run early. */
export interface Run<Result = unknown> extends Promise<Result[]>, AsyncDisposable {
  /** Ends the run if it has not ended; resolves when its threads are gone. */
  close(): Promise<void>;
  /** The rank of the first of the results: not 0 where other nodes come before this one; -1 before the run has begun. */
  readonly first: number;
  /** As {@link PE.diagnose}; without any PE before the run has begun. */
  diagnose(patience?: number): Diagnosis;
}

/** What a PE's thread tells the launcher. */
export type WorkerReport =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "trace"; readonly trace: PETrace }
  | { readonly kind: "failed" };

/** How long threads may take to leave by themselves once the world has ended, ms. */
const GRACE_MS = 250;
/** PEs that an error message names. */
const NAMED_RANKS = 8;
/** Time without progress that is told of when a run took too long, ms. */
const LATE_PATIENCE_MS = 300;
/** Threads that are started before timers and signals get their turn. */
const START_BATCH = 8;

/**
 * Runs an SPMD module on the cores of this machine.
 *
 * @param module a path (relative to the working directory) or a URL; its default export is made by
 *   `spmd()`. TypeScript needs tsx or a Node that reads it.
 * @returns what each PE's main returned, in rank order; `Result` is taken on trust
 * @throws UsageError for bad options, and under mpirun in a worker, ModuleError for a module that is not there, and for one that
 *   calls launch itself when a PE imports it (guard that by `isMainThread`), ModelError for a bad
 *   machine model, RankLostError when a PE throws, exits or is killed (its `cause` is the PE's error),
 *   TimeoutError, AbortedError
 */
export function launch<Result = unknown>(module: URL | string, options: LaunchOptions = {}): Run<Result> {
  return begin(module, options, warnUntraced, false);
}

/** As {@link launch}; `untraced` is told why there is no trace, when that is known at the end only. */
export function launchTelling<Result = unknown>(
  module: URL | string,
  options: LaunchOptions,
  untraced: Untraced,
): Run<Result> {
  return begin(module, options, untraced, false);
}

/** As {@link launch}, a world of this node alone, under mpirun too. @internal */
export function launchHere<Result = unknown>(module: URL | string, options: LaunchOptions): Run<Result> {
  return begin(module, options, warnUntraced, true);
}

type Untraced = (why: EnvironmentError) => void;

const warnUntraced: Untraced = ({ message }) => {
  process.emitWarning(message, { type: "TundishWarning", code: "TUNDISH_TRACE" });
};

function begin<Result>(
  module: URL | string,
  options: LaunchOptions,
  untraced: Untraced,
  isAlone: boolean,
): Run<Result> {
  const closing = new AbortController();
  let world: World | null = null;
  const onBegin = (begun: World): void => {
    world = begun;
  };
  const results = start(module, options, closing.signal, onBegin, untraced, isAlone) as Promise<Result[]>;
  const close = async () => {
    closing.abort();
    await results.catch(() => {});
  };
  const diagnose = (patience?: number) => world?.diagnose(patience) ?? NOT_BEGUN;
  const run: Omit<Run<Result>, "first"> = Object.assign(results, {
    close,
    diagnose,
    [Symbol.asyncDispose]: close,
  });
  return Object.defineProperty(run, "first", { get: () => world?.first ?? -1 }) as Run<Result>;
}

/** @throws UsageError for a file that cannot be written */
async function traceFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, "w");
  } catch (cause) {
    const why = (cause as Error).message;
    throw new UsageError(`trace: expected a file that can be written, got ${file}: ${why}`, { cause });
  }
}

const NOT_BEGUN: Diagnosis = { problems: [], pes: [], text: "The run has not begun." };

async function start(
  module: URL | string,
  options: LaunchOptions,
  closing: AbortSignal,
  onBegin: (world: World) => void,
  untraced: Untraced,
  isAlone: boolean,
): Promise<unknown[]> {
  checkInMain("launch()");
  shieldThreads();
  const epoch = isAlone ? null : (controlOfJob()?.begin() ?? null);
  try {
    return await startNode(module, options, closing, onBegin, untraced, epoch);
  } catch (error) {
    // the first to fail names the error for all nodes
    epoch?.fail(error as Error);
    throw error;
  } finally {
    await epoch?.leave();
  }
}

async function startNode(
  module: URL | string,
  options: LaunchOptions,
  closing: AbortSignal,
  onBegin: (world: World) => void,
  untraced: (why: EnvironmentError) => void,
  epoch: Epoch | null,
): Promise<unknown[]> {
  checkLaunchOptions(options);
  const url = resolveModule(module);
  const { args, trace: file, stallAfter = STALL_AFTER_MS } = options;
  // before anything runs: a file that cannot be written is no surprise at the end
  const trace = file === undefined ? null : await traceFile(file);
  const limits = new Limits(options, closing);
  let world: World | null = null;
  try {
    const node = await makeNode(options, limits.signal, epoch);
    const { seats, plan, model } = node;
    const common = { plan, model, module: url.href, args, trace: trace !== null, output: outputOfPEs() };
    world = new World(node, epoch);
    onBegin(world);
    return await world.run(seats, common, limits.signal, stallAfter);
  } finally {
    limits.end();
    if (trace !== null) {
      const why = await writeTrace(trace, world?.traces ?? []);
      // not thrown: the results, or the error, of the run are worth more
      if (why !== null) untraced(new EnvironmentError(`Cannot write the trace to ${file}: ${why}`));
    }
  }
}

/** Writes and closes it; why that has failed, null when it has not. */
async function writeTrace(trace: FileHandle, traces: readonly PETrace[]): Promise<string | null> {
  try {
    await trace.writeFile(chromeTrace(traces));
    await trace.close();
    return null;
  } catch (error) {
    await trace.close().catch(() => {});
    return (error as Error).message;
  }
}

/** What every PE's thread is started with beside its seat. */
interface Common {
  readonly plan: Trees;
  readonly model: MachineModel;
  readonly module: string;
  readonly args: unknown;
  /** Whether conveyors are traced. */
  readonly trace: boolean;
  readonly output: Output;
}

/** One run: its threads, and how it ends. */
class World {
  readonly #bells: Bells;
  readonly #fate: Fate;
  readonly #watched: Watched;
  /** The rank of this node's first PE. */
  readonly first: number;
  readonly #epoch: Epoch | null;
  readonly #workers: Worker[] = [];
  readonly #results: unknown[];
  readonly #missing: Set<number>;
  /** What PEs have collected. */
  readonly traces: PETrace[] = [];
  #killer: NodeJS.Timeout | undefined;
  /** The error behind the end, where it arose in this thread. */
  #cause: unknown;

  constructor({ heap, bells, fate, seats }: Node, epoch: Epoch | null) {
    const [{ statusOffset, first }] = seats as readonly [Seat];
    this.#watched = { heap, bells, fate, offset: statusOffset, size: seats.length, first };
    this.#bells = bells;
    this.#fate = fate;
    this.first = first;
    this.#epoch = epoch;
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
    const heeding = this.#epoch && heed(this.#epoch, this.#fate, this.#bells, () => this.#leave());
    try {
      if (stop.aborted) onStop();
      else await this.#startAll(seats, common);
      // how it ended here is told before that it has
      heeding?.look();
      // a node that fails later ends the world for all
      await this.#epoch?.leave();
    } finally {
      heeding?.[Symbol.dispose]();
      watching[Symbol.dispose]();
      clearInterval(this.#killer);
      stop.removeEventListener("abort", onStop);
    }
    if (!this.#fate.decided) return this.#results;
    if (this.#epoch !== null) keep(this.#watched.heap);
    const error = this.#fate.error();
    // what is wrong with the module is no matter of one PE
    if (error.cause instanceof ModuleError) throw error.cause;
    if (this.#cause !== undefined) error.cause = this.#cause;
    throw error;
  }

  diagnose(patience?: number): Diagnosis {
    return diagnose(this.#watched, patience);
  }

  /** What is broken, for the message of a run that took too long. */
  #diagnosis(): string {
    const { problems } = this.diagnose(LATE_PATIENCE_MS);
    return problems.length > 0 ? `. ${problems.join(" ")}` : "";
  }

  /** PEs of this node; when all have finished, the other nodes that have not. */
  #namesOfMissing(): string {
    const nodes = (this.#epoch?.gone ?? []).flatMap((gone, node) => (gone ? [] : [node]));
    const [what, missing] = this.#missing.size > 0 ? ["PE", [...this.#missing]] : ["node", nodes];
    const more = missing.length > NAMED_RANKS ? ` and ${missing.length - NAMED_RANKS} more` : "";
    return `${what} ${missing.slice(0, NAMED_RANKS).join(", ")}${more}`;
  }

  async #startAll(seats: readonly Seat[], common: Common): Promise<void> {
    const gone: Promise<void>[] = [];
    for (const seat of seats) {
      if (this.#fate.decided) break;
      gone.push(this.#start(seat, common));
      if (gone.length % START_BATCH === 0) await new Promise(setImmediate);
    }
    await Promise.all(gone);
  }

  /** Starts a PE's thread; resolves when the thread has gone, however. */
  #start(seat: Seat, common: Common): Promise<void> {
    const { rank } = seat;
    let worker: Worker;
    try {
      worker = spawnThread({
        entry: sibling("../run/worker.js", import.meta.url),
        workerData: { seat, ...common },
        name: `tundish PE ${rank}`,
      });
    } catch (cause) {
      if (rank === this.first && (cause as Error).name === "DataCloneError") {
        throw new UsageError(
          `args: expected a value that can be cloned, got one that cannot: ${inWords(cause)}. ` +
            "Pass data, and let the module import the functions it needs.",
          { cause },
        );
      }
      const message = `PE ${rank} could not be started: ${inWords(cause)}`;
      this.#end(LOST, { rank, message, cause });
      return Promise.resolve();
    }
    this.#workers.push(worker);
    worker.on("message", (report: WorkerReport) => {
      if (report.kind === "trace") this.traces.push(report.trace);
      else if (report.kind === "result") this.#finish(rank, report.value);
      else this.#leave();
    });
    worker.on("messageerror", (cause) => {
      this.#end(LOST, {
        rank,
        message: `The result of PE ${rank} could not be read: ${cause.message}`,
        cause,
      });
    });
    worker.on("error", (cause) => {
      if (cause instanceof Error) restoreClass(cause);
      const message = `PE ${rank} failed outside its main: ${inWords(cause)}`;
      this.#end(LOST, { rank, message, cause });
    });
    return new Promise((resolve) => {
      worker.on("exit", (code) => {
        if (this.#missing.has(rank)) {
          const message = `PE ${rank} ended with exit code ${code} before its main had returned (process.exit, a promise that nothing settles, or killed)`;
          this.#end(LOST, { rank, message });
        }
        resolve();
      });
    });
  }

  #finish(rank: number, value: unknown): void {
    this.#results[rank - this.first] = value;
    this.#missing.delete(rank);
    // a PE may return in spite of an error that it got
    if (this.#missing.size === 0 || this.#fate.decided) this.#leave();
  }

  /** Ends the world for all, unless it has ended already. */
  #end(ending: Ending, verdict: Verdict): void {
    // all results are there: only what a program left running is still going
    if (this.#missing.size === 0 && ending !== LOST && this.#epoch === null) return;
    if (this.#fate.decide(ending, verdict)) this.#cause = verdict.cause;
    this.#bells.ringAll();
    this.#leave();
  }

  /** From here on threads have a grace to leave by themselves; what a program left running is stopped. */
  #leave(): void {
    this.#killer ??= setInterval(() => {
      for (const worker of this.#workers) void worker.terminate();
    }, GRACE_MS);
  }
}
