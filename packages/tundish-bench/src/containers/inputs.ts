/** The input of the benchmarks of containers: the same for any number of PEs. */

import { randomArray } from "../../../../microbench/turns/random.ts";
import { randomNumbers } from "../../../../src/ground/base/random.ts";

/** Different words in a text. */
const VOCABULARY = 50_000;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/**
 * Whole numbers below 2^32 that all differ, in no order: a bijection of 0, 1, 2 … Source: fmix32 of MurmurHash3, A.
 * Appleby.
 */
export function distinctKeys(first: number, end: number): Uint32Array {
  return Uint32Array.from({ length: end - first }, (_, i) => {
    let key = first + i;
    key = Math.imul(key ^ (key >>> 16), 0x85ebca6b);
    key = Math.imul(key ^ (key >>> 13), 0xc2b2ae35);
    return key ^ (key >>> 16);
  });
}

/** Keys `first` to `end` - 1 of some of which each comes about four times. */
export function repeatedKeys(size: number, first: number, end: number): Uint32Array {
  const keys = distinctKeys(0, Math.ceil(size / 4));
  return randomArray(size, keys.length, 1)
    .subarray(first, end)
    .map((k) => keys[k] as number);
}

/** Words `first` to `end` - 1 of a text: word k of the vocabulary comes with a probability of about 1 / (k + 1). */
export function zipfWords(size: number, first: number, end: number): string[] {
  const vocabulary = words();
  const random = randomNumbers(6);
  const chosen: string[] = [];
  for (let i = 0; i < Math.min(size, end); i++) {
    const k = Math.floor((VOCABULARY + 1) ** random()) - 1;
    if (i >= first) chosen.push(vocabulary[k] as string);
  }
  return chosen;
}

let made: readonly string[] | undefined;

/** Made once. */
function words(): readonly string[] {
  made ??= makeWords();
  return made;
}

function makeWords(): string[] {
  const random = randomNumbers(5);
  const letter = () => LETTERS[Math.floor(LETTERS.length * random())] as string;
  const all = new Set<string>();
  while (all.size < VOCABULARY) all.add(Array.from({ length: 2 + Math.floor(8 * random()) }, letter).join(""));
  return [...all];
}

const BASES = Uint8Array.from("ACGT", (letter) => letter.charCodeAt(0));
/** Bases of a k-mer: 32 bits. */
const K = 16;

/** The letters of k-mers `first` to `end` - 1 of a random genome, as ASCII. */
export function genome(first: number, end: number): Uint8Array {
  return Uint8Array.from(distinctKeys(first, end + K - 1), (key) => BASES[(key >>> 7) & 3] as number);
}

/** Calls a function for each k-mer of a genome. */
export function eachKmer(letters: Uint8Array, visit: (kmer: number) => void): void {
  const codes = new Uint8Array(256);
  BASES.forEach((letter, code) => {
    codes[letter] = code;
  });
  let kmer = 0;
  for (let i = 0; i < letters.length; i++) {
    kmer = ((kmer << 2) | (codes[letters[i] as number] as number)) >>> 0;
    if (i >= K - 1) visit(kmer);
  }
}

/** A value of a key and its count or value: sums of these do not depend on the order of the entries. */
export const mixed = (key: number, value: number): number => Math.imul(key | 1, value + 1) >>> 0;

/** Elements of the array that is added to. */
export const elementsOf = (size: number): number => Math.ceil(size / 4);

/** Indices `first` to `end` - 1 of elements of the array. */
export const indicesOf = (size: number, first: number, end: number): Uint32Array =>
  randomArray(size, elementsOf(size), 2).subarray(first, end);

/** Edges `first` to `end` - 1 of a random graph in which a vertex has about two: their ends, one after the other. */
export function edgesOf(size: number, first: number, end: number): Uint32Array {
  return randomArray(2 * size, size, 3).subarray(2 * first, 2 * end);
}
