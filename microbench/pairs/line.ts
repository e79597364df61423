/** The distance of two CPUs: the round trip of a cache line, by Atomics alone. */
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";

/** Words that two threads do it on: a line each, two lines apart, as some prefetchers fetch lines in pairs. */
export const LINE_WORDS = 64;
const OTHER = 32;

/** The least of so many counts, as interrupts only add. */
const REPEATS = 4;
const ROUNDS = 100;
/** Looks between two looks at the clock, and the limit of a wait, ms. */
const LOOKS = 2 ** 20;
const LIMIT_MS = 10_000;

/** The round trip in ns. Both threads call it, each on its CPU; one leads. @throws Error after 10 s alone */
export function lineRoundTrip(words: Int32Array, leads: boolean): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < REPEATS; i++) {
    const start = monotonic();
    roundTrips(words, leads, ROUNDS);
    least = Math.min(least, ((monotonic() - start) * 1e6) / ROUNDS);
  }
  return least;
}

/** Both count up their word in turn. */
function roundTrips(words: Int32Array, leads: boolean, count: number): void {
  const [mine, other] = leads ? [0, OTHER] : [OTHER, 0];
  let served = Atomics.load(words, mine);
  for (let i = 0; i < count; i++) {
    served = (served + 1) | 0;
    if (leads) Atomics.store(words, mine, served);
    for (let looks = 1; Atomics.load(words, other) !== served; looks++) if (looks % LOOKS === 0) checkTime(looks);
    if (!leads) Atomics.store(words, mine, served);
  }
}

let waitsSince = 0;
function checkTime(looks: number): void {
  if (looks === LOOKS) waitsSince = monotonic();
  if (monotonic() - waitsSince > LIMIT_MS) throw new Error("the other thread of a probe did not come");
}
