/**
 * Counts of text that are combined before they are sent, so that a word that comes again costs one lookup: no bytes, no
 * owner. The hash is one of code units, cheaper than that of a Map for strings that are new, whose hash V8 has not
 * computed yet.
 *
 *     slots     hash of "tin" → 0, hash of "lead" → 1
 *     texts     "tin"  "lead"                            by entry
 *     counts      17      2
 *     passed       9      0                              the count when the hand was there last
 *                         ↑ hand
 *
 * When it is full, a new key takes the place of one that has not come twice since the hand was there last; this one is
 * sent.
 *
 * Source: CLOCK (Corbató, "A paging experiment with the Multics system", 1968); the hash is FNV-1a (Fowler, Noll, Vo).
 */
import { Slots } from "../tables/slots.ts";
import { Payoff } from "./payoff.ts";
import { KEPT, NOT_COMBINED } from "./places.ts";

/** Code units of a text that is combined, at most. */
const MOST_UNITS = 48;
/** Entries for which there is room at first. */
const FIRST = 64;
/** Longest step of the hand. */
const LONGEST_STEP = 8;
/** V8 makes a slice of this many code units a view, which keeps the whole string that it is of. */
const VIEW_UNITS = 13;

/** The outcome for a key: another one was put out for it. */
export const EXCHANGED = 0;

export class TextCombining {
  /** The key that was put out last, and its count. */
  text = "";
  count = 0;
  readonly #most: number;
  readonly #slots = new Slots();
  readonly #texts: string[] = [];
  readonly #payoff = new Payoff();
  #counts = new Float64Array(FIRST);
  #passed = new Float64Array(FIRST);
  #hand = 0;

  /** @param most keys */
  constructor(most: number) {
    this.#most = most;
  }

  /** Adds to the count of a key. @returns KEPT, NOT_COMBINED or EXCHANGED */
  add(text: string, count: number): number {
    if (text.length > MOST_UNITS || this.#payoff.passes()) return NOT_COMBINED;
    const hash = hashOf(text);
    const slots = this.#slots;
    for (let slot = slots.first(hash); slot >= 0; slot = slots.next(hash, slot)) {
      const entry = slots.entryAt(slot);
      if (this.#texts[entry] !== text) continue;
      (this.#counts[entry] as number) += count;
      return KEPT;
    }
    return this.#addNew(text, hash, count);
  }

  /** Puts out one key after another. @returns false when there is none left */
  takeOut(): boolean {
    const text = this.#texts.pop();
    if (text === undefined) {
      this.#slots.clear(true);
      this.#hand = 0;
      return false;
    }
    this.text = text;
    this.count = this.#counts[this.#texts.length] as number;
    return true;
  }

  #addNew(text: string, hash: number, count: number): number {
    const entry = this.#texts.length;
    if (entry === this.#most) return this.#exchange(text, hash, count);
    if (entry === this.#counts.length) this.#grow();
    this.#put(entry, text, hash, count);
    return KEPT;
  }

  #exchange(text: string, hash: number, count: number): number {
    this.#payoff.sent();
    const entry = this.#step();
    this.text = this.#texts[entry] as string;
    this.count = this.#counts[entry] as number;
    this.#slots.remove(hashOf(this.text), entry);
    this.#put(entry, text, hash, count);
    return EXCHANGED;
  }

  #put(entry: number, text: string, hash: number, count: number): void {
    this.#slots.add(hash, entry);
    this.#texts[entry] = text.length < VIEW_UNITS ? text : copyOf(text);
    this.#counts[entry] = count;
    this.#passed[entry] = 0;
  }

  /** Moves the hand. @returns the entry of the key that is put out */
  #step(): number {
    const counts = this.#counts;
    const passed = this.#passed;
    for (let left = LONGEST_STEP; ; left--) {
      const entry = this.#hand;
      this.#hand = entry + 1 === this.#most ? 0 : entry + 1;
      const count = counts[entry] as number;
      if (left === 0 || count < (passed[entry] as number) + 2) return entry;
      passed[entry] = count;
    }
  }

  #grow(): void {
    const length = 2 * this.#counts.length;
    const [counts, passed] = [new Float64Array(length), new Float64Array(length)];
    counts.set(this.#counts);
    passed.set(this.#passed);
    this.#counts = counts;
    this.#passed = passed;
  }
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}

/** A string of its own: joined strings are copied when they are sliced. */
const copyOf = (text: string): string => ` ${text}`.slice(1);
