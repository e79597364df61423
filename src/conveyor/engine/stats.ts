/** The counts of a conveyor. Source: convey_statistic of bale, S1 to S3. */

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

/**
 * Counts that change with every session. In an array: for an object with a number beyond 2^31, as that of all bytes is soon, V8
 * takes 8 us each time that it is made anew.
 */
export class Counts {
  readonly #values = new Float64Array(NAMES.length);

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

  add(other: Counts): void {
    for (let at = 0; at < NAMES.length; at++) this.#values[at] += other.#values[at];
  }

  clear(): void {
    for (let at = 0; at < NAMES.length; at++) this.#values[at] = 0;
  }

  read(): ConveyorCounts {
    const entries = NAMES.map((name, at) => [name, this.#values[at]] as const);
    return Object.fromEntries(entries) as Record<(typeof NAMES)[number], number>;
  }
}

/** The sum, of counts that are read seldom. */
export const addCounts = (a: ConveyorCounts, b: ConveyorCounts): ConveyorCounts =>
  Object.fromEntries(NAMES.map((name) => [name, a[name] + b[name]])) as Record<
    (typeof NAMES)[number],
    number
  >;
