/** Illegal calls, on threads. */
import { type Spmd, spmd } from "../../../../src/index.ts";
import { playOut, threadSeat } from "../support/seats.ts";
import { all } from "../support/states-all.ts";

/** What the PEs are told. */
export interface Args {
  /** Which half of the conveyors, 0 or 1. @default all of them */
  readonly half?: number;
}

const program: Spmd = spmd((pe, args) => {
  const { half } = args as Args;
  const seat = threadSeat(pe);
  for (const [i, { name, play }] of all.entries()) {
    // on many PEs some: each front, and most types
    if (pe.size > 4 ? i % 5 > 0 : half !== undefined && i % 2 !== half) continue;
    try {
      playOut(play(seat, { timeout: 30_000 }));
    } catch (error) {
      throw new Error(`${name}, ${pe.size} PEs: ${(error as Error).stack}`, { cause: error });
    }
  }
});

export default program;
