/**
 * Threads that are started while their world is prepared: they load the code of a PE meanwhile, and are sent the PE's
 * seat when there is one. Only in a world of this node alone, whose ranks are known before.
 */
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { HeapError } from "../../ground/base/errors.ts";
import { setImmediate } from "../../ground/base/event-loop/timers.ts";
import { isBundled } from "../../ground/base/package-file.ts";
import { setting } from "../../ground/base/settings.ts";
import { shieldThreads } from "../../ground/base/shield.ts";
import type { Transferred } from "../../ground/base/thread/spawn.ts";
import { isInJob } from "../../links/world/nodes/in-job.ts";
import type { ThreadOptions, WorldOptions } from "./options.ts";
import { startPE } from "./start-pe.ts";

/** Threads started before timers and signals may run. */
export const START_BATCH = 8;

/** The threads that wait for their seats, by rank. */
export class ThreadsAhead {
  readonly #waiting = new Map<number, { readonly worker: Worker; forget(): void }>();
  #isTaken = false;
  /** Whether one could not be started. */
  #isRefused = false;
  /** Resolves when those that are not needed have exited. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(pes: number) {
    void this.#startAll(pes);
  }

  async #startAll(pes: number): Promise<void> {
    for (let rank = 0; rank < pes && !this.#isTaken; rank++) {
      try {
        this.#wait(rank, startPE(rank, undefined, null, []));
      } catch {
        this.#isRefused = true; // whoever needs it starts it, and says why it cannot be started
        return;
      }
      if (rank % START_BATCH === START_BATCH - 1) await new Promise(setImmediate);
    }
  }

  #wait(rank: number, worker: Worker): void {
    const lost = () => this.#waiting.delete(rank);
    worker.on("error", lost).on("exit", lost);
    this.#waiting.set(rank, { worker, forget: () => worker.off("error", lost).off("exit", lost) });
  }

  /** Makes the memory of the world; where these threads have left no room for it, without them. @throws as `make` */
  async beside<T>(make: () => T): Promise<T> {
    if (this.#isRefused) await this.end();
    try {
      return make();
    } catch (error) {
      if (!(error instanceof HeapError)) throw error;
      await this.end();
      return make();
    }
  }

  /**
   * The thread of a PE, which is sent its seat.
   * @returns undefined if none waits
   * @throws DataCloneError, and the thread still waits
   */
  take(rank: number, seat: unknown, transferList: readonly Transferred[]): Worker | undefined {
    this.#isTaken = true;
    const one = this.#waiting.get(rank);
    one?.worker.postMessage(seat, transferList);
    this.#waiting.delete(rank);
    one?.forget();
    return one?.worker;
  }

  /** Ends the threads that still wait. Resolves when they have exited, and those that an earlier call ends. */
  async end(): Promise<void> {
    this.#isTaken = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#ended = Promise.all([this.#ended, ...waiting.map(({ worker }) => worker.terminate())]);
    await this.#ended;
  }
}

/**
 * Starts the threads of a world with these options, which need not be valid; null if it is not known which.
 * @param options what was given to launch() or open()
 */
export function threadsAhead(options: (WorldOptions & ThreadOptions) | null): ThreadsAhead | null {
  const { pes, plan, machine, resourceLimits } = options ?? {};
  // limits are checked first: V8 ends the process where a thread has too little
  if (resourceLimits !== undefined) return null;
  // a bundle's thread begins with the program's module; what is planned or measured says how many PEs there are
  if (isBundled || isInJob() || plan !== undefined || setting("plan") !== "") return null;
  if (pes === undefined && (machine !== undefined || setting("machine") !== "")) return null;
  const count = pes ?? availableParallelism();
  if (!Number.isInteger(count) || count < 1) return null;
  shieldThreads();
  return new ThreadsAhead(count);
}
