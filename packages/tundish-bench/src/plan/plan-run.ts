/** One session of a conveyor in the simulator, timed in virtual time: items for PEs that are drawn at random. */
import { TimeoutError } from "../../../../src/ground/base/errors.ts";
import { bytes } from "../../../../src/ground/item/item-type.ts";
import { memoryOf } from "../../../../src/plan/model/candidates.ts";
import { type Candidate, optionsFor } from "../../../../src/plan/model/cost-model.ts";
import { simulate } from "../../../../src/running/simulate/simulate.ts";
import type { PlanCase } from "./plan-cases.ts";

const MOST_MEMORY = 2 ** 30;

/**
 * Virtual time of a session, ns.
 * @param limit gives up after this time and returns Infinity
 */
export function timeOf({ options, itemBytes, load }: PlanCase, choice: Candidate, limit = 1e11): number {
  const item = bytes(itemBytes);
  // as little as possible: allocating a large memory is slow
  const memoryBytes = Math.max(65536, Math.min(MOST_MEMORY, options.pes * memoryOf(choice, options.pes)));
  try {
    return simulate({ ...options, memoryBytes, timeout: limit / 1e6 }, function* (pe) {
      const c = pe.conveyor(item, optionsFor(choice));
      const dests = Uint32Array.from({ length: load }, () => Math.floor(pe.random() * pe.size));
      const column = new Uint8Array(load * itemBytes);
      yield* c.begin();
      for (let i = 0; yield* c.advance(i === load); ) {
        i = c.pushAll(dests, column, i);
        while (c.pullAll() !== null);
      }
      yield* c.reset();
    }).time;
  } catch (error) {
    if (error instanceof TimeoutError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
