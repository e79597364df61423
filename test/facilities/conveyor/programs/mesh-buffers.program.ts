/** Packets that leave out a hop of a mesh, while hardly any have gone over that hop: how many buffers they take. */
import { elasticConveyor } from "../../../../src/conveyor.ts";
import { type Spmd, spmd } from "../../../../src/index.ts";

const ITEMS = 20_000;

const program: Spmd = spmd((pe) => {
  const c = elasticConveyor(pe, { mesh: [2, 2], bufferBytes: 16_384, buffersPerLink: 4 });
  const bytes = new Uint8Array(8);
  let items = 0;
  c.run(
    (push) => {
      push(pe.rank ^ 1, bytes);
      for (let i = 0; i < ITEMS; i++) push(pe.rank ^ 2, bytes);
    },
    () => void items++,
  );
  return [items - ITEMS, c.stats().buffers];
});
export default program;
