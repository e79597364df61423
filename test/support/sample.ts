/**
 * What a plain run plays of cases that are the product of several choices: a sample in which everything that matters comes up,
 * another one in each run; the long run plays all of them. The number that it depends on is drawn by test/run.mjs, which tells it
 * when a test has failed. TUNDISH_TEST_SEED=… plays the same sample again.
 */
import { LONG } from "./long.ts";

const given = process.env.TUNDISH_TEST_SEED || `${Math.floor(Math.random() * 2 ** 31)}`;
if (!/^\d{1,10}$/.test(given)) throw new Error(`TUNDISH_TEST_SEED: expected a whole number, got ${given}`);

/** Of this run. */
export const SEED: number = Number(given);

/** A whole number below `n` that depends on the seed and on `words`: which case, and of what. */
export function drawn(n: number, ...words: readonly (string | number)[]): number {
  let hash = SEED | 0;
  for (const char of words.join()) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  for (const [shift, factor] of [
    [16, 0x85ebca6b],
    [13, 0xc2b2ae35],
    [16, 1],
  ] as const) {
    hash = Math.imul(hash ^ (hash >>> shift), factor);
  }
  return (hash >>> 0) % n;
}

/** The cases in an order that depends on the seed and on `what`. */
export function shuffled<T>(cases: readonly T[], what: string): T[] {
  const all = [...cases];
  for (let i = all.length - 1; i > 0; i--) {
    const j = drawn(i + 1, what, i);
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}

/**
 * As few of the cases as have every feature that one of them has, in their order; all in the long run. A feature is a word, such
 * as a pair of two choices.
 */
export function covering<T>(
  cases: readonly T[],
  featuresOf: (one: T) => readonly string[],
  what: string,
): readonly T[] {
  if (LONG) return cases;
  const left = new Set(cases.flatMap(featuresOf));
  const rest = shuffled(cases, what);
  const taken = new Set<T>();
  while (left.size > 0) {
    const gain = (one: T) => featuresOf(one).filter((feature) => left.has(feature)).length;
    const best = rest.reduce((most, one) => (gain(one) > gain(most) ? one : most));
    for (const feature of featuresOf(best)) left.delete(feature);
    taken.add(best);
  }
  return cases.filter((one) => taken.has(one));
}
