/** Writes a PE's waits into the status area (layout.ts). */
import { NO_REPORT, type WaitReports } from "../../ground/wait/told.ts";
import type { Watcher } from "../../ground/wait/watcher.ts";
import { runsOf } from "../../ground/wait/who.ts";
import * as at from "./layout.ts";

const encoder = new TextEncoder();
const ELLIPSIS = encoder.encode("…");

/** The waits of one PE. Reports are their numbers in the area. */
export class WaitWriter implements WaitReports {
  readonly #i32: Int32Array;
  readonly #u8: Uint8Array;
  readonly #offset: number;
  readonly #rank: number;
  readonly #isTaken: boolean[] = new Array(at.WAITS).fill(false);
  /** The text that each has, though its wait may be over: the same calls come again and again. */
  readonly #texts: string[] = new Array(at.WAITS).fill("");
  /** Whether each is one of many waits of its call. */
  readonly #isPart: boolean[] = new Array(at.WAITS).fill(false);

  constructor(i32: Int32Array, u8: Uint8Array, offset: number, rank: number) {
    this.#i32 = i32;
    this.#u8 = u8;
    this.#offset = offset;
    this.#rank = rank;
  }

  begin(watcher: Watcher, whom: readonly number[], elapsed: number, blocks: boolean): number {
    const { call, where, needsOne = false, isCollective = false } = watcher;
    const text = call + where;
    const wait = call === "" ? NO_REPORT : this.#free(text);
    if (wait < 0) return NO_REPORT;
    this.#isTaken[wait] = true;
    this.#isPart[wait] = watcher.since !== undefined;
    const i32 = this.#i32;
    const word = at.waitAt(this.#offset, this.#rank, wait);
    // nobody reads the words while they are written anew: pairs with the second load in links/diagnose/read.ts
    Atomics.store(i32, word + at.KIND, 0);
    if (this.#texts[wait] !== text) this.#write(word, text);
    this.#texts[wait] = text;
    i32[word + at.SINCE] = at.clock() - elapsed;
    this.#writeWhom(word, whom);
    const collective = isCollective ? (where === "" ? at.IN_WORLD : at.IN_GROUP) : 0;
    const kind = (blocks ? at.BLOCKS : 0) | (needsOne ? at.NEEDS_ONE : 0) | collective | at.WAITING_NOW;
    // publishes the other words: pairs with the load in links/diagnose/read.ts
    Atomics.store(i32, word + at.KIND, kind);
    return wait;
  }

  update(report: number, whom: readonly number[]): void {
    this.#writeWhom(at.waitAt(this.#offset, this.#rank, report), whom);
  }

  over(report: number): void {
    const i32 = this.#i32;
    const word = at.waitAt(this.#offset, this.#rank, report);
    if (this.#isPart[report]) i32[word + at.ENDED] = at.clock();
    // pairs with the loads in links/diagnose/read.ts
    Atomics.store(i32, word + at.KIND, this.#isPart[report] ? (i32[word + at.KIND] as number) | at.LINGERS : 0);
    this.#isTaken[report] = false;
  }

  /** A place for a wait: where the same call has been before, or where none has, or any that is free. */
  #free(text: string): number {
    for (const wanted of [text, ""])
      for (let wait = 0; wait < at.WAITS; wait++) if (!this.#isTaken[wait] && this.#texts[wait] === wanted) return wait;
    return this.#isTaken.indexOf(false);
  }

  #write(word: number, text: string): void {
    let bytes = encoder.encode(text);
    if (bytes.length > at.TEXT_BYTES) {
      let end = at.TEXT_BYTES - ELLIPSIS.length;
      // no part of a character
      while (((bytes[end] as number) & 0xc0) === 0x80) end--;
      bytes = Buffer.concat([bytes.subarray(0, end), ELLIPSIS]);
    }
    this.#u8.set(bytes, 4 * word + at.TEXT);
    this.#i32[word + at.LENGTH] = bytes.length;
  }

  #writeWhom(word: number, whom: readonly number[]): void {
    const i32 = this.#i32;
    let runs = 0;
    for (const [first, last] of runsOf(whom)) {
      // of very many, which are far from each other, the first ones
      if (runs === at.MOST_RUNS) break;
      i32[word + at.WHOM + 2 * runs] = first;
      i32[word + at.WHOM + 2 * runs + 1] = last;
      runs++;
    }
    i32[word + at.RUNS] = runs;
  }
}
