/** The threads of the PEs of a node: started, told what to run, and ended. */
import type { ResourceLimits, Worker } from "node:worker_threads";
import type { Trees } from "../../../trees/model/tree.ts";
import type { Verdict } from "../../ground/base/account.ts";
import { cloneRefusal } from "../../ground/base/clone-refusal.ts";
import { restoreClass } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { refusalOf } from "../../ground/base/thread/room.ts";
import type { WasmModules } from "../../ground/memory/kernels/compile.ts";
import type { WasmMemory } from "../../ground/memory/kernels/webassembly.ts";
import { lateMemory } from "../../ground/memory/new-heap.ts";
import type { PEDescriptor } from "../../links/world/layout.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import type { WorldPlan } from "../../plan/document/world-plan.ts";
import type { ThreadsAhead } from "./ahead.ts";
import type { Job, Order, WorkerReport } from "./jobs.ts";
import { startPE } from "./start-pe.ts";
import { LentStdin } from "./stdio/lent-stdin.ts";
import type { Output } from "./stdio/output.ts";

/** The parts that every PE's thread receives in addition to its seat. */
export interface Common {
  readonly trees: Trees;
  readonly model: MachineModel;
  readonly plan: WorldPlan;
  /** Whether conveyors are traced. */
  readonly trace: boolean;
  readonly output: Output;
  readonly kernels: WasmModules;
}

/** How a thread is started. */
export interface StartOptions {
  readonly resourceLimits: ResourceLimits | undefined;
  /** Those that have been started before; null for none. */
  readonly ahead: ThreadsAhead | null;
}

/** How the threads of a world are started and watched. */
export interface Start extends StartOptions {
  readonly seats: readonly PEDescriptor[];
  readonly common: Common;
  /** Time without progress after which a warning is emitted, ms. */
  readonly stallAfter: number;
}

/** The reactions to what happens to them. */
export interface ThreadEvents {
  hear(rank: number, report: WorkerReport): void;
  /** A thread has failed outside the main of its PE. */
  fail(verdict: Verdict): void;
  exited(rank: number, code: number): void;
}

/** Threads by the rank of their PE, until they exit. */
export class Threads {
  readonly #workers = new Map<number, Worker>();
  readonly #terminated = new WeakSet<Worker>();
  /** The stdin of this process, which the first PE has. */
  #stdin: LentStdin | null = null;
  readonly #events: ThreadEvents;

  constructor(events: ThreadEvents) {
    this.#events = events;
  }

  /**
   * Starts a PE's thread; resolves when the thread has exited for any reason.
   * @param isFirst whether no other thread has its arguments
   * @throws UsageError for arguments that cannot be cloned
   */
  start(
    seat: PEDescriptor,
    given: Common & { readonly job: Job | null },
    { resourceLimits, ahead }: StartOptions,
    isFirst: boolean,
  ): Promise<void> {
    const { rank } = seat;
    const events = this.#events;
    const stdin = rank === seat.first ? new LentStdin() : null;
    const memory = lateMemory(seat.memory as WasmMemory);
    const all = { seat: { ...seat, memory: memory.late }, ...given, stdin: stdin?.port ?? null };
    const ports = [memory.late.port, ...(stdin === null ? [] : [stdin.port])];
    let worker: Worker;
    try {
      worker = ahead?.take(rank, all, ports) ?? startPE(rank, resourceLimits, all, ports);
    } catch (cause) {
      memory.end();
      stdin?.end();
      if (isFirst && (cause as Error).name === "DataCloneError") throw argsError(cause);
      events.fail(notStarted(rank, cause));
      return Promise.resolve();
    }
    this.#workers.set(rank, worker);
    this.#stdin ??= stdin;
    worker.on("message", (report: WorkerReport) => events.hear(rank, report));
    worker.on("messageerror", (cause) => {
      events.fail({ rank, message: `The result of PE ${rank} could not be read: ${cause.message}`, cause });
    });
    worker.on("error", (cause) => {
      if (cause instanceof Error) restoreClass(cause);
      const refusal = refusalOf(cause);
      if (refusal !== null) return events.fail(notStarted(rank, refusal));
      events.fail({ rank, message: failureText(rank, cause), cause });
    });
    return new Promise((resolve) => {
      worker.on("exit", (code) => {
        events.exited(rank, code);
        this.#workers.delete(rank);
        memory.end();
        stdin?.end();
        resolve();
      });
    });
  }

  /** Sends an order to all. @throws UsageError for arguments that cannot be cloned, before any thread has them */
  order(order: Order): void {
    for (const worker of this.#workers.values()) {
      try {
        worker.postMessage(order);
      } catch (cause) {
        throw argsError(cause);
      }
    }
  }

  /** Whether they keep the process alive. */
  keep(keeps: boolean): void {
    this.#stdin?.keep(keeps);
    for (const worker of this.#workers.values()) {
      if (keeps) worker.ref();
      else worker.unref();
    }
  }

  terminate(rank: number): void {
    const worker = this.#workers.get(rank);
    // once: each call of Worker.terminate() adds a listener
    if (worker === undefined || this.#terminated.has(worker)) return;
    this.#terminated.add(worker);
    void worker.terminate();
  }

  terminateAll(): void {
    for (const rank of this.#workers.keys()) this.terminate(rank);
  }
}

const notStarted = (rank: number, cause: unknown): Verdict => ({
  rank,
  message: `PE ${rank} could not be started: ${shortText(cause)}`,
  cause,
});

/** The message of a thread at its end, and not from its main. */
const failureText = (rank: number, cause: unknown): string =>
  (cause as { readonly code?: unknown } | null)?.code === "ERR_WORKER_OUT_OF_MEMORY"
    ? `PE ${rank} has used up the memory of its thread, or was ended with it (${shortText(cause)}). Raise resourceLimits.maxOldGenerationSizeMb, ` +
      "or Node's --max-old-space-size; typed arrays of the shared heap do not count."
    : `PE ${rank} failed outside its main: ${shortText(cause)}`;

export const argsError = (cause: unknown): unknown =>
  cloneRefusal(cause, "args: expected a value", "Pass data, and let the module import the functions it needs.");
