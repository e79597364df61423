/** Prints what a PE says of its plans, and whether all items of a conveyor have arrived. */
import { conveyor } from "../../../src/conveyor.ts";
import { type Spmd, spmd, u32 } from "../../../src/index.ts";

const ITEMS = 1000;

const program: Spmd = spmd((pe) => {
  const c = conveyor(pe, u32, { name: "edges" }).begin();
  let got = 0;
  for (let i = 0; c.advance(i === ITEMS); ) {
    for (; i < ITEMS && c.push(i % pe.size, i); i++);
    while (c.pull()) got++;
  }
  c.reset();
  const isWhole = pe.allreduce(got, "sum") === ITEMS * pe.size;
  console.log(JSON.stringify({ isWhole, plan: pe.explain(), conveyor: c.explain() }));
});
export default program;
