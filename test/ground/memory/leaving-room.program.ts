/**
 * Makes what takes memory of the heap where there is less and less room for it, and looks each time at how much room is
 * left.
 */

import { appendBuffer } from "../../../src/append.ts";
import { containers, countingMap, map } from "../../../src/containers.ts";
import { biconveyor, calls, conveyor, elasticConveyor, selector } from "../../../src/conveyor.ts";
import { exchange } from "../../../src/exchange.ts";
import { f64, HeapError, type PE, type Spmd, spmd, struct, u32 } from "../../../src/index.ts";

/** What has parts that are allocated one after the other, and whose memory is free when all PEs have freed it. */
const MAKERS: Readonly<Record<string, (pe: PE) => { free(): void }>> = {
  exchange: (pe) => exchange(pe, { packetBytes: 2 ** 16 }),
  conveyor: (pe) => conveyor(pe, struct({ at: u32, value: f64 })),
  "conveyor, disciplined": (pe) => conveyor(pe, u32, { discipline: "token" }),
  elasticConveyor: (pe) => elasticConveyor(pe),
  biconveyor: (pe) => biconveyor(pe, u32, f64, () => 0),
  selector: (pe) => selector(pe, { ask: u32, reply: f64 }),
  calls: (pe) => calls(pe, { tell: (rank: number) => rank }),
  "append buffer": (pe) => appendBuffer(pe, 2 ** 16),
  "append buffer, conveyor": (pe) => appendBuffer(pe, 2 ** 16, { transport: "conveyor" }),
  containers: (pe) => containers(pe, { counts: countingMap(u32), values: map(u32, f64) }),
};

export const NAMES: readonly string[] = Object.keys(MAKERS);
const STEP = 128;

/** How often each was made and was refused, and the bytes that were lost by that. */
export type Told = Readonly<Record<string, { made: number; refused: number; lost: number }>>;

/** Bytes of the largest block that every PE can get. */
function roomOf(pe: PE): number {
  let [low, high] = [0, 2 ** 24 / STEP];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fill(pe, middle * STEP)) low = middle;
    else high = middle;
  }
  return low * STEP;
}

/** @returns whether there is room; what was taken is given back, unless it is used by `body` */
function fill(pe: PE, bytes: number, body: () => void = () => {}): boolean {
  let filler: Uint8Array;
  try {
    filler = pe.alloc(Uint8Array, bytes);
  } catch (error) {
    if (error instanceof HeapError) return false;
    throw error;
  }
  body();
  pe.free(filler);
  return true;
}

const program: Spmd<Told> = spmd((pe): Told => {
  const told: Record<string, { made: number; refused: number; lost: number }> = {};
  for (const [name, make] of Object.entries(MAKERS)) {
    let [made, refused] = [0, 0];
    const attempt = () => {
      let isMade = 0;
      try {
        make(pe).free();
        isMade = 1;
      } catch (error) {
        if (!(error instanceof HeapError)) throw error;
      }
      const times = pe.allreduce(isMade, "sum");
      if (times === pe.size) made++;
      else if (times === 0) refused++;
      else throw new Error(`${name}: made at ${times} of ${pe.size} PEs`);
    };
    // what is made once for all
    attempt();
    const before = roomOf(pe);
    // as little room as it can be made in: on the way there it fails at each of its parts
    let [low, high] = [0, 2 ** 19 / STEP];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const hadRefused = refused;
      if (!fill(pe, before - middle * STEP, attempt)) break;
      if (refused > hadRefused) low = middle;
      else high = middle;
    }
    told[name] = { made, refused, lost: before - roomOf(pe) };
  }
  return told;
});
export default program;
