/** An array of 6 GiB: filled, added up, and given back. Tells how long each took, ms. */
import { freemem } from "node:os";
import { type Spmd, spmd } from "../../../src/index.ts";
import { forRange, reduceEach } from "../../../src/loop.ts";

const BYTES = 6 * 2 ** 30;

export interface Told {
  readonly sum: number;
  readonly alloc: number;
  readonly fill: number;
  readonly again: number;
  readonly add: number;
  /** Bytes that freeing it has given back. */
  readonly back: number;
}

const main: Spmd<Told> = spmd((pe) => {
  const timed = (run: () => void): number => {
    const start = performance.now();
    run();
    return performance.now() - start;
  };
  let x = new Float64Array();
  const alloc = timed(() => {
    x = pe.allocShared(Float64Array, BYTES / 8);
  });
  const filling = (value: number) => () =>
    forRange(pe, x.length, (begin, end) => {
      for (let i = begin; i < end; i++) x[i] = value;
    });
  const fill = timed(filling(1));
  const again = timed(filling(3));
  let sum = 0;
  const add = timed(() => {
    sum = reduceEach(pe, x.length, (i) => x[i] as number, "sum");
  });
  const before = freemem();
  pe.free(x);
  pe.barrier();
  return { sum, alloc, fill, again, add, back: freemem() - before };
});

export default main;
