/** The PEs of `bench containers`: one job. The result of several PEs is compared with that of one thread. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { compare } from "../programs/bench-programs.program.ts";
import { ALONE_WORKS } from "./alone.ts";
import { TOGETHER_WORKS } from "./together.ts";
import type { ContainerAnswer, ContainerJob, Work } from "./works.ts";

const program: Spmd = spmd((pe: PE, args: unknown): ContainerAnswer => {
  const { kind, name, size, warmMs, runs } = args as ContainerJob;
  const work: Work =
    kind === "together" ? TOGETHER_WORKS[name](pe, size) : ALONE_WORKS[name](Math.ceil(size / pe.size), usedHeap);
  work.run();
  const begun = performance.now();
  while (pe.broadcast(Number(performance.now() - begun < warmMs), 0)) work.run();
  const times = Array.from({ length: runs }, () => {
    pe.barrier();
    const start = performance.now();
    work.run();
    pe.barrier();
    return (performance.now() - start) * 1e6;
  });
  const values = work.result();
  if (kind === "together") {
    const whole = ALONE_WORKS[name](size, usedHeap);
    whole.run();
    compare(pe, name, { first: 0, values }, whole.result(), 0);
  }
  return { bound: pe.cpu !== null, times, entryBytes: work.entryBytes() };
});

/** Bytes of the heap of this thread after garbage collection. */
function usedHeap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

export default program;
