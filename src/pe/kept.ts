/** The things made by the program of a PE that other PEs may still use, or need, when its main has returned. */
import type { AsyncWaits } from "../ground/wait/async.ts";
import { awaitOn, type Task } from "../ground/wait/task.ts";
import { watcherOf } from "../ground/wait/watcher.ts";

/** Something that PEs of other nodes use without a call of this one. */
export interface Served {
  /** Frees this PE's end. */
  close(): void;
  /** Waits until nobody uses it any more. @throws the error that ended the world */
  over(): Task<void>;
}

/** A channel as the end of its PE's main sees it. */
export interface OpenChannel {
  /** Frees this PE's end; its memory stays. */
  end(): void;
  /** Whether nothing is left to be done for it, once it is freed. */
  isOver(): boolean;
  /** Whether the other PE has returned from its main, or left. */
  isAlone(): boolean;
  /** The PE leaves its world without waiting for anybody: nothing is done for others any more. After {@link end}. */
  abandon(): void;
}

const AT_END = watcherOf("the end of its main, for channels that it has not freed");

/** All of one PE, whatever groups it is made in. */
export class Kept {
  /** In the order in which they were made. */
  readonly served: Set<Served> = new Set();
  /** One for each of them that is being made without blocking, in the order of the calls. */
  readonly makings: Set<object> = new Set();
  /** Those that may still be used. */
  readonly channels: Set<OpenChannel> = new Set();

  /** Whether PEs of other nodes may still need this one. */
  get isServing(): boolean {
    return this.served.size > 0 || this.channels.size > 0;
  }

  /**
   * Frees all. Resolves when nobody uses what is served any more, and when nothing is under way in channels to other
   * nodes, or the other PE has returned, however long that takes. @throws the error that ended the world
   */
  close(waits: AsyncWaits): Promise<void> {
    return awaitOn({ waits, waiter: { timeout: Number.POSITIVE_INFINITY }, watcher: AT_END }, this.#closing());
  }

  *#closing(): Task<void> {
    // others may wait for any of them first
    for (const one of this.served) one.close();
    for (const one of this.served) yield* one.over();
    const channels = [...this.channels];
    for (const channel of channels) channel.end();
    for (const channel of channels) {
      const isOver = () => channel.isOver() || channel.isAlone();
      const whom = "PEs that have not freed their ends of its channels";
      yield { peer: -1, pollMs: 1, whom, ready: isOver, spin: isOver };
    }
  }

  /** The PE leaves without waiting for anybody. */
  leave(): void {
    for (const channel of this.channels) {
      channel.end();
      channel.abandon();
    }
  }
}
