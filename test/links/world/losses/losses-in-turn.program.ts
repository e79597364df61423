/** PEs are lost one after the other; those that are left go on. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";

const program: Spmd = spmd((pe: PE, count: unknown) => {
  const left = Array.from({ length: pe.size }, (_, rank) => rank);
  for (let culprit = 0; culprit < (count as number); culprit++) {
    const group = pe.group(left);
    // whoever is still in a barrier when the culprit leaves it may find that it is lost
    for (;;) {
      try {
        group.barrier();
      } catch {
        break;
      }
      if (pe.rank === culprit) throw new Error(`the turn of ${culprit}`);
    }
    left.shift();
  }
  return `${pe.rank}: ${pe.lost.join()}`;
});
export default program;
