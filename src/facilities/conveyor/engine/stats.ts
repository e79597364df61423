/** The counts of a conveyor. Source: convey_statistic of bale, S1 to S3. */

import type { Adapted } from "./adapting.ts";
import { CAPACITY, CAUSES, type CauseName, CUTOFF, DELAY, END, EXCHANGE, FLUSH, FULL, STEADY } from "./causes.ts";
import type { Outbox } from "./outbox.ts";

/** Counts at one PE. */
export interface ConveyorCounts {
  /** Sessions begun. */
  readonly begins: number;
  /** Items accepted by push. */
  readonly pushes: number;
  /** Items returned by pull, including those returned again after an unpull. */
  readonly pulls: number;
  /** Items put back by unpull. */
  readonly unpulls: number;
  /** Calls of advance, without those that threw or were made after the session was complete. */
  readonly advances: number;
  /** Buffers sent by this PE over all hops. */
  readonly buffers: number;
  /** Bytes sent in them, including tags, after compression. */
  readonly bytes: number;
  /** Bytes saved by compression. */
  readonly saved: number;
  /** Votes of all PEs that this PE took part in: those of begin and of the engine. */
  readonly votes: number;
  /**
   * Mean fraction of the room of these buffers that was filled, 0 to 1; 0 without any. With a threshold the room is up
   * to it.
   */
  readonly fill: number;
  /**
   * These buffers by what they were sent for: `full`, without room for another item, or the threshold reached;
   * `cutoff`, with a long item; `delay`, by maxDelay; `capacity`, by maxBufferedBytes; `flush`, by the program;
   * `steady`; `exchange`, of type simple; `end`, as nothing more was to come.
   */
  readonly sentFor: Readonly<Record<CauseName, number>>;
}

/** The counts of the session (the last one, when dormant), and of all sessions. */
export interface ConveyorStats extends ConveyorCounts {
  /** Of all sessions, including this one. */
  readonly cumulative: ConveyorCounts;
  /** By hop: what the option `adapt` has come to; null without it. */
  readonly adapted: readonly Adapted[] | null;
}

/** The sent buffers of one outbox. */
type Sent = Pick<Outbox, "buffers" | "bytes" | "fills" | "causes">;

/**
 * Of one session the counts by the names of {@link ConveyorCounts}; behind them the sum of the filled fractions, and
 * the numbers by cause.
 */
const FILLS = 9;
const CAUSE = FILLS + 1;
const VALUES = CAUSE + CAUSES.length;

/**
 * Counts that change with every session. In an array: for an object with a number beyond 2^31, as that of all bytes is
 * soon, V8 takes 8 us each time that it is made anew.
 */
export class Counts {
  readonly #values = new Float64Array(VALUES);

  /** By the names of {@link ConveyorCounts}, of one session. @param of the outboxes of its conveyor */
  set(
    pushes: number,
    pulls: number,
    unpulls: number,
    advances: number,
    saved: number,
    votes: number,
    of: readonly Sent[],
  ): void {
    const values = this.#values;
    values[0] = 1;
    values[1] = pushes;
    values[2] = pulls;
    values[3] = unpulls;
    values[4] = advances;
    values[7] = saved;
    values[8] = votes;
    let buffers = 0;
    let bytes = 0;
    let fills = 0;
    for (let hop = 0; hop < of.length; hop++) {
      const { causes } = of[hop];
      buffers += of[hop].buffers;
      bytes += of[hop].bytes;
      fills += of[hop].fills;
      for (let cause = 0; cause < CAUSES.length; cause++) {
        values[CAUSE + cause] = (hop === 0 ? 0 : values[CAUSE + cause]) + causes[cause];
      }
    }
    values[5] = buffers;
    values[6] = bytes;
    values[FILLS] = fills;
  }

  /** Adds them to others, and becomes 0. */
  moveTo(sums: Counts): void {
    for (let at = 0; at < VALUES; at++) {
      sums.#values[at] += this.#values[at];
      this.#values[at] = 0;
    }
  }

  read(): ConveyorCounts {
    return countsIn(this.#values);
  }

  /** These counts, and their sums with those of the sessions before. */
  readWith(before: Counts, adapted: readonly Adapted[] | null): ConveyorStats {
    const sums = new Float64Array(VALUES);
    for (let at = 0; at < VALUES; at++) sums[at] = this.#values[at] + before.#values[at];
    return { ...countsIn(this.#values), cumulative: countsIn(sums), adapted };
  }
}

/** Literals: to look the names up would take several times as long. */
function countsIn(values: Float64Array): ConveyorCounts {
  const buffers = values[5];
  return {
    begins: values[0],
    pushes: values[1],
    pulls: values[2],
    unpulls: values[3],
    advances: values[4],
    buffers,
    bytes: values[6],
    saved: values[7],
    votes: values[8],
    fill: buffers === 0 ? 0 : values[FILLS] / buffers,
    sentFor: {
      full: values[CAUSE + FULL],
      cutoff: values[CAUSE + CUTOFF],
      delay: values[CAUSE + DELAY],
      capacity: values[CAUSE + CAPACITY],
      flush: values[CAUSE + FLUSH],
      steady: values[CAUSE + STEADY],
      exchange: values[CAUSE + EXCHANGE],
      end: values[CAUSE + END],
    },
  };
}
