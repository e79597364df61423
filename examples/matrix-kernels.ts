// Matrix product C = A B by WebAssembly on the heap, of AssemblyScript, C, Rust or Zig, with SIMD, beside JavaScript.
import { isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { addressOf, kernelAsync } from "tundish/kernel";
import { example, type Problem } from "./support/example.ts";
import { randomAt, share, sharedInput } from "./support/input.ts";
import { difference, multiply, trace } from "./support/matrix.ts";
import { oneOf, whole } from "./support/options.ts";
import { print } from "./support/print.ts";

/** What each module exports (kernels/matrix.*, kernels/assembly); all but rows and n are addresses. */
interface Matrices {
  multiply(a: number, b: number, c: number, rows: number, n: number, packed: number): void;
}

/** Rows of C that a kernel computes together, and the numbers of B that it packs. */
const TILE = 4;
const PACKED = 256 * 128;

const OPTIONS = {
  size: whole(1024, 1, 8000, "rows of a matrix, as many as columns, rounded up to a multiple of 4"),
  from: oneOf("assemblyscript", "c", "rust", "zig"),
};

/** Every PE has a block of rows of A and C in the heap; all PEs of a node read the same B. */
async function placed(pe: PE, n: number, cell: (matrix: number, i: number) => number) {
  const [first, end] = share(n / TILE, pe.rank, pe.size);
  const rows = TILE * (end - first);
  // as long at every PE
  const most = TILE * Math.ceil(n / TILE / pe.size) * n;
  const a = await pe.allocAsync(Float64Array, most);
  const c = await pe.allocAsync(Float64Array, most);
  const packed = await pe.allocAsync(Float64Array, PACKED);
  const b = await sharedInput(pe, n * n, (array, from, to) => {
    for (let i = from; i < to; i++) array[i] = cell(1, i);
  });
  for (let i = 0; i < rows * n; i++) a[i] = cell(0, TILE * first * n + i);
  return { a, b, c, packed, rows };
}

const program: Spmd = spmd((pe, args) =>
  example(
    pe,
    args,
    "matrix-kernels",
    OPTIONS,
    async ({ size, from, seed }): Promise<Problem<Float64Array, Float64Array>> => {
      const n = TILE * Math.ceil(size / TILE);
      const cell = (matrix: number, i: number) => randomAt(seed + matrix, i) - 0.5;
      const k = await kernelAsync<Matrices>(pe, new URL(`./kernels/matrix-${from}.wasm`, import.meta.url));
      const { a, b, c, packed, rows } = await placed(pe, n, cell);
      // PE 0 has all for the serial form
      const cells = pe.rank === 0 ? n * n : 0;
      const allOfA = Float64Array.from({ length: cells }, (_, i) => cell(0, i));
      const allOfC = new Float64Array(cells);
      return {
        async parallel() {
          k.exports.multiply(addressOf(a), addressOf(b), addressOf(c), rows, n, addressOf(packed));
          await pe.barrierAsync(); // all rows of C are there
          return c.subarray(0, rows * n);
        },
        serial() {
          multiply(allOfA, b, allOfC, n);
          return allOfC;
        },
        collect: async (part) => (await pe.gatherAsync(part)) ?? part,
        differs: (found, expected) => difference(found, expected, n),
        spoil: (found) => void found[found.length - 1]++,
        tell: (found) => ({ from, trace: trace(found, n) }),
        flops: () => 2 * n ** 3,
        async free() {
          k.free();
          for (const array of [a, c, packed, b]) await pe.freeAsync(array);
        },
      };
    },
  ),
);
export default program;

// every PE imports this file as well: only the main thread starts them, one on each core
if (isEntry(import.meta)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));
