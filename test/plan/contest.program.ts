/** What a world runs on, as its PEs see it. */
import { type Spmd, spmd } from "../../src/index.ts";

const program: Spmd = spmd((pe) => {
  pe.barrier();
  return { plan: pe.plan, explained: pe.explain(), sum: pe.allreduce(pe.rank, "sum") };
});

export default program;
