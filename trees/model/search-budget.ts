/** The amount of work of a search for trees. */
import type { TreeProblem } from "./tree.ts";

/** Changes of an annealing per millisecond. */
const MOVES_PER_MS = 2500;

/** The default number of changes: an eighth of a second for 20 PEs, a third for 128 and for 256. */
const usualMoves = (size: number): number => Math.min(800_000 + 1500 * size, 1.7e8 / size);

/** The number of changes that the search for one operation tries, or its equivalent for a time budget. */
export function movesOf({ size, moves, budget }: TreeProblem): number {
  return moves ?? (budget === undefined ? usualMoves(size) : budget * MOVES_PER_MS);
}
