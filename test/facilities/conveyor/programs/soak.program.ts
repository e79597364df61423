/** Random conveyors of all types, one after the other, on threads, for as long as one likes. */
import * as fc from "fast-check";
import { ALLOCATOR_USED, LINE } from "../../../../src/ground/memory/heap-layout.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { commandFor, play } from "../support/scenario.ts";
import { scenarios, type World } from "../support/scenarios.ts";
import { playOut, threadSeat } from "../support/seats.ts";

export interface Args {
  readonly seconds: number;
  readonly seed: number;
}

/** What PE 0 tells. */
export interface Soak {
  readonly conveyors: number;
  /** Items that have come to all PEs. */
  readonly items: number;
  readonly seconds: number;
  /** Bytes of the shared heap in use before, and after. */
  readonly heap: readonly [before: number, after: number];
  /** Resident memory of the process in bytes, a quarter of the time into it, and at the end. */
  readonly resident: readonly [early: number, late: number];
}

const FRONTS = ["rigid", "elastic", "bi", "elastic bi"] as const;
/** A hang has a name. */
const TIMEOUT_MS = 60_000;

/** Bytes of the heap in use when all PEs have come to this point. */
function used(pe: PE, words: Int32Array): number {
  pe.barrier();
  const bytes = Atomics.load(words, ALLOCATOR_USED) * LINE;
  pe.barrier();
  return bytes;
}

const program: Spmd = spmd((pe, args): Soak | undefined => {
  const { seconds, seed } = args as Args;
  const seat = threadSeat(pe);
  const worlds: fc.Arbitrary<World> = fc.record({
    pes: fc.constant(pe.size),
    groupSize: fc.constantFrom(...[1, 2, 4].filter((size) => pe.size % size === 0)),
    nodes: fc.constant(1),
  });
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const words = new Int32Array(pe.alloc(Uint8Array, 8).buffer);
  const before = used(pe, words);
  let early = 0;
  let items = 0;
  let conveyors = 0;
  // PE 0's clock decides for all; one of each front comes whatever it says
  while (pe.broadcast(conveyors < FRONTS.length || elapsed() < seconds ? 1 : 0) === 1) {
    const front = FRONTS[conveyors % FRONTS.length];
    const [scenario] = fc.sample(scenarios(front, worlds), { seed: seed + conveyors, numRuns: 1 });
    const limited = { ...scenario, options: { ...scenario.options, timeout: TIMEOUT_MS } };
    try {
      items += playOut(play(seat, limited));
    } catch (error) {
      (error as Error).message += `\nseed ${seed + conveyors}: ${commandFor(scenario)}`;
      throw error;
    }
    conveyors++;
    if (early === 0 && elapsed() > seconds / 4) early = process.memoryUsage.rss();
  }
  const after = used(pe, words);
  const all = pe.allreduce(items, "sum");
  if (pe.rank > 0) return undefined;
  return {
    conveyors,
    items: all,
    seconds: Math.round(elapsed()),
    heap: [before, after],
    resident: [early, process.memoryUsage.rss()],
  };
});

export default program;
