/** How much work a search for trees may take. */
import type { TreeProblem } from "./types.ts";

/** Changes of an annealing in a millisecond. */
const MOVES_PER_MS = 1500;

/** Changes when nothing else is asked for: a fifth of a second for 20 PEs, two thirds for 128, a whole one for 256. */
const usualMoves = (size: number): number => Math.min(300_000 + 4000 * size, 3e8 / size);

/** Changes that the search for one operation tries, or what comes to the same in time. */
export function movesOf({ size, moves, budget }: TreeProblem): number {
  return moves ?? (budget === undefined ? usualMoves(size) : budget * MOVES_PER_MS);
}
