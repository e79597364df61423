/** Uses the kernels of the heap and those of conveyors where this thread cannot compile any. */
import { conveyor } from "../../../src/conveyor.ts";
import { f64, type PE, type Spmd, spmd } from "../../../src/index.ts";

const LENGTH = 4096;

const program: Spmd = spmd((pe: PE): number => {
  const api = (globalThis as unknown as { WebAssembly: { Module: unknown } }).WebAssembly;
  api.Module = class {
    constructor() {
      throw new Error("this PE compiles kernels");
    }
  };
  const ones = pe.alloc(Float64Array, LENGTH);
  ones.fill(1);
  pe.allreduce(ones, "sum");
  const c = conveyor(pe, f64).begin();
  const dests = new Uint32Array(LENGTH).fill((pe.rank + 1) % pe.size);
  let sum = 0;
  for (let i = 0; c.advance(i === LENGTH); ) {
    i = c.pushAll(dests, ones, i);
    for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) sum += batch.columns.reduce((a, b) => a + b, 0);
  }
  c.reset();
  return sum;
});
export default program;
