/**
 * Random numbers that are the same on every machine for the same seed.
 *
 * Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014), in the 32-bit form known as
 * mulberry32; sufficient for a search, not for cryptography.
 */

/** A generator of numbers from 0 (included) to 1 (excluded). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
