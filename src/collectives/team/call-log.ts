/**
 * The call log: which collective each PE called, by the number of the call. A PE that waits too long, or that receives
 * a message of another call, reads the other PEs' logs and reports who called what.
 *
 *     record   ┌──────────────┬──────────┬───────────┬──────────┬──────────┬─────────┬────────┐
 *              │ SEQUENCE i32 │ WORD i32 │ COUNT u32 │ ROOT i32 │ SEAL i32 │ TAG i32 │ unused │  32 bytes
 *              └──────────────┴──────────┴───────────┴──────────┴──────────┴─────────┴────────┘
 *     call log   RECORDS of them for PE 0, then for PE 1, …; a ring each
 *
 * TAG is the tag of the call's messages, a hash of all calls so far. Two PEs with equal tags have made the same calls,
 * so one comparison shows whether there is a mismatch.
 *
 * Every PE writes its own ring with plain stores; the message or the signal that follows publishes them. A reader that
 * does not wait for that message may see an old record, which its number shows, or a partly written one, which its SEAL
 * shows, as SEAL is a hash of the other words. Such a record counts as missing.
 */
import { LINE } from "../../ground/memory/heap-layout.ts";
import type { CallRecord } from "./call-words.ts";

/** Number of calls kept: more than one PE can be ahead of another. */
export const RECORDS = 128;
const RECORD_WORDS = 8;
const SEQUENCE = 0;
const WORD = 1;
const COUNT = 2;
const ROOT = 3;
const SEAL = 4;
const TAG = 5;

/** Hashes a call to 32 bits. The products are exact, so no bits are lost before they are mixed. */
export const mixed = (word: number, count: number, root: number): number =>
  word ^ Math.imul(count, 0x9e3779) ^ Math.imul(root + 1, 0x85ebca);

/** The seal of a record. The number is multiplied, or consecutive numbers could cancel differences of the call. */
const sealed = (call: number, sequence: number): number => call ^ Math.imul(sequence, 0x27d4eb);

const bytesPerPE: number = Math.ceil((RECORDS * RECORD_WORDS * 4) / LINE) * LINE;

/** Bytes of the call log of a team. */
export const callLogBytes = (size: number): number => size * bytesPerPE;

/** The call log, as seen by one PE. */
export class CallLog {
  readonly #i32: Int32Array;
  readonly #base: number;
  readonly #own: number;

  constructor(i32: Int32Array, offset: number, rank: number) {
    this.#i32 = i32;
    this.#base = offset / 4;
    this.#own = (offset + rank * bytesPerPE) / 4;
  }

  /** Records this PE's call. */
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
   * Whether all `size` PEs have made the same calls as PE `rank`, which has made `sequence` calls, as far as both have
   * got. False may be a false alarm; {@link agree} decides.
   */
  inStep(rank: number, sequence: number, size: number): boolean {
    const i32 = this.#i32;
    const own = this.#base + (rank * bytesPerPE) / 4;
    for (let other = 0; other < size; other++) {
      const ring = this.#base + (other * bytesPerPE) / 4;
      for (let back = 0; back < RECORDS; back++) {
        const at = ((sequence - back) & (RECORDS - 1)) * RECORD_WORDS;
        if (Atomics.load(i32, ring + at + SEQUENCE) !== ((sequence - back) | 0)) continue;
        if (Atomics.load(i32, ring + at + TAG) !== Atomics.load(i32, own + at + TAG)) return false;
        break;
      }
    }
    return true;
  }

  /** Whether all PEs with a record of their `sequence`-th call made the same call as PE `rank`. */
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

  /** The tag of a PE's `sequence`-th call; undefined before the call, and long after it. */
  tagOf(rank: number, sequence: number): number | undefined {
    const at = this.#base + (rank * bytesPerPE) / 4 + (sequence & (RECORDS - 1)) * RECORD_WORDS;
    return Atomics.load(this.#i32, at + SEQUENCE) === sequence ? Atomics.load(this.#i32, at + TAG) : undefined;
  }

  /** The record of a PE's last call; undefined if it has made none. */
  last(rank: number): CallRecord | undefined {
    const ring = this.#base + (rank * bytesPerPE) / 4;
    let last = 0;
    for (let record = 0; record < RECORDS; record++) {
      const sequence = Atomics.load(this.#i32, ring + record * RECORD_WORDS + SEQUENCE);
      if (((sequence - last) | 0) > 0) last = sequence;
    }
    return last === 0 ? undefined : this.look(rank, last);
  }

  /** The record of a PE's `sequence`-th call; undefined before the call, and long after it. */
  look(rank: number, sequence: number): CallRecord | undefined {
    const i32 = this.#i32;
    const at = this.#base + (rank * bytesPerPE) / 4 + (sequence & (RECORDS - 1)) * RECORD_WORDS;
    if (Atomics.load(i32, at + SEQUENCE) !== sequence) return undefined;
    const word = Atomics.load(i32, at + WORD);
    const count = Atomics.load(i32, at + COUNT) >>> 0;
    const root = Atomics.load(i32, at + ROOT);
    // the owner's stores may appear in any order: it may be writing its next record over this one
    if (Atomics.load(i32, at + SEAL) !== sealed(mixed(word, count, root), sequence)) return undefined;
    return { word, count, root };
  }
}
