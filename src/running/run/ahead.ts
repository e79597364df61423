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
import type { WasmMemory } from "../../ground/memory/kernels/webassembly.ts";
import { pagesOf, Reserved } from "../../ground/memory/reserve.ts";
import type { PEDescriptor } from "../../links/world/layout.ts";
import { isInJob } from "../../links/world/nodes/in-job.ts";
import type { ThreadOptions, WorldOptions } from "./options.ts";
import { startPE } from "./start-pe.ts";

/** Threads started before timers and signals may run. */
export const START_BATCH = 8;

/** Whether a thread that has the memory before it grows saves V8 a collection (reserve.ts): on Node 26, not on 24. */
const COUNTS_MEMORY = Number.parseInt(process.versions.v8, 10) >= 14;

/** The threads that wait for their seats, by rank. */
export class ThreadsAhead {
  readonly #waiting = new Map<number, { readonly worker: Worker; forget(): void }>();
  /** For the heap, until it is taken; null if there is no room for it. */
  #reserved: Reserved | null;
  readonly #memory: WasmMemory | null;
  /** Resolve when they have the memory. */
  readonly #begun: Promise<unknown>[] = [];
  #isTaken = false;
  /** Whether one could not be started. */
  #isRefused = false;
  /** Resolves when those that are not needed have exited. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(pes: number, reserved: Reserved | null) {
    this.#reserved = reserved;
    this.#memory = reserved?.memory ?? null;
    void this.#startAll(pes);
  }

  async #startAll(pes: number): Promise<void> {
    for (let rank = 0; rank < pes && !this.#isTaken; rank++) {
      try {
        this.#wait(rank, startPE(rank, undefined, { memory: this.#memory }, []));
      } catch {
        this.#isRefused = true; // whoever needs it starts it, and says why it cannot be started
        return;
      }
      if (rank % START_BATCH === START_BATCH - 1) await new Promise(setImmediate);
    }
  }

  #wait(rank: number, worker: Worker): void {
    const begun = new Promise((resolve) => {
      const lost = () => resolve(this.#waiting.delete(rank));
      worker.once("online", resolve).on("error", lost).on("exit", lost);
      this.#waiting.set(rank, { worker, forget: () => worker.off("error", lost).off("exit", lost) });
    });
    this.#begun.push(begun);
  }

  /** Makes the heap of the world in memory that these threads have; without them where they left no room for it. */
  async beside<T>(make: (memory?: WasmMemory) => T): Promise<T> {
    if (this.#isRefused) await this.end();
    const reserved = this.#reserved;
    this.#reserved = null;
    if (COUNTS_MEMORY) await Promise.all(this.#begun);
    try {
      return make(reserved?.grow());
    } catch (error) {
      if (!(error instanceof HeapError)) throw error;
      await this.end();
      return make();
    }
  }

  /** The thread of a PE, sent its seat with the rest; undefined if none waits. @throws DataCloneError, and it still waits */
  take(rank: number, given: { readonly seat: PEDescriptor }, transferList: readonly Transferred[]): Worker | undefined {
    this.#isTaken = true;
    const one = this.#waiting.get(rank);
    const { seat } = given;
    const memory = seat.memory === this.#memory ? null : seat.memory;
    one?.worker.postMessage({ ...given, seat: { ...seat, memory } }, transferList);
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

/** Starts the threads of a world with these options, which need not be valid; null if it is not known which. */
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
  return new ThreadsAhead(count, reservedFor(options?.heapBytes));
}

/** Address space for a heap of the size that was asked for; null if there can be none: whoever makes the heap says why. */
function reservedFor(bytes: number | undefined): Reserved | null {
  try {
    return new Reserved(pagesOf(bytes));
  } catch {
    return null;
  }
}
