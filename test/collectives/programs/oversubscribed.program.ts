/** What waiting costs: one PE sleeps, the others wait for it in a collective; CPU time is measured. */
import { type Spmd, spmd } from "../../../src/index.ts";
import { makeCall } from "../support/waits.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly waits: readonly string[];
  readonly later: boolean;
  readonly ms: number;
  /** Share of a core below which a wait is not measured again. */
  readonly enough: number;
}

/** A wait that burns does so each time; what the engine compiles or frees comes once. */
const TURNS = 3;

const program: Spmd = spmd(async (pe, args) => {
  const { waits, later, ms, enough } = args as Args;
  const shares: number[] = [];
  for (const wait of waits) {
    // once without measuring
    await makeCall(pe, wait, later);
    let least = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < TURNS && least >= enough; turn++) {
      pe.barrier();
      const started = performance.now();
      const before = process.cpuUsage();
      if (pe.rank === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      await makeCall(pe, wait, later);
      // of the whole process: the others, and the launching thread
      const { user, system } = process.cpuUsage(before);
      // PE 0 slept; its measurement begins and ends with the wait of the others
      least = Math.min(least, pe.broadcast((user + system) / 1000 / (performance.now() - started)));
    }
    shares.push(least);
    pe.barrier();
  }
  return shares;
});

export default program;
