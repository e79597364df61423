/**
 * The timers and clocks of Node.js as they were when this module was loaded. A test of a program may fake the global
 * ones (node:test, Jest, Vitest, @sinonjs/fake-timers), and nothing that awaits this library would then go on.
 * biome.json forbids the globals everywhere else.
 */
import promises from "node:timers/promises";

const { performance } = globalThis;

export const setTimeout: typeof globalThis.setTimeout = globalThis.setTimeout;
export const clearTimeout: typeof globalThis.clearTimeout = globalThis.clearTimeout;
export const setInterval: typeof globalThis.setInterval = globalThis.setInterval;
export const clearInterval: typeof globalThis.clearInterval = globalThis.clearInterval;
export const setImmediate: typeof globalThis.setImmediate = globalThis.setImmediate;

/** Resolves after some milliseconds. */
export const sleep: typeof promises.setTimeout = promises.setTimeout;

/** The time of a clock that never steps, ms since this thread or process began: for durations and deadlines. */
export const monotonic: () => number = performance.now.bind(performance);

const { hrtime } = process;

/** The offset to add to {@link monotonic}, ms: the reading between two others that are closest to each other. */
function machineOrigin(): number {
  let [origin, closest] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < 5; i++) {
    const before = monotonic();
    const time = Number(hrtime.bigint()) / 1e6;
    const after = monotonic();
    if (after - before < closest) [origin, closest] = [time - (before + after) / 2, after - before];
  }
  return origin;
}

/** When {@link monotonic} was 0, by {@link machineClock}. */
export const clockOrigin: number = machineOrigin();

/** As {@link monotonic}, with one origin (to some µs) for all threads and processes of this machine. */
export const machineClock = (): number => clockOrigin + monotonic();

/** The time of the day, ms since 1970. It steps when the clock is set: only for dates and times of files. */
export const wallClock: () => number = Date.now;
