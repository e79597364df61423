/** How much work a search for trees may take. */
import type { TreeProblem } from "./types.ts";

/** Changes of an annealing in a millisecond. */
const MOVES_PER_MS = 1500;

/** Changes when nothing else is asked for: a third of a second for 128 PEs, and no more than a second for more. */
const usualMoves = (size: number): number => Math.min(40_000 + 3000 * size, 2.4e8 / size);

/** Changes that the search for one operation tries, or what comes to the same in time. */
export function movesOf({ size, moves, budget }: TreeProblem): number {
  return moves ?? (budget === undefined ? usualMoves(size) : budget * MOVES_PER_MS);
}
