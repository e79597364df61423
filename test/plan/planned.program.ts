/** What the PEs of a world with a plan say of it. */
import { conveyor } from "../../src/conveyor.ts";
import { type PE, type Spmd, spmd, u32 } from "../../src/index.ts";

const program: Spmd = spmd((pe: PE) => {
  const before = pe.explain();
  const c = conveyor(pe, u32, { name: "edges", hops: 1 }).begin();
  let refused = "";
  const diagnosed = pe.diagnose().text;
  for (let i = 0; c.advance(i === 100); ) {
    for (; i < 100 && c.push(i % pe.size, i); i++);
    while (c.pull());
  }
  c.reset();
  try {
    conveyor(pe, u32, { plan: { schema: "tundish/plan@1" } as never });
  } catch (error) {
    refused = `${(error as Error).name} ${(error as { path?: string }).path}`;
  }
  let group = "";
  if (pe.rank === 0) {
    using alone = pe.group([0]);
    group = conveyor(alone, u32).explain();
  }
  return { conveyor: c.explain(), before, after: pe.explain(), refused, diagnosed, group, trees: pe.trees };
});
export default program;
