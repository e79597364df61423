/** The counts of a conveyor. Source: convey_statistic of bale, S1 to S3. */

import { CAUSES, type CauseName } from "./causes.ts";

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
  /** Mean fraction of the room of these buffers that was filled, 0 to 1; 0 without any. With a threshold the room is up to it. */
  readonly fill: number;
  /**
   * These buffers by what they were sent for: `full`, without room for another item, or the threshold reached; `cutoff`, with a long item;
   * `delay`, by maxDelay; `capacity`, by maxBufferedBytes; `flush`, by the program; `steady`; `exchange`, of type simple; `end`, as nothing more
   * was to come.
   */
  readonly sentFor: Readonly<Record<CauseName, number>>;
}

/** The counts of the session (the last one, when dormant), and of all sessions. */
export interface ConveyorStats extends ConveyorCounts {
  /** Of all sessions, including this one. */
  readonly cumulative: ConveyorCounts;
}

/** In the order in which {@link Counts} has them. */
const NAMES = [
  "begins",
  "pushes",
  "pulls",
  "unpulls",
  "advances",
  "buffers",
  "bytes",
  "saved",
  "votes",
] as const satisfies readonly (keyof ConveyorCounts)[];
/** Behind them: the sum of the filled fractions, and the numbers by cause. */
const FILLS = NAMES.length;
const CAUSE = FILLS + 1;
const VALUES = CAUSE + CAUSES.length;
const BUFFERS = NAMES.indexOf("buffers");

/**
 * Counts that change with every session. In an array: for an object with a number beyond 2^31, as that of all bytes is soon, V8
 * takes 8 us each time that it is made anew.
 */
export class Counts {
  readonly #values = new Float64Array(VALUES);

  /** By the names in their order. */
  set(
    begins: number,
    pushes: number,
    pulls: number,
    unpulls: number,
    advances: number,
    buffers: number,
    bytes: number,
    saved: number,
    votes: number,
  ): void {
    const values = this.#values;
    values[0] = begins;
    values[1] = pushes;
    values[2] = pulls;
    values[3] = unpulls;
    values[4] = advances;
    values[5] = buffers;
    values[6] = bytes;
    values[7] = saved;
    values[8] = votes;
  }

  /** @param fills the sum of the filled fractions */
  setSent(fills: number, of: readonly { readonly causes: Uint32Array }[]): void {
    const values = this.#values;
    values[FILLS] = fills;
    for (let cause = 0; cause < CAUSES.length; cause++) {
      values[CAUSE + cause] = 0;
      for (let hop = 0; hop < of.length; hop++) values[CAUSE + cause] += of[hop].causes[cause];
    }
  }

  add(other: Counts): void {
    for (let at = 0; at < VALUES; at++) this.#values[at] += other.#values[at];
  }

  clear(): void {
    this.#values.fill(0);
  }

  read(): ConveyorCounts {
    const values = this.#values;
    const entries = NAMES.map((name, at) => [name, values[at]] as const);
    const causes = CAUSES.map((name, at) => [name, values[CAUSE + at]] as const);
    return {
      ...(Object.fromEntries(entries) as Record<(typeof NAMES)[number], number>),
      fill: meanOf(values[FILLS], values[BUFFERS]),
      sentFor: Object.fromEntries(causes) as Record<CauseName, number>,
    };
  }
}

const meanOf = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);

/** The sum, of counts that are read seldom. */
export function addCounts(a: ConveyorCounts, b: ConveyorCounts): ConveyorCounts {
  const sums = NAMES.map((name) => [name, a[name] + b[name]] as const);
  const causes = CAUSES.map((name) => [name, a.sentFor[name] + b.sentFor[name]] as const);
  return {
    ...(Object.fromEntries(sums) as Record<(typeof NAMES)[number], number>),
    fill: meanOf(a.fill * a.buffers + b.fill * b.buffers, a.buffers + b.buffers),
    sentFor: Object.fromEntries(causes) as Record<CauseName, number>,
  };
}
