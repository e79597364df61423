/** How much work a search for trees may take. */
import type { TreeProblem } from "./types.ts";

/** Changes of an annealing in a millisecond. */
const MOVES_PER_MS = 2500;

/** Changes when nothing else is asked for: an eighth of a second for 20 PEs, a third for 128 and for 256. */
const usualMoves = (size: number): number => Math.min(800_000 + 1500 * size, 1.7e8 / size);

/** Changes that the search for one operation tries, or what comes to the same in time. */
export function movesOf({ size, moves, budget }: TreeProblem): number {
  return moves ?? (budget === undefined ? usualMoves(size) : budget * MOVES_PER_MS);
}
