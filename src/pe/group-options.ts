/** The options of groups, and the checks of what they are made of. */
import type { Trees } from "../../trees/model/tree.ts";
import { type OptionField, optionsOf, unchecked } from "../ground/base/options.ts";

/** Options of a group. */
export interface GroupOptions {
  /** Trees over the ranks in the group; the same at all its PEs. @default the fastest by the machine model */
  readonly trees?: Trees;
}

// with the number of ranks: checkTrees
export const GROUP: OptionField = optionsOf<GroupOptions>({ trees: unchecked });
