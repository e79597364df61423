/**
 * Copies that two PEs divide: one that offers to have its bytes copied, and one that says where they go. Each takes the
 * next chunk while there is one, so whoever is there copies: neither waits for the other to begin.
 *
 *     ┌────────┬────────────┬────────────┬────────┐
 *     │ TO u32 │ CHUNKS i32 │ COPIED i32 │ unused │  line of PE 0: copies of its bytes
 *     ├────────┼────────────┼────────────┼────────┤
 *     │ …      │            │            │        │  line of PE 1 …
 *     └────────┴────────────┴────────────┴────────┘
 *
 * TO is the byte offset in the heap that the bytes go to, 0 until it is known. CHUNKS counts down what nobody has
 * taken, and may become negative. COPIED counts what the owner of the line has copied.
 *
 * Source: dynamic scheduling of loops in chunks (OpenMP 5.2, section 11.5.3).
 */
import { LINE } from "../../ground/memory/heap-layout.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import type { CopyDivision } from "./medium.ts";

// words in a line
const TO = 0;
const CHUNKS = 1;
const COPIED = 2;

/** Bytes of the lines of a team. */
export const dividedCopyBytes = (size: number): number => size * LINE;

/** The condition that a PE has copied its chunks. */
class Copied implements Condition {
  readonly peer: number;
  readonly #i32: Int32Array;
  readonly #word: number;
  readonly #chunks: number;

  constructor(i32: Int32Array, word: number, chunks: number, peer: number) {
    this.#i32 = i32;
    this.#word = word;
    this.#chunks = chunks;
    this.peer = peer;
  }

  ready(): boolean {
    return this.spin(1);
  }

  spin(looks: number): boolean {
    // pairs with the store in DividedCopy.tell(): what the peer has copied is visible
    for (let i = 0; i < looks; i++) if (Atomics.load(this.#i32, this.#word) >= this.#chunks) return true;
    return false;
  }
}

/** The condition that the place of this PE's bytes is known, or that none is needed any more. */
class Opened implements Condition {
  readonly peer: number;
  readonly #i32: Int32Array;
  readonly #word: number;
  readonly #over: Condition;

  constructor(i32: Int32Array, word: number, over: Condition) {
    this.#i32 = i32;
    this.#word = word;
    this.#over = over;
    this.peer = over.peer;
  }

  ready(): boolean {
    return this.spin(1);
  }

  spin(looks: number): boolean {
    for (let i = 0; i < looks; i++) {
      // pairs with the store in DividedCopy.open(): the number of chunks is visible
      if (Atomics.load(this.#i32, this.#word) !== 0 || this.#over.ready()) return true;
    }
    return false;
  }
}

/** The divided copies of a team, as seen by one PE. */
export class DividedCopy implements CopyDivision {
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

  offer(): void {
    // before this PE shows its bytes, so that whoever has seen them finds it
    this.#i32[this.#own + TO] = 0;
  }

  opened(over: Condition): Condition {
    return new Opened(this.#i32, this.#own + TO, over);
  }

  get to(): number {
    return this.#i32[this.#own + TO] >>> 0;
  }

  open(rank: number, to: number, chunks: number): void {
    const line = this.#line(rank);
    this.#i32[line + CHUNKS] = chunks;
    this.#i32[line + COPIED] = 0;
    // pairs with the load in Opened.spin()
    this.#wakers.publish(line + TO, to);
    this.#wakers.notify(this.#members[rank]);
  }

  take(rank: number): number {
    const word = this.#line(rank) + CHUNKS;
    // pairs with the same subtraction at the other PE: each chunk is taken once
    return Atomics.load(this.#i32, word) <= 0 ? -1 : Atomics.sub(this.#i32, word, 1) - 1;
  }

  tell(chunks: number, to: number): void {
    // pairs with the load in Copied.spin()
    this.#wakers.publish(this.#own + COPIED, chunks);
    this.#wakers.notify(this.#members[to]);
  }

  copied(rank: number, chunks: number): Condition {
    return new Copied(this.#i32, this.#line(rank) + COPIED, chunks, this.#members[rank]);
  }
}
