/** A loop in words. */
import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { toldOf } from "./loop.ts";

/**
 * The last loop of this PE in the group: how many iterations, its schedule and chunk, and why. Local.
 *
 *     forEach of 1000 iterations: steal, as nothing is said: chunks that take some 10 us, 16 iterations at last, …
 */
export const explainLoop = (pe: Group): string => toldOf(seatOf(pe, "explainLoop"));
