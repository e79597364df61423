/**
 * The call log: what each PE called, by the number of the call. A PE that waits too long, or that gets a
 * message of another call, looks the others up and says who called what.
 *
 *     record   ┌──────────────┬──────────┬───────────┬──────────┬──────────┬─────────┬────────┐
 *              │ SEQUENCE i32 │ WORD i32 │ COUNT u32 │ ROOT i32 │ SEAL i32 │ TAG i32 │ unused │  32 bytes
 *              └──────────────┴──────────┴───────────┴──────────┴──────────┴─────────┴────────┘
 *     call log   RECORDS of them for PE 0, then for PE 1, …; a ring each
 *
 * TAG is that of the call's messages, made of all calls so far: where two PEs have the same one, they
 * have made the same calls, so one look says whether anything is wrong.
 *
 * Every PE writes its own ring with plain stores; the message or the signal that follows publishes them.
 * Whoever reads them in a hurry may see an old record, told by its number, or one that is half old and
 * half new, told by its SEAL, which is made of the other words; it then counts as none.
 */
import { LINE } from "../../memory/heap-layout.ts";
import type { CallRecord } from "./call-words.ts";

/** Calls that are kept: as far as a PE can be ahead of another, and more. */
export const RECORDS = 128;
const RECORD_WORDS = 8;
const SEQUENCE = 0;
const WORD = 1;
const COUNT = 2;
const ROOT = 3;
const SEAL = 4;
const TAG = 5;

/** A call in 32 bits. The products are exact, so that nothing of theirs is lost before it is mixed in. */
export const mixed = (word: number, count: number, root: number): number =>
  word ^ (count * 0x9e3779) ^ ((root + 1) * 0x85ebca);

/** The seal of a record; the number is multiplied, or neighbours would make up for neighbouring words. */
const sealed = (call: number, sequence: number): number => call ^ (sequence * 0x27d4eb);

const bytesPerPE: number = Math.ceil((RECORDS * RECORD_WORDS * 4) / LINE) * LINE;

/** Bytes of the call log of a team. */
export const callLogBytes = (size: number): number => size * bytesPerPE;

/** The call log, seen from one PE. */
export class CallLog {
  readonly #i32: Int32Array;
  readonly #base: number;
  readonly #own: number;

  constructor(i32: Int32Array, offset: number, rank: number) {
    this.#i32 = i32;
    this.#base = offset / 4;
    this.#own = (offset + rank * bytesPerPE) / 4;
  }

  /** Notes this PE's call. */
  note(sequence: number, word: number, count: number, root: number, tag: number): void {
    const i32 = this.#i32;
    const at = this.#own + (sequence & (RECORDS - 1)) * RECORD_WORDS;
    i32[at + WORD] = word;
    i32[at + COUNT] = count;
    i32[at + ROOT] = root;
    i32[at + SEAL] = sealed(mixed(word, count, root), sequence);
    i32[at + TAG] = tag;
    i32[at + SEQUENCE] = sequence;
  }

  /** Whether a PE has not made its `sequence`-th call yet. */
  isBehind(rank: number, sequence: number): boolean {
    const at = this.#base + (rank * bytesPerPE) / 4 + (sequence & (RECORDS - 1)) * RECORD_WORDS;
    return ((Atomics.load(this.#i32, at + SEQUENCE) - sequence) | 0) < 0;
  }

  /**
   * Whether the calls of all `size` PEs are the same up to the last one that both they and PE `rank`, which
   * has made `sequence` of them, have made. False may be a false alarm; {@link agree} tells.
   */
  inStep(rank: number, sequence: number, size: number): boolean {
    const i32 = this.#i32;
    const own = this.#base + (rank * bytesPerPE) / 4;
    for (let other = 0; other < size; other++) {
      const notify = this.#base + (other * bytesPerPE) / 4;
      for (let back = 0; back < RECORDS; back++) {
        const at = ((sequence - back) & (RECORDS - 1)) * RECORD_WORDS;
        if (Atomics.load(i32, notify + at + SEQUENCE) !== ((sequence - back) | 0)) continue;
        if (Atomics.load(i32, notify + at + TAG) !== Atomics.load(i32, own + at + TAG)) return false;
        break;
      }
    }
    return true;
  }

  /** Whether all PEs whose `sequence`-th call is on record called what PE `rank` called. */
  agree(rank: number, sequence: number, size: number): boolean {
    const mine = this.look(rank, sequence);
    if (mine === undefined) return true;
    for (let other = 0; other < size; other++) {
      const call = this.look(other, sequence);
      if (call === undefined) continue;
      if (call.word !== mine.word || call.count !== mine.count || call.root !== mine.root) return false;
    }
    return true;
  }

  /** The tag of a PE's `sequence`-th call; undefined before it has made it, and long after. */
  tagOf(rank: number, sequence: number): number | undefined {
    const at = this.#base + (rank * bytesPerPE) / 4 + (sequence & (RECORDS - 1)) * RECORD_WORDS;
    return Atomics.load(this.#i32, at + SEQUENCE) === sequence
      ? Atomics.load(this.#i32, at + TAG)
      : undefined;
  }

  /** What a PE called as its `sequence`-th call; undefined before it has, and long after. */
  look(rank: number, sequence: number): CallRecord | undefined {
    const i32 = this.#i32;
    const at = this.#base + (rank * bytesPerPE) / 4 + (sequence & (RECORDS - 1)) * RECORD_WORDS;
    if (Atomics.load(i32, at + SEQUENCE) !== sequence) return undefined;
    const word = Atomics.load(i32, at + WORD);
    const count = Atomics.load(i32, at + COUNT) >>> 0;
    const root = Atomics.load(i32, at + ROOT);
    // no order of the owner's stores is counted on: it may be writing its next record over this one
    if (Atomics.load(i32, at + SEAL) !== sealed(mixed(word, count, root), sequence)) return undefined;
    return { word, count, root };
  }
}
