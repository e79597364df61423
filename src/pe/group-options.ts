/** The options of groups. */
import type { Trees } from "../../trees/model/tree.ts";

/** Options of a group. */
export interface GroupOptions {
  /**
   * Trees over the ranks in the group; the same at all its PEs. @default those that the machine model predicts to be
   * fastest
   */
  readonly trees?: Trees;
}
