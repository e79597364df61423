/**
 * Copies that two PEs divide: one that offers to have its bytes copied, and one that says where they go. Each takes the
 * next chunk while there is one, so whoever is there copies: neither waits for the other to begin.
 *
 *     ┌────────┬──────────┬────────────┬────────────┬────────┐
 *     │ TO u32 │ OPEN i32 │ CHUNKS i32 │ COPIED i32 │ unused │  line of PE 0: copies of its bytes
 *     ├────────┼──────────┼────────────┼────────────┼────────┤
 *     │ …      │          │            │            │        │  line of PE 1 …
 *     └────────┴──────────┴────────────┴────────────┴────────┘
 *
 * TO is the byte offset in the heap that the bytes go to; OPEN is 1 when it is known, or when there is nothing for the
 * owner to do. CHUNKS counts down what nobody has taken, and may become negative. COPIED counts what the owner of the
 * line has copied.
 *
 * Source: dynamic scheduling of loops in chunks (OpenMP 5.2, section 11.5.3).
 */
import { LINE } from "../../ground/memory/heap-layout.ts";
import type { Kernels } from "../../ground/memory/kernels/kernels.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";

// words in a line
const TO = 0;
const OPEN = 1;
const CHUNKS = 2;
const COPIED = 3;

export const CHUNK_BYTES: number = 32 * 1024;

/** The chunks of so many bytes. */
export const chunksOf = (bytes: number): number => Math.ceil(bytes / CHUNK_BYTES);

/** The divided copies of a team, as seen by one PE. PEs are ranks in the team. */
export class DividedCopy {
  readonly #i32: Int32Array;
  readonly #base: number;
  readonly #own: number;
  readonly #members: readonly number[];
  readonly #wakers: Wakers;

  /** @param members the PEs' ranks on the node, by rank in the team */
  constructor(i32: Int32Array, offset: number, rank: number, members: readonly number[], wakers: Wakers) {
    this.#i32 = i32;
    this.#base = offset / 4;
    this.#members = members;
    this.#own = this.#line(rank);
    this.#wakers = wakers;
  }

  #line(rank: number): number {
    return this.#base + (rank * LINE) / 4;
  }

  #publish(word: number, value: number, to: number): void {
    this.#wakers.publish(word, value);
    this.#wakers.notify(this.#members[to]);
  }

  /** This PE takes a share of the copy of what it shows next. */
  offer(): void {
    // before this PE shows its bytes, so that whoever has seen them finds it
    this.#i32[this.#own + OPEN] = 0;
  }

  /** The condition that PE `by` has opened the copy of this PE's bytes. */
  opened(by: number): Condition {
    return this.#reached(this.#own + OPEN, 1, by);
  }

  /** Byte offset that this PE's bytes go to, once that is known. */
  get to(): number {
    return this.#i32[this.#own + TO] >>> 0;
  }

  #reached(word: number, least: number, by: number): Condition {
    const i32 = this.#i32;
    // pairs with the store in #publish(): what was written before is visible
    const ready = (): boolean => Atomics.load(i32, word) >= least;
    return { peer: this.#members[by], ready, spin: ready };
  }

  /** PE `rank` may copy, to byte offset `to`; 0 chunks: nothing. Only after it has offered and shown its bytes. */
  open(rank: number, to: number, chunks: number): void {
    const line = this.#line(rank);
    this.#i32[line + TO] = to;
    this.#i32[line + CHUNKS] = chunks;
    this.#i32[line + COPIED] = 0;
    this.#publish(line + OPEN, 1, rank);
  }

  /** Copies chunks of PE `rank` while there are any. @returns how many */
  copy(rank: number, bytes: number, from: number, to: number, copy: Kernels["copy"]): number {
    const word = this.#line(rank) + CHUNKS;
    for (let copied = 0; ; copied++) {
      // pairs with the same subtraction at the other PE: each chunk is taken once
      const chunk = Atomics.load(this.#i32, word) <= 0 ? -1 : Atomics.sub(this.#i32, word, 1) - 1;
      if (chunk < 0) return copied;
      const start = chunk * CHUNK_BYTES;
      copy(to + start, from + start, Math.min(CHUNK_BYTES, bytes - start));
    }
  }

  /** This PE has copied so many chunks of its own, which PE `to` may wait for. */
  tell(chunks: number, to: number): void {
    this.#publish(this.#own + COPIED, chunks, to);
  }

  /** The condition that PE `rank` has told so. */
  copied(rank: number, chunks: number): Condition {
    return this.#reached(this.#line(rank) + COPIED, chunks, rank);
  }
}
