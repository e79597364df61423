/**
 * Hashes of keys: 32 bits, the same at every PE and on every platform.
 *
 * The owner of a key is chosen by the high bits, as floor(hash * PEs / 2^32): the quotient needs no division, and
 * tables, which index by the low bits, are not left with a part of them.
 *
 * Source: MurmurHash3_x86_32 and its finalizer fmix32 (Austin Appleby, 2008, public domain): of a whole number fmix32
 * alone, which is a bijection, so that no two of them have the same hash; of others the words of their bytes, the last
 * one padded with zeros, and the number of bytes. Lemire, "Fast random integer generation in an interval" (2019) for
 * the quotient.
 */

/** Mixes the bits of a whole number. @returns unsigned */
export function mixInteger(key: number): number {
  let h = key ^ (key >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A round: mixes a word into a hash. */
function mixed(h: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const x = h ^ k;
  return (Math.imul((x << 13) | (x >>> 19), 5) + 0xe6546b64) | 0;
}

/** Mixes two words, the halves of a number of 64 bits. @returns unsigned */
export const mixPair = (low: number, high: number): number => mixInteger(mixed(mixed(0, low), high) ^ 8);

/**
 * Mixes a string of bytes.
 * @param at a multiple of 4 @param length in bytes; behind them up to the next multiple of 4 are zeros
 * @returns unsigned
 */
export function mixBytes(u32: Uint32Array, at: number, length: number): number {
  let h = 0;
  const end = (at + length + 3) >>> 2;
  for (let i = at >>> 2; i < end; i++) h = mixed(h, u32[i] as number);
  return mixInteger(h ^ length);
}

/** The rank that owns a hash. */
export const ownerOf = (hash: number, size: number): number => Math.floor((hash * size) / 0x1_0000_0000);
