/** The PEs of `bench kernels`: a matrix product by a kernel. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { addressOf, kernel } from "../../../../src/kernel.ts";
import { DROPPED, type KernelAnswer, type KernelJob } from "./job.ts";

/** examples/kernels/matrix.c: all but rows and n are addresses. */
interface Matrices {
  multiply(a: number, b: number, c: number, rows: number, n: number, packed: number): void;
}

const TILE = 4;
const PACKED = 256 * 128;

const program: Spmd = spmd((pe: PE, args: unknown): KernelAnswer => {
  const { file, n, runs } = args as KernelJob;
  const k = kernel<Matrices>(pe, new URL(file));
  const [a, b, c] = [0, 1, 2].map(() => pe.allocShared(Float64Array, n * n)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const packed = pe.alloc(Float64Array, PACKED);
  if (pe.rank === 0) {
    for (let i = 0; i < n * n; i++) {
      a[i] = (i % 7) - 3;
      b[i] = (i % 11) - 5;
    }
  }
  const line = (rank: number): number => TILE * Math.floor(((n / TILE) * rank) / pe.size);
  const [first, end] = [line(pe.rank), line(pe.rank + 1)];
  const at = 8 * n * first;
  const run = (): number => {
    pe.barrier();
    const start = performance.now();
    k.exports.multiply(addressOf(a) + at, addressOf(b), addressOf(c) + at, end - first, n, addressOf(packed));
    pe.barrier();
    return (performance.now() - start) * 1e6;
  };
  const all = Array.from({ length: DROPPED + runs }, run);
  if (pe.rank === 0) check(a, b, c, n);
  return { bound: pe.cpu !== null, first: all[0] as number, times: all.slice(DROPPED) };
});

/** Some elements; sums of whole numbers are exact. @throws Error */
function check(a: Float64Array, b: Float64Array, c: Float64Array, n: number): void {
  for (let at = 0; at < n * n; at += n + 7) {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += (a[at - (at % n) + k] as number) * (b[k * n + (at % n)] as number);
    if (sum !== c[at]) throw new Error(`matrix product: element ${at}: expected ${sum}, got ${c[at]}`);
  }
}

export default program;
