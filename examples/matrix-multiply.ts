// Matrix product C = A B: each PE has a block of rows of A and C, and all PEs of a node read the same B.
import { isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { example, type Problem } from "./support/example.ts";
import { randomAt, share, sharedInput } from "./support/input.ts";
import { difference, multiply, trace } from "./support/matrix.ts";
import { whole } from "./support/options.ts";
import { print } from "./support/print.ts";

/** Every PE runs this function, with its rows of A and C. B is at the node of PE 0, and at the others when it has been sent. */
async function onAll(pe: PE, a: Float64Array, b: Float64Array, c: Float64Array, n: number): Promise<void> {
  if (pe.nodes > 1) {
    const firsts = await pe.splitAsync(pe.nodeRank === 0 ? 0 : null);
    await firsts?.broadcastAsync(b); // from node to node, into the memory that a node's PEs share
    await pe.barrierAsync();
  }
  multiply(a, b, c, n);
}

const OPTIONS = { size: whole(600, 1, 8000, "rows of a matrix, as many as columns") };

const program: Spmd = spmd((pe, args) =>
  example(
    pe,
    args,
    "matrix-multiply",
    OPTIONS,
    async ({ size: n, seed }): Promise<Problem<Float64Array, Float64Array>> => {
      const [first, end] = share(n, pe.rank, pe.size);
      const cell = (matrix: number, i: number) => randomAt(seed + matrix, i) - 0.5;
      const b = await sharedInput(pe, n * n, (array, from, to) => {
        // the other nodes get it from that of PE 0
        for (let i = from; i < to && pe.node === 0; i++) array[i] = cell(1, i);
      });
      const a = Float64Array.from({ length: (end - first) * n }, (_, i) => cell(0, first * n + i));
      const c = new Float64Array(a.length);
      // PE 0 has all for the serial form
      const cells = pe.rank === 0 ? n * n : 0;
      const allOfA = Float64Array.from({ length: cells }, (_, i) => cell(0, i));
      const allOfC = new Float64Array(cells);
      return {
        async parallel() {
          await onAll(pe, a, b, c, n);
          return c;
        },
        serial() {
          multiply(allOfA, b, allOfC, n);
          return allOfC;
        },
        collect: async (part) => (await pe.gatherAsync(part)) ?? part,
        differs: (found, expected) => difference(found, expected, n),
        spoil: (found) => void found[found.length - 1]++,
        tell: (found) => ({ trace: trace(found, n) }),
        flops: () => 2 * n ** 3,
        free: () => pe.freeAsync(b),
      };
    },
  ),
);
export default program;

// every PE imports this file as well: only the main thread starts them, one on each core
if (isEntry(import.meta)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));
