/**
 * The jobs of `bench mpi`: collectives, exchanges of items and of parts, on nodes with some PEs each. Data and names.
 */

import type { LoopKind } from "../../../../microbench/conveyors/job.ts";
import { SIZES, type Size } from "../../../../microbench/conveyors/payloads.ts";
import type { LoopSchedule } from "../../../../src/loop.ts";
import type { DisciplineName } from "../../../../src/route/disciplines/options.ts";
import type { BatchVolume } from "../../../../src/running/contest/batches.ts";

/** Nodes, and PEs on each. */
export interface Layout {
  readonly nodes: number;
  readonly pes: number;
}

/** Two nodes: the smallest number, and possible on one machine. */
export const LAYOUTS: readonly Layout[] = [
  { nodes: 2, pes: 1 },
  { nodes: 2, pes: 2 },
];

/** The job of a process. */
export type MpiJob =
  | { readonly kind: "collectives"; readonly volume: BatchVolume }
  | {
      readonly kind: "exchange";
      readonly size: Size;
      readonly loads: readonly number[];
      readonly volume: BatchVolume;
    }
  /** Uneven iterations, under each schedule: ours alone. */
  | { readonly kind: "loops"; readonly quick: boolean; readonly volume: BatchVolume }
  /** Bytes of the equal parts that each PE has for each. */
  | { readonly kind: "parts"; readonly parts: readonly number[]; readonly volume: BatchVolume };

/** The parts, by their names on the command line. */
export type MpiPart = MpiJob["kind"];

/** The arrays of collectives, bytes. */
export const ARRAYS: Readonly<Record<string, number>> = {
  "8 B": 8,
  "1 KiB": 1024,
  "64 KiB": 65_536,
  "1 MiB": 1_048_576,
};

/** In this order; the C program has the same names. */
export const COLLECTIVES: readonly string[] = [
  "barrier",
  "broadcast of a number",
  "allreduce of a number",
  ...Object.keys(ARRAYS).flatMap((size) => [`broadcast, ${size}`, `allreduce, ${size}`]),
];

/** How our PEs exchange items. */
export interface ExchangeVariant {
  /** Its name in the results. */
  readonly name: string;
  readonly way: LoopKind;
  /** One session for many exchanges, without waiting for one before the next; otherwise a session for each. */
  readonly streams: boolean;
}

export const WAYS: readonly ExchangeVariant[] = [
  { name: "tundish, item-wise", way: "item-wise", streams: false },
  { name: "tundish, pushAll", way: "batch-wise", streams: false },
  { name: "tundish, item-wise, streamed", way: "item-wise", streams: true },
  { name: "tundish, pushAll, streamed", way: "batch-wise", streams: true },
];

/** The disciplines of our exchanges of parts. */
export const PARTS_UNDER: readonly DisciplineName[] = ["eager", "cyclic-shift", "barrier", "token"];

/** Schedules of loops over nodes: the first leaves each node what it has at first. */
export const SCHEDULES: readonly LoopSchedule[] = ["static", "dynamic", "guided", "steal", "auto"];

/** The amount of measurement. */
export interface MpiVolume {
  readonly collectives: BatchVolume;
  readonly exchange: BatchVolume;
  readonly parts: BatchVolume;
  readonly loops: BatchVolume;
  readonly sizes: readonly Size[];
  /** Items per pair of PEs. */
  readonly loads: readonly number[];
  /** Bytes per pair of PEs. */
  readonly partBytes: readonly number[];
}

export const FULL: MpiVolume = {
  collectives: { batches: 15, batchMs: 4 },
  exchange: { batches: 7, batchMs: 5 },
  parts: { batches: 5, batchMs: 20 },
  loops: { batches: 7, batchMs: 100 },
  sizes: SIZES,
  loads: [1, 10, 100, 1000, 10_000, 100_000, 1_000_000],
  partBytes: [2 ** 12, 2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20, 2 ** 22],
};
export const QUICK: MpiVolume = {
  collectives: { batches: 3, batchMs: 0.4 },
  exchange: { batches: 3, batchMs: 0.4 },
  parts: { batches: 3, batchMs: 0.4 },
  loops: { batches: 3, batchMs: 0.4 },
  sizes: [8],
  loads: [1, 100, 1000],
  partBytes: [2 ** 12, 2 ** 16],
};

/**
 * Largest number of bytes that a PE sends in an exchange: MPI programs that sort them first have three copies in
 * memory.
 */
const MOST_BYTES = 2 ** 28;

/** The loads below that limit. */
export const loadsOf = ({ nodes, pes }: Layout, size: Size, { loads }: MpiVolume): number[] =>
  loads.filter((load) => load * nodes * pes * size <= MOST_BYTES);

/** `2 x 1` */
export const layoutText = ({ nodes, pes }: Layout): string => `${nodes} x ${pes}`;

/** The C program has the same names. */
export const exchangeText = (size: Size, load: number): string => `${size} B, ${load} per pair`;

export const loopText = (schedule: LoopSchedule): string => `triangle, ${schedule}`;

/** The C program has the same names. */
export const partsText = (bytes: number): string => `parts of ${bytes} B`;
