/** What waiting costs: one PE sleeps, the others wait for it in a collective; CPU time is measured. */
import { type Spmd, spmd } from "../../../src/index.ts";
import { makeCall } from "../support/waits.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly waits: readonly string[];
  readonly later: boolean;
  readonly ms: number;
}

const program: Spmd = spmd(async (pe, args) => {
  const { waits, later, ms } = args as Args;
  const shares: number[] = [];
  for (const wait of waits) {
    // once without measuring, then all meet
    await makeCall(pe, wait, later);
    pe.barrier();
    const started = performance.now();
    const before = process.cpuUsage();
    if (pe.rank === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    await makeCall(pe, wait, later);
    // of the whole process: the others, and the launching thread
    const { user, system } = process.cpuUsage(before);
    shares.push((user + system) / 1000 / (performance.now() - started));
    pe.barrier();
  }
  return shares;
});

export default program;
