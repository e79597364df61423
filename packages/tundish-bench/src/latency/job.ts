/** Arguments and answers of each thread of the latency benchmark, and the clock that all of them share. */

/** Numbers in an item of 40 bytes; the first is when it was due. */
export const DOUBLES = 5;
/** ms that an item waits at most, of conveyors and of bundles. */
export const MAX_DELAY = 1;
/** Items that are under way from one sender at most, of what has no limit itself. */
export const BACKLOG: number = 2 ** 20;
/** A sender that is behind gives up after so many times the time that its items take. */
const PATIENCE = 2;
/** Before the first item, ms. */
export const HEAD_START = 5;
/** From this rate on the latency of one in {@link SAMPLED} items is taken. */
const FAST = 1e6;
const SAMPLED = 16;

/** A stream at a rate. */
export interface Pace {
  /** Items per second of each thread. */
  readonly rate: number;
  /** ms in which its items are due. */
  readonly ms: number;
}

/** The observations of one thread. */
export interface LatencyPart {
  readonly sent: number;
  readonly received: number;
  /** From the first item's time to when the last one was received, ms. */
  readonly took: number;
  /** Buffers or messages that it has sent. */
  readonly messages: number;
  /** Of LatencyHistogram. */
  readonly counts: Float64Array;
  readonly most: number;
}

/** Items of a thread. */
export const totalOf = ({ rate, ms }: Pace): number => Math.max(1, Math.round((rate * ms) / 1000));

/** When a sender gives up, ms after its first item was due. */
export const limitOf = ({ ms }: Pace): number => PATIENCE * ms;

/** Of an item's number: its latency is taken where this is 0. */
export const sampleMask = ({ rate }: Pace): number => (rate >= FAST ? SAMPLED - 1 : 0);

/**
 * The time of the process, ms, the same for all its threads: `performance.now()` has an origin of each thread, and is
 * compared with `process.hrtime`, which has not. The closest of some readings counts, so that the error is that of two
 * calls, below a µs.
 */
export function sharedClock(): () => number {
  let offset = 0;
  let closest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 200; i++) {
    const before = performance.now();
    const time = Number(process.hrtime.bigint()) / 1e6;
    const after = performance.now();
    if (after - before >= closest) continue;
    closest = after - before;
    offset = time - (before + after) / 2;
  }
  return () => performance.now() + offset;
}
