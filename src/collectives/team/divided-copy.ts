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
 * TO is the byte offset in the heap that the bytes go to; OPEN is 1 when it is known. CHUNKS counts down what nobody has
 * taken, and may become negative. COPIED counts what the owner of the line has copied.
 *
 * Source: dynamic scheduling of loops in chunks (OpenMP 5.2, section 11.5.3).
 */
import { LINE } from "../../ground/memory/heap-layout.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";

// words in a line
const TO = 0;
const OPEN = 1;
const CHUNKS = 2;
const COPIED = 3;

/** Bytes of the lines of a team. */
export const dividedCopyBytes = (size: number): number => size * LINE;

/** The condition that a word is as large, or that another condition is true. */
class Reaches implements Condition {
  readonly peer: number;
  readonly #i32: Int32Array;
  readonly #word: number;
  readonly #least: number;
  readonly #over: Condition | null;

  constructor(i32: Int32Array, word: number, least: number, peer: number, over: Condition | null) {
    this.#i32 = i32;
    this.#word = word;
    this.#least = least;
    this.peer = peer;
    this.#over = over;
  }

  ready(): boolean {
    return this.spin(1);
  }

  spin(looks: number): boolean {
    for (let i = 0; i < looks; i++) {
      // pairs with the publishing stores in open() and tell(): what was written before is visible
      if (Atomics.load(this.#i32, this.#word) >= this.#least || this.#over?.ready() === true) return true;
    }
    return false;
  }
}

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

  /** The condition that the copy of this PE's bytes can begin, or that `over` is true. */
  opened(over: Condition): Condition {
    return new Reaches(this.#i32, this.#own + OPEN, 1, over.peer, over);
  }

  /** Byte offset that this PE's bytes go to; -1 while it is not known. */
  get to(): number {
    return this.#i32[this.#own + OPEN] === 0 ? -1 : this.#i32[this.#own + TO] >>> 0;
  }

  /** PE `rank` may copy, to byte offset `to`. Only after it has offered and shown its bytes. */
  open(rank: number, to: number, chunks: number): void {
    const line = this.#line(rank);
    this.#i32[line + TO] = to;
    this.#i32[line + CHUNKS] = chunks;
    this.#i32[line + COPIED] = 0;
    this.#publish(line + OPEN, 1, rank);
  }

  /** The number of a chunk of PE `rank` for the caller; negative if there is none left. */
  take(rank: number): number {
    const word = this.#line(rank) + CHUNKS;
    // pairs with the same subtraction at the other PE: each chunk is taken once
    return Atomics.load(this.#i32, word) <= 0 ? -1 : Atomics.sub(this.#i32, word, 1) - 1;
  }

  /** This PE has copied so many chunks of its own, which PE `to` may wait for. */
  tell(chunks: number, to: number): void {
    this.#publish(this.#own + COPIED, chunks, to);
  }

  /** The condition that PE `rank` has told so. */
  copied(rank: number, chunks: number): Condition {
    return new Reaches(this.#i32, this.#line(rank) + COPIED, chunks, this.#members[rank], null);
  }
}
