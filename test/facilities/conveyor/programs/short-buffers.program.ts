/** Packets over two hops with one buffer for each link: a short one of the slow start, into which the next packet does not fit. */
import { elasticConveyor } from "../../../../src/conveyor.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";

const ITEMS = 2000;
const BUFFER_BYTES = 1024;

const program: Spmd = spmd((pe: PE) => {
  const c = elasticConveyor(pe, { hops: 2, groupSize: 2, bufferBytes: BUFFER_BYTES, buffersPerLink: 1 });
  let [items, bytes] = [0, 0];
  const lengthOf = (i: number): number => (i * 37) % BUFFER_BYTES;
  c.run(
    (push) => {
      for (let i = 0; i < ITEMS; i++) push((pe.rank + i) % pe.size, new Uint8Array(lengthOf(i)));
    },
    (item) => {
      items++;
      bytes += item.length;
    },
  );
  return pe.allreduce(items, "sum") * 1e10 + pe.allreduce(bytes, "sum");
});
export default program;

/** What each PE returns. */
export const expected = (pes: number): number => {
  let bytes = 0;
  for (let i = 0; i < ITEMS; i++) bytes += (i * 37) % BUFFER_BYTES;
  return pes * ITEMS * 1e10 + pes * bytes;
};
