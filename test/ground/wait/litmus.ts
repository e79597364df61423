/** What the two sides of litmus.test.ts share. */
import { futex } from "../../../src/ground/wait/futex.ts";

/** Words of the memory, in lines of their own. */
export interface Ground {
  readonly i32: Int32Array;
  readonly waitOffset: number;
  /** The number of the round, by the sleeper; -1 at the end. */
  readonly start: number;
  /** What the sleeper waits for; PAYLOAD_WORDS lines follow. */
  readonly data: number;
  /** The number of the round, by the writer. */
  readonly done: number;
}

export const LINE_WORDS = 32;
export const PAYLOAD_WORDS = 4;

/** Looks before the core is given away. */
const SPINS = 20_000;

/** Waits until a word is `round`; false when it is -1. */
export function meet(i32: Int32Array, word: number, round: number): boolean {
  for (let looks = 1; ; looks++) {
    const now = Atomics.load(i32, word);
    if (now === round) return true;
    if (now === -1) return false;
    if (looks > SPINS) futex()?.yield();
  }
}
