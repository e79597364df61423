/** PE 0 throws while the others are in a call that nothing ends, for a second. */
import { execFileSync } from "node:child_process";
import { type Spmd, spmd } from "../../../../src/index.ts";

const program: Spmd = spmd((pe) => {
  pe.barrier();
  if (pe.rank === 0) throw new RangeError("too much");
  execFileSync(process.execPath, ["-e", "setTimeout(() => {}, 1000)"]);
});
export default program;
