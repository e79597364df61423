// Matrix product C = A B: each PE has a block of rows of A and C, and all PEs of a node read the same B.
import { isEntry, launch, spmd } from "tundish";

type Args = { n: number };
type Result = { trace: number; ms: number };

/** Every PE runs this function, with its own rank. */
export default spmd<Args, Result>((pe, { n }) => {
  const bound = (rank: number) => Math.floor((n * rank) / pe.size);
  const first = bound(pe.rank);
  const rows = bound(pe.rank + 1) - first;
  const a = Float64Array.from({ length: rows * n }, (_, i) => cell(first * n + i));
  const c = new Float64Array(rows * n);
  const b = pe.allocShared(Float64Array, n * n); // one on each node, filled by one PE of it
  for (let i = 0; i < b.length && pe.nodeRank === 0; i++) b[i] = cell(i + 1);
  pe.barrier(); // after it all may read
  const begin = performance.now();
  multiply(a, b, c, n);
  let trace = 0;
  for (let row = 0; row < rows; row++) trace += c[row * n + first + row];
  trace = pe.allreduce(trace, "sum");
  return { trace, ms: performance.now() - begin };
});

/** A number of the matrices, from -0.5 to 0.5. */
const cell = (i: number): number => ((i * 7919) % 1000) / 1000 - 0.5;

/** C += A B for some rows of A and C. The columns are in blocks, so that what is read of B again stays in a cache. */
function multiply(a: Float64Array, b: Float64Array, c: Float64Array, n: number): void {
  const wide = 512;
  for (let left = 0; left < n; left += wide) {
    const right = Math.min(n, left + wide);
    for (let row = 0; row < a.length; row += n) {
      for (let k = 0; k < n; k++) {
        const factor = a[row + k];
        for (let j = left; j < right; j++) c[row + j] += factor * b[k * n + j];
      }
    }
  }
}

// every PE imports this file as well: only the main thread starts them
if (isEntry(import.meta)) {
  const program = new URL(import.meta.url);
  const args: Args = { n: Number(process.argv[2] ?? 600) };
  const [alone] = await launch<Result>(program, { pes: 1, args });
  const all = await launch<Result>(program, { args }); // one PE per core
  const ms = Math.max(...all.map((result) => result.ms));
  console.log(`trace ${all[0].trace.toFixed(6)}`);
  console.log(`1 PE ${alone.ms.toFixed(0)} ms, ${all.length} PEs ${ms.toFixed(0)} ms`);
}
