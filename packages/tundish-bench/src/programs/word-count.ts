/**
 * Word count: how often each word is in a text. Few words are frequent and many are rare, as in a natural language.
 *
 * Several PEs: each has a part of the text and counts its words; then it sends each word with its count to the PE that
 * the word belongs to, by an elastic conveyor, which adds them up.
 */
import { elasticConveyor } from "../../../../src/conveyor.ts";
import { randomNumbers } from "../../../../src/ground/base/random.ts";
import type { PE } from "../../../../src/index.ts";
import { blockOf, type Program, type Run } from "./program.ts";

const VOCABULARY = 30_000;
const LETTERS = 26;
const SHORTEST = 2;
const LONGEST = 9;
/** `a` in ASCII. */
const FIRST_LETTER = 97;
const COUNT_BYTES = 4;

/** Counts are objects, so that a word is looked up once. */
export type Counts = Map<string, { count: number }>;

let vocabulary: readonly string[] | undefined;

/** Different words, made once. */
function words(): readonly string[] {
  vocabulary ??= makeWords();
  return vocabulary;
}

function makeWords(): string[] {
  const random = randomNumbers(5);
  const letter = () => String.fromCharCode(FIRST_LETTER + Math.floor(LETTERS * random()));
  const made = new Set<string>();
  while (made.size < VOCABULARY) {
    const length = SHORTEST + Math.floor((LONGEST + 1 - SHORTEST) * random());
    made.add(Array.from({ length }, letter).join(""));
  }
  return [...made];
}

/** Words `first` to `end` - 1 of a text; word k of the vocabulary comes with a probability of about 1 / (k + 1). */
export function textOf(first: number, end: number): string {
  const all = words();
  const random = randomNumbers(6);
  const text: string[] = [];
  for (let i = 0; i < end; i++) {
    const k = Math.floor((VOCABULARY + 1) ** random()) - 1;
    if (i >= first) text.push(all[k]);
  }
  // one flat string, as from a file
  return Buffer.from(text.join(" ")).toString("latin1");
}

export function countWords(text: string): Counts {
  const counts: Counts = new Map();
  for (let begin = 0; begin < text.length; ) {
    const space = text.indexOf(" ", begin);
    const end = space === -1 ? text.length : space;
    add(counts, text.slice(begin, end), 1);
    begin = end + 1;
  }
  return counts;
}

export function add(counts: Counts, word: string, times: number): void {
  const known = counts.get(word);
  if (known === undefined) counts.set(word, { count: times });
  else known.count += times;
}

/** The PE that a word belongs to, by FNV-1a. */
function ownerOf(word: string, pes: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % pes;
}

export const byVocabulary = (counts: Counts): Float64Array =>
  Float64Array.from(words(), (word) => counts.get(word)?.count ?? 0);

function alone(size: number): Run {
  const text = textOf(0, size);
  let counts: Counts = new Map();
  return {
    run: () => {
      counts = countWords(text);
    },
    result: () => ({ first: 0, values: byVocabulary(counts) }),
  };
}

/** Sends the words of other PEs to them, and takes those of this PE. Collective. */
function exchange(pe: PE, counts: Counts): void {
  const foreign = [...counts].filter(([word]) => ownerOf(word, pe.size) !== pe.rank);
  const message = Buffer.alloc(COUNT_BYTES + LONGEST);
  using c = elasticConveyor(pe);
  c.begin();
  for (let i = 0; c.advance(i === foreign.length); ) {
    for (; i < foreign.length; i++) {
      const [word, { count }] = foreign[i];
      message.writeUInt32LE(count, 0);
      const end = COUNT_BYTES + message.write(word, COUNT_BYTES, "latin1");
      if (!c.push(ownerOf(word, pe.size), message.subarray(0, end))) break;
      counts.delete(word);
    }
    while (c.pull()) {
      const { buffer, byteOffset, length } = c.bytes;
      const item = Buffer.from(buffer, byteOffset, length);
      add(counts, item.toString("latin1", COUNT_BYTES), item.readUInt32LE(0));
    }
  }
  c.reset();
}

function together(pe: PE, size: number): Run {
  const { first, end } = blockOf(size, pe);
  const text = textOf(first, end);
  let counts: Counts = new Map();
  return {
    run: () => {
      counts = countWords(text);
      exchange(pe, counts);
    },
    result: () => ({ first: 0, values: pe.allreduce(byVocabulary(counts), "sum") }),
  };
}

export const wordCount: Program = { alone, together };
