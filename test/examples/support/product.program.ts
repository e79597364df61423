/** The product of two matrices by the kernel in a file: all its elements. */
import { pathToFileURL } from "node:url";
import { type PE, type Spmd, spmd } from "../../../src/index.ts";
import { addressOf, kernel } from "../../../src/kernel.ts";

interface Matrices {
  multiply(a: number, b: number, c: number, rows: number, n: number, packed: number): void;
}

const N = 140;

const program: Spmd = spmd((pe: PE, file: unknown): Float64Array => {
  using k = kernel<Matrices>(pe, pathToFileURL(file as string));
  const [a, b, c] = [0, 1, 2].map(() => pe.alloc(Float64Array, N * N)) as [Float64Array, Float64Array, Float64Array];
  for (let i = 0; i < N * N; i++) {
    a[i] = Math.sin(i);
    b[i] = Math.cos(i);
  }
  const packed = pe.alloc(Float64Array, 256 * 128);
  k.exports.multiply(addressOf(a), addressOf(b), addressOf(c), N, N, addressOf(packed));
  return c.slice();
});
export default program;
