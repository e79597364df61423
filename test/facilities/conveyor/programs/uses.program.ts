/** Conveyors as they are used, on threads. */
import { type Spmd, spmd } from "../../../../src/index.ts";
import { playOut, threadSeat } from "../support/seats.ts";
import { types, uses } from "../support/uses.ts";

const program: Spmd = spmd((pe) => {
  const seat = threadSeat(pe);
  for (const [k, [name, use]] of Object.entries(uses).entries()) {
    // on several PEs each use with one type, and each type in some use
    for (const options of pe.size > 1 ? [types[(k + (pe.size > 4 ? 1 : 0)) % types.length]] : types) {
      try {
        playOut(use(seat, { ...options, timeout: 60_000 }));
      } catch (error) {
        throw new Error(`${name}, ${JSON.stringify(options)}: ${(error as Error).stack}`, { cause: error });
      }
    }
  }
});

export default program;
