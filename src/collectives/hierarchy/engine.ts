/** The common ground of the calls of a group over nodes, each part made once: as calls/engine.ts for a team. */
import type { Task } from "../../ground/wait/task.ts";
import type { CallEngine } from "../calls/engine.ts";
import { ArrayExecutor } from "./array-executor.ts";
import type { Hierarchy } from "./hierarchy.ts";
import { ScalarExecutor } from "./scalar-executor.ts";

/** One PE's, of one group. */
export class HierarchyEngine {
  readonly hierarchy: Hierarchy;
  /** Of this PE's subgroup. */
  readonly within: CallEngine;
  readonly scalars: ScalarExecutor;
  readonly arrays: ArrayExecutor;

  constructor(hierarchy: Hierarchy, within: CallEngine) {
    this.hierarchy = hierarchy;
    this.within = within;
    this.scalars = new ScalarExecutor(within, hierarchy);
    this.arrays = new ArrayExecutor(hierarchy);
  }

  /** A task by the MPI library: the first one makes the group's communicator before. */
  byMpi(begin: () => Task<unknown>): Task<unknown> {
    return this.hierarchy.mpi.isMade ? begin() : this.#makingMpi(begin);
  }

  *#makingMpi(begin: () => Task<unknown>): Task<unknown> {
    const { mpi, schedules } = this.hierarchy;
    mpi.know(yield* this.scalars.begin(schedules.making, 0, Math.max));
    return yield* begin();
  }
}
