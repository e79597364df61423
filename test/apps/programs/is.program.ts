/** IS of class S with several exchanges of keys, one after the other in one world, their reports as JSON; `args`: the exchanges. */
import is from "../../../apps/is.ts";
import { type Spmd, spmd } from "../../../src/index.ts";

const program: Spmd = spmd(async (pe, exchanges: readonly string[]) => {
  const reports: unknown[] = [];
  for (const exchange of exchanges) reports.push(await is.main(pe, ["--exchange", exchange]));
  return pe.rank === 0 ? JSON.stringify(reports) : undefined;
});
export default program;
