/** What the collectives of a team run on, out of the trees that were generated for it. */
import type { Trees } from "../../trees/types.ts";

/** A broadcast tree, a reduce tree and a barrier over ranks. */
export type CollectivePlan = Pick<Trees, "broadcast" | "reduce" | "barrier">;
