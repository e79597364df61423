/** Prints where a PE is, and what it chooses for conveyors over all PEs, with what they say of it. */
import { conveyor } from "../../../src/conveyor.ts";
import { type Spmd, spmd, u32 } from "../../../src/index.ts";
import { ordersOf } from "../../facilities/conveyor/support/orders.ts";
import { playOut, threadSeat } from "../../facilities/conveyor/support/seats.ts";

const program: Spmd = spmd((pe) => {
  const two = conveyor(pe, u32, { hops: 2, groupSize: 2 });
  const told = two.explain();
  two.free();
  const sent = playOut(ordersOf(threadSeat(pe), { hops: 1 }));
  console.log(JSON.stringify({ rank: pe.rank, node: pe.node, cpu: pe.cpu, told, sent }));
});
export default program;
