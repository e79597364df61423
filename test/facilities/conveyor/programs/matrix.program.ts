/** Conveyors of the matrix, one after the other, on threads. */
import { type Spmd, spmd } from "../../../../src/index.ts";
import { type Case, nameOf, playCase, type Volume } from "../support/cases.ts";
import { mix } from "../support/payloads.ts";
import { playOut, threadSeat } from "../support/seats.ts";

export interface Args {
  readonly cases: readonly Case[];
  readonly volume: Volume;
}

/** So that a session that hangs has a name. */
const TIMEOUT_MS = 60_000;

const program: Spmd = spmd((pe, args) => {
  const { cases, volume } = args as Args;
  const seat = threadSeat(pe);
  const times: [string, number][] = [];
  for (const [i, one] of cases.entries()) {
    const started = performance.now();
    try {
      const limited = { ...one, options: { ...one.options, timeout: TIMEOUT_MS } };
      playOut(playCase(seat, limited, volume, mix(pe.size, i)));
    } catch (error) {
      const { message, stack } = error as Error;
      throw new Error(`${nameOf(one)}, ${pe.size} PEs: ${message}\n${stack}`, { cause: error });
    }
    times.push([nameOf(one), performance.now() - started]);
  }
  return times;
});

export default program;
