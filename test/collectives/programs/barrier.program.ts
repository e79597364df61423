/** Barriers, each checked from both sides: nobody too early, nobody too far ahead. */
import * as assert from "uvu/assert";
import { barrier, type PE, type Spmd, spmd } from "../../../src/index.ts";
import { random } from "../support/reference.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly rounds: number;
  /** Now and then a PE comes late by up to so many turns of a loop. */
  readonly late?: number;
}

/** One array for all: the first PE's, found by its offset. */
function common(pe: PE, length: number): Int32Array {
  const mine = pe.alloc(Int32Array, length);
  return new Int32Array(mine.buffer, pe.broadcast(mine.byteOffset, 0), length);
}

const program: Spmd = spmd((pe, args) => {
  const { rounds, late = 0 } = args as Args;
  const { rank, size } = pe;
  const entered = common(pe, 1);
  // written without atomics: what was written before a barrier must be readable after it
  const plain = common(pe, size);
  const next = random(rank + 1);
  for (let round = 1; round <= rounds; round++) {
    if (late > 0 && next() < 0.02) for (let i = next() * late; i > 0; i--) Math.sqrt(i);
    plain[rank] = round;
    Atomics.add(entered, 0, 1);
    if (round % 2 === 0) pe.barrier();
    else barrier();
    const count = Atomics.load(entered, 0);
    if (count < round * size) assert.unreachable(`left barrier ${round} when only ${count} had entered`);
    // the others may be in the next barrier already, but cannot have left it
    if (count >= (round + 1) * size) assert.unreachable(`barrier ${round + 1} was passed without PE ${rank}`);
    const other = plain[(rank + round) % size];
    if (other !== round && other !== round + 1) assert.unreachable(`read ${other} in round ${round}`);
  }
  pe.barrier();
  return Atomics.load(entered, 0);
});

export default program;
