/** A launch whose PEs add numbers, or, with `touch`, one that fills its heap; prints what V8 counts beside its objects. */
import { isEntry, launch, type PE, type Spmd, spmd } from "../../../../src/index.ts";

export const TOUCHED_BYTES = 80e6;

/** The array is the heap's, which stays with it. */
interface Result {
  readonly sum: number;
  readonly x: Float64Array | null;
}

const main: Spmd<boolean, Result> = spmd((pe: PE, touch: boolean) => {
  const x = touch ? pe.allocShared(Float64Array, TOUCHED_BYTES / 8) : null;
  if (pe.rank === 0) x?.fill(1);
  const sum = pe.allreduce(pe.rank, "sum");
  return { sum, x };
});
export default main;

if (isEntry(import.meta)) {
  const touch = process.argv[2] === "touch";
  const before = process.memoryUsage().arrayBuffers;
  const results = await launch<typeof import("./counted.program.ts")>(import.meta.url, { pes: 2, args: touch });
  const { arrayBuffers } = process.memoryUsage();
  console.log(JSON.stringify({ sums: results.map(({ sum }) => sum), counted: arrayBuffers - before }));
}
