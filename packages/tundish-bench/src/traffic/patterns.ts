/**
 * Who sends how much to whom: the patterns of Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer
 * Performance", and what it leaves open.
 */
import { randomNumbers } from "../../../../src/ground/base/random.ts";

/** A block of one PE. */
export interface TrafficBlock {
  readonly dest: number;
  readonly bytes: number;
}

/** The sizes of a pattern. */
export interface PatternSize {
  readonly pes: number;
  /** Blocks of each PE. */
  readonly blocks: number;
  readonly blockBytes: number;
  readonly seed: number;
}

/** The block of a PE with a number from 0 on. @param random a number from 0 to 1 */
type BlockOf = (size: PatternSize, pe: number, number: number, random: () => number) => TrafficBlock;

/** Share of the blocks of a hot spot that are for it, of 4 nodes and more. */
const HOT = 0.25;

const below = (random: () => number, most: number): number => Math.floor(random() * most);

/** A PE other than the own one. */
const another = (pe: number, pes: number, random: () => number): number =>
  pes === 1 ? 0 : (pe + 1 + below(random, pes - 1)) % pes;

/** To all others in turn, beginning with the next one. */
const inTurn = (pe: number, number: number, pes: number): number =>
  pes === 1 ? 0 : (pe + 1 + (number % (pes - 1))) % pes;

/** The PEs as a grid, as square as possible; the columns. */
function columnsOf(pes: number): number {
  let columns = Math.ceil(Math.sqrt(pes));
  while (pes % columns !== 0) columns++;
  return columns;
}

/** A neighbour in a grid whose ends meet, each in turn. */
function neighbourOf(pe: number, pes: number, number: number): number {
  const columns = columnsOf(pes);
  const rows = pes / columns;
  const [x, y] = [pe % columns, Math.floor(pe / columns)];
  const sides = [
    [1, 0],
    [0, 1],
    [columns - 1, 0],
    [0, rows - 1],
  ];
  const neighbours = sides
    .map(([dx, dy]) => ((y + dy) % rows) * columns + ((x + dx) % columns))
    .filter((dest) => dest !== pe);
  return neighbours[number % Math.max(1, neighbours.length)] ?? pe;
}

export type PatternName =
  | "all pairs"
  | "random"
  | "transpose"
  | "hot spot"
  | "permutation"
  | "stencil"
  | "unequal sizes";

const PATTERN: Readonly<Record<PatternName, BlockOf>> = {
  /** To each other PE equally often, the next one first: cyclic shifts, if all keep in step. */
  "all pairs": ({ pes, blockBytes }, pe, number) => ({ dest: inTurn(pe, number, pes), bytes: blockBytes }),
  /** To PEs drawn for each block. */
  random: ({ pes, blockBytes }, pe, _, random) => ({ dest: another(pe, pes, random), bytes: blockBytes }),
  /**
   * The transpose of a matrix by columns: to each other PE equally often, and all in the same order: 0, 1, 2 and so on.
   */
  transpose: ({ pes, blockBytes }, pe, number) => {
    const dest = pes === 1 ? 0 : number % (pes - 1);
    return { dest: dest >= pe && pes > 1 ? dest + 1 : dest, bytes: blockBytes };
  },
  /** As random, but a quarter of all blocks is for PE 0. */
  "hot spot": ({ pes, blockBytes }, pe, _, random) => ({
    dest: pe !== 0 && random() < HOT ? 0 : another(pe, pes, random),
    bytes: blockBytes,
  }),
  /** All blocks of PE i to PE i + 1. */
  permutation: ({ pes, blockBytes }, pe) => ({ dest: (pe + 1) % pes, bytes: blockBytes }),
  /** To the neighbours in a grid. */
  stencil: ({ pes, blockBytes }, pe, number) => ({
    dest: neighbourOf(pe, pes, number),
    bytes: blockBytes,
  }),
  /** To all others in turn, blocks of 1 byte up to twice the size. */
  "unequal sizes": ({ pes, blockBytes }, pe, number, random) => ({
    dest: inTurn(pe, number, pes),
    bytes: 1 + below(random, 2 * blockBytes),
  }),
};

export const PATTERNS: readonly PatternName[] = Object.keys(PATTERN) as PatternName[];

/** The sends of a PE, in order: the same for the same seed. */
export function blocksOf(pattern: PatternName, size: PatternSize, pe: number): TrafficBlock[] {
  const random = randomNumbers(size.seed * 65_537 + pe);
  const blockOf = PATTERN[pattern];
  return Array.from({ length: size.blocks }, (_, number) => blockOf(size, pe, number, random));
}
