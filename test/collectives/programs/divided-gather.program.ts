/**
 * Long gathers on threads: all roots, parts of any length, blocking and Async by turns. And a PE that has called the
 * Async form and then blocks until the root has its result: the root does not wait for it. Gives the number of gathers.
 */
import * as assert from "uvu/assert";
import { type Spmd, spmd } from "../../../src/index.ts";

const ROUNDS = 400;
const LENGTHS = [0, 5, 32_767, 32_768, 32_769, 60_000];
const LONGEST = Math.max(...LENGTHS);

const program: Spmd = spmd(async (pe): Promise<number> => {
  const x = pe.alloc(Float64Array, LONGEST);
  const into = pe.alloc(Float64Array, pe.size * LONGEST);
  const told = pe.allocShared(Int32Array, 1);
  const lengthOf = (rank: number, round: number) => LENGTHS[(rank + round) % LENGTHS.length] as number;
  const ranks = Array.from({ length: pe.size }, (_, rank) => rank);
  for (let round = 0; round < ROUNDS; round++) {
    const root = round % pe.size;
    const own = x.subarray(0, lengthOf(pe.rank, round)).fill(1000 * round + pe.rank);
    const later = (pe.rank + round) % 3 === 0;
    const blocks = later && pe.rank !== root;
    const called = later ? pe.gatherAsync(own, root, { into }) : pe.gather(own, root, { into });
    // this thread does nothing of the gather until the root has its result
    if (blocks) Atomics.wait(told, 0, round);
    const result = await called;
    if (pe.rank === root) {
      let at = 0;
      for (const rank of ranks) {
        const part = into.subarray(at, at + lengthOf(rank, round));
        const wrong = part.findIndex((value) => value !== 1000 * round + rank);
        assert.is(wrong, -1, `round ${round}, root ${root}: element ${wrong} of PE ${rank} is ${part[wrong]}`);
        at += part.length;
      }
      assert.is(result?.length, at);
      Atomics.store(told, 0, round + 1);
      Atomics.notify(told, 0);
    }
    await pe.barrierAsync();
  }
  return ROUNDS;
});

export default program;

/** Whether all PEs have done all of it. */
export const isComplete = (results: readonly unknown[]): boolean => results.every((rounds) => rounds === ROUNDS);
