/** Pushes that are not repeated, on threads. */
import { type Spmd, spmd } from "../../../../src/index.ts";
import { all } from "../support/lost-pushes.ts";
import { playOut, threadSeat } from "../support/seats.ts";

const program: Spmd = spmd((pe) => {
  const seat = threadSeat(pe);
  for (const { name, play } of all) {
    try {
      playOut(play(seat));
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).stack}`, { cause: error });
    }
  }
});

export default program;
