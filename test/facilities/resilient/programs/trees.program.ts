/** PEs are lost one after the other, the last ones first: what trees each of the others has after each loss. */
import { ResilientCalls } from "../../../../src/facilities/resilient/call.ts";
import { Survivors } from "../../../../src/facilities/resilient/survivors.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { seatOf } from "../../../../src/pe/seat-of.ts";

const program: Spmd = spmd((pe: PE, losses: unknown) => {
  const seat = seatOf(pe, "test");
  const survivors = new Survivors(seat);
  const calls = new ResilientCalls(pe.rank, pe.size);
  const plans: unknown[] = [];
  for (let last = pe.size - 1; last >= pe.size - (losses as number); last--) {
    if (pe.rank === last) throw new RangeError("out of luck");
    while (survivors.members.includes(last)) survivors.block(calls.barrier(), undefined);
    plans.push(survivors.collectives.team.plan);
  }
  return { plans, model: seat.model };
});
export default program;
