/** The cases of `bench traffic --measure`: patterns with blocks of a size, and what a plan is told of one. */
import type { ExchangeLoad } from "../../../../src/route/disciplines/options.ts";
import { blocksOf, PATTERNS, type PatternName, type TrafficBlock } from "./patterns.ts";

/** The input of a plan: all of it. */
export type TrafficLoad = { readonly [Key in keyof ExchangeLoad]-?: number };

/** One pattern with blocks of one size. */
export interface MeasuredTraffic {
  readonly pattern: PatternName;
  readonly blockBytes: number;
  /** Blocks of each PE. */
  readonly blocks: number;
}

const SIZES = [2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20];
const QUICK_SIZES = [2 ** 14];
/** Bytes that a PE sends in a phase, about; not too many blocks, and enough of large ones for a pattern. */
const PE_BYTES = 2 ** 21;
const MOST_BLOCKS = 32;
const LEAST_BLOCKS = 4;

/** Every pattern with every size. */
export function measuredTraffic(
  patterns: readonly PatternName[] = PATTERNS,
  sizes: readonly number[] | undefined = undefined,
  isQuick = false,
): MeasuredTraffic[] {
  const wanted = sizes ?? (isQuick ? QUICK_SIZES : SIZES);
  return patterns.flatMap((pattern) =>
    wanted.map((blockBytes) => ({
      pattern,
      blockBytes,
      blocks: isQuick ? LEAST_BLOCKS : blocksFor(blockBytes),
    })),
  );
}

const blocksFor = (blockBytes: number): number =>
  Math.max(LEAST_BLOCKS, Math.min(MOST_BLOCKS, Math.round(PE_BYTES / blockBytes)));

/** The sends of each PE, by rank: the same in every run. */
export const listsOf = ({ pattern, blocks, blockBytes }: MeasuredTraffic, pes: number): TrafficBlock[][] =>
  Array.from({ length: pes }, (_, pe) => blocksOf(pattern, { pes, blocks, blockBytes, seed: 1 }, pe));

/** Bytes that each PE gets, by rank. */
export function receivedBytes(lists: readonly (readonly TrafficBlock[])[]): Float64Array {
  const received = new Float64Array(lists.length);
  for (const { dest, bytes } of lists.flat()) received[dest] += bytes;
  return received;
}

/** The input of a plan for these lists: means, and the most PEs that one sends to. */
export function loadOf(lists: readonly (readonly TrafficBlock[])[]): TrafficLoad {
  const received = receivedBytes(lists);
  const sum = received.reduce((a, b) => a + b, 0);
  const mean = sum / lists.length;
  return {
    bytes: Math.round(mean),
    blockBytes: Math.round(sum / lists.flat().length),
    destinations: Math.max(...lists.map((list) => new Set(list.map(({ dest }) => dest)).size)),
    skew: Math.max(...received) / mean,
  };
}
