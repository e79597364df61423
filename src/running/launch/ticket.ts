/** Tickets, by which threads that the user starts join a world. */
import type { Trees } from "../../../trees/model/tree.ts";
import type { PEDescriptor } from "../../links/world/layout.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import type { WorldPlan } from "../../plan/document/world-plan.ts";

/** A ticket to join a world as one PE. Send it to the thread that joins; it can be cloned and used once. */
export interface Ticket {
  readonly kind: "tundish/ticket@1";
  /** The rank of the PE. */
  readonly rank: number;
  /** Not for users: the seat that join() takes. */
  readonly contents: unknown;
}

/** The content of a ticket. */
export interface Contents {
  readonly seat: PEDescriptor;
  readonly trees: Trees;
  readonly model: MachineModel;
  readonly plan: WorldPlan;
  /** The state of shield.ts, for threads that were started before the world. */
  readonly shield: Int32Array;
}
