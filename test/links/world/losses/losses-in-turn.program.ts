/** PEs are lost one after the other; those that are left go on. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";

const program: Spmd = spmd((pe: PE, count: unknown) => {
  const left = Array.from({ length: pe.size }, (_, rank) => rank);
  for (let culprit = 0; culprit < (count as number); culprit++) {
    const group = pe.group(left);
    group.barrier();
    if (pe.rank === culprit) throw new Error(`the turn of ${culprit}`);
    for (;;) {
      try {
        group.barrier();
      } catch {
        break;
      }
    }
    left.shift();
  }
  return `${pe.rank}: ${pe.lost.join()}`;
});
export default program;
