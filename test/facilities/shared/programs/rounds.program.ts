/** Many short sections under one lock. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { lock } from "../../../../src/shared.ts";

export interface Args {
  /** Of each PE. */
  readonly rounds: number;
}

const busy = new Int32Array(1);

/** @returns the sections of all PEs, counted by a plain word under the lock */
const program: Spmd = spmd((pe: PE, args: unknown): number => {
  const { rounds } = args as Args;
  const a = lock(pe);
  const words = pe.allocShared(Float64Array, 2);
  for (let round = 0; round < rounds; round++) {
    if ((round & 7) === 7) {
      while (a.tryLock() === null);
    } else a.lock();
    const before = words[0] as number;
    if (words[1] !== before) throw new Error(`two PEs at once in round ${round}: ${[before, words[1]]}`);
    words[0] = before + 1;
    // now and then others come, and begin to wait, meanwhile
    if ((round & 255) === pe.rank) for (let k = 0; k < 2000; k++) (busy[0] as number)++;
    words[1] = before + 1;
    a.unlock();
  }
  pe.barrier();
  const all = words[0] as number;
  pe.barrier();
  return all;
});

export default program;
