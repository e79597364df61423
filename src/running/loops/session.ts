/**
 * A session of loops, as the launcher has it: a run of loops.program.ts, in which the PEs take one loop after the other
 * (orders.ts). So a loop costs a message to all PEs and one from the first, and not a run.
 */
import { randomUUID } from "node:crypto";
import { BroadcastChannel } from "node:worker_threads";
import { decodeThrown, type EncodedError } from "../../ground/base/error-data.ts";
import { RankLostError, WorldClosedError } from "../../ground/base/errors.ts";
import { sibling } from "../../ground/base/package-file.ts";
import type { Run } from "../run/handle.ts";
import type { OpenWorld } from "../run/open-world.ts";
import { argsError } from "../run/threads.ts";
import { type WorldParts, worldParts } from "../run/world-parts.ts";
import {
  CANCEL,
  closedAfter,
  type LoopOrder,
  type LoopReport,
  type Opening,
  RESERVED,
  STATE,
  WORDS,
} from "./orders.ts";
import type { WorldLoop } from "./world-loop.ts";

/** From its first loop until the PEs have returned. */
export class LoopSession {
  readonly #parts: WorldParts;
  readonly #words = new Int32Array(new SharedArrayBuffer(4 * WORDS));
  readonly #channel: BroadcastChannel;
  readonly #run: Run;
  /** Resolves when the PEs have returned, or the world has ended. */
  readonly #returned: Promise<void>;
  #number = 1;
  /** The loop that the PEs run. */
  #loop: WorldLoop | null;
  #isOver = false;

  /** Begins with a loop, after the runs of the world that were begun before. */
  constructor(world: OpenWorld, loop: WorldLoop) {
    this.#parts = worldParts.get(world) as WorldParts;
    const name = `tundish-loops-${randomUUID()}`;
    this.#channel = new BroadcastChannel(name);
    this.#channel.unref();
    this.#loop = loop;
    this.#words[STATE] = this.#number;
    const first: LoopOrder = { number: this.#number, ...loop.order };
    const args: Opening = { words: this.#words, channel: name, first };
    this.#run = world.run(sibling("./loops.program.js", import.meta.url), { args });
    this.#run.on("message", (said) => this.#hear(said as LoopReport));
    this.#parts.beforeNext = () => this.#close();
    this.#returned = this.#run.then(
      (results) => this.#end(lossIn(results)),
      (error: unknown) => this.#end(error),
    );
  }

  /** Gives the PEs their next loop. @returns whether they take one: else the session is over */
  give(loop: WorldLoop): boolean {
    const words = this.#words;
    const last = this.#number;
    // pairs with the exchange of PEs that wait no longer (loops.program.ts): either they end, or this sends
    if (this.#isOver || Atomics.compareExchange(words, STATE, last, RESERVED) !== last) return false;
    const number = last + 1;
    try {
      this.#channel.postMessage({ number, ...loop.order } satisfies LoopOrder);
    } catch (cause) {
      // pairs with the load of waiting PEs: nothing has come
      Atomics.store(words, STATE, last);
      loop.fail(argsError(cause));
      return true;
    }
    this.#number = number;
    this.#loop = loop;
    // pairs with the load of waiting PEs, which then find the message
    Atomics.store(words, STATE, number);
    this.#parts.wake();
    return true;
  }

  /** Ends its loop early. @returns false if that has not begun: nothing will run */
  cancel(): boolean {
    if (this.#run.first < 0) {
      this.#isOver = true;
      this.#loop = null;
      void this.#run.close();
      return false;
    }
    // pairs with the loads between chunks
    Atomics.store(this.#words, CANCEL, this.#number);
    return true;
  }

  /** Ends the PEs, as they do not leave their loop. */
  abandon(): void {
    void this.#run.close();
  }

  /** No further loop: another run is waiting, or the end of the world. @returns when the PEs have returned, if soon */
  #close(): Promise<void> | undefined {
    // pairs with the loads of PEs that wait, or come to wait when they have ended their loop
    Atomics.compareExchange(this.#words, STATE, this.#number, closedAfter(this.#number));
    this.#parts.wake();
    return this.#loop === null ? this.#returned : undefined;
  }

  #hear(said: LoopReport): void {
    const loop = this.#loop;
    // how far a loop was may be told when it has ended
    if (loop === null || said.number !== this.#number || !loop.hear(said)) return;
    this.#loop = null;
  }

  /** @param error why the loop under way does not end otherwise */
  #end(error: unknown): void {
    this.#isOver = true;
    this.#channel.close();
    this.#loop?.fail(error ?? new WorldClosedError("The PEs have returned before the loop had ended"));
    this.#loop = null;
  }
}

/** The loss of a PE that has ended a session in a world that goes on; undefined for none. */
export function lossIn(results: readonly unknown[]): unknown {
  const lost = results.find((result) => result instanceof RankLostError);
  const told = results.find((result) => result !== undefined && !(result instanceof RankLostError));
  return lost ?? (told === undefined ? undefined : decodeThrown(told as EncodedError));
}
