/** What a world runs on, as its PEs see it. */
import { type Spmd, spmd } from "../../../src/index.ts";

const program: Spmd = spmd((pe) => {
  pe.barrier();
  const group = pe.group(Array.from({ length: pe.size }, (_, rank) => rank)).explain();
  return { plan: pe.trees, explained: pe.explain(), group, sum: pe.allreduce(pe.rank, "sum") };
});

export default program;
