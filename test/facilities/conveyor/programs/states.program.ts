/** Illegal calls, on threads. */
import { type Spmd, spmd } from "../../../../src/index.ts";
import { playOut, threadSeat } from "../support/seats.ts";
import { all } from "../support/states-all.ts";

const program: Spmd = spmd((pe) => {
  const seat = threadSeat(pe);
  for (const [i, { name, play }] of all.entries()) {
    // on many PEs some: each front, and most types
    if (pe.size > 4 && i % 5 > 0) continue;
    try {
      playOut(play(seat, { timeout: 30_000 }));
    } catch (error) {
      throw new Error(`${name}, ${pe.size} PEs: ${(error as Error).stack}`, { cause: error });
    }
  }
});

export default program;
