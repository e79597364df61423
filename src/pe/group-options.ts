/** The options of groups. */
import type { Trees } from "../../trees/model/tree.ts";

/** Options of a group. */
export interface GroupOptions {
  /** Trees over the ranks in the group; the same at all its PEs. @default the fastest by the machine model */
  readonly trees?: Trees;
}
