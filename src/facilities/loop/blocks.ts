/**
 * Fixed blocks of a loop: their number and limits depend on the iterations alone, not on the PEs. What is combined in
 * each of them, and then of them in order, has the same bits however many PEs there are, and whoever runs which block.
 */
import { claiming, type RunClaim } from "./bodies.ts";
import { FIXED_BLOCKS } from "./chunks/layout.ts";

/** How many for so many iterations; none is empty. */
export const blocksOf = (count: number): number => Math.min(count, FIXED_BLOCKS);

/** Blocks that are taken at once where the program asks for so many iterations. */
export const chunkOf = (chunk: number | undefined, blocks: number, count: number): number | undefined =>
  chunk === undefined || count === 0 ? undefined : Math.max(1, Math.round((chunk * blocks) / count));

/** The first iteration of block b of `blocks`; that of the next one is its end. */
export const startOf = (b: number, blocks: number, count: number): number => Math.floor((b * count) / blocks);

/** The iterations of a claim of blocks. */
export function iterationsIn(blocks: number, count: number): (...claim: Parameters<RunClaim>) => number {
  let sum = 0;
  const add = claiming((begin, some) => {
    sum += startOf(begin + some, blocks, count) - startOf(begin, blocks, count);
  });
  return (...claim) => {
    sum = 0;
    add(...claim);
    return sum;
  };
}
