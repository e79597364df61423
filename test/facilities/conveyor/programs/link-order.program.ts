/** The order in which a PE that is a thread sends to its links, and the CPU that it is on. */
import { type Spmd, spmd } from "../../../../src/index.ts";
import { type OrderArgs, ordersOf, type Sent } from "../support/orders.ts";
import { playOut, threadSeat } from "../support/seats.ts";

/** What a PE returns. */
export interface Ordered {
  readonly cpu: number | null;
  readonly sent: Sent;
}

const program: Spmd = spmd((pe, args): Ordered => {
  const { options } = args as OrderArgs;
  return { cpu: pe.cpu, sent: playOut(ordersOf(threadSeat(pe), options)) };
});
export default program;
