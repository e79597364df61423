/** Conveyors as they are used, on threads. */
import { type Spmd, spmd } from "../../../src/index.ts";
import { playOut, threadSeat } from "../support/seats.ts";
import { types, uses } from "../support/uses.ts";

const program: Spmd = spmd((pe, use) => {
  for (const options of types) {
    try {
      playOut(uses[use as string](threadSeat(pe), { ...options, timeout: 60_000 }));
    } catch (error) {
      throw new Error(`${JSON.stringify(options)}: ${(error as Error).stack}`, { cause: error });
    }
  }
});

export default program;
