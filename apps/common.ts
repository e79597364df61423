/** Common parts of histogram and index-gather: options, random numbers, and the report line. */
import type { PE, Spmd } from "tundish";
import type { ConveyorOptions, ConveyorType } from "tundish/conveyor";
import { CONVEYOR_OPTIONS, conveyorOptions, flag, program, read, whole } from "./options.ts";

/** The options of a program; defaults are in {@link settings}. */
export interface Settings {
  /** Items of all PEs together, and elements of the whole table. */
  readonly items: number;
  readonly table: number;
  readonly seed: number;
  /** Whether one result is falsified before the check, to show that the check fails. */
  readonly spoil: boolean;
  readonly conveyor: ConveyorOptions;
}

/** The report of a program: one line of `tundish run`, or one object of its JSON. It also has the options of conveyors that were given. */
export interface Report extends Omit<ConveyorOptions, "type" | "hops"> {
  readonly app: string;
  readonly pes: number;
  readonly table: number;
  readonly items: number;
  readonly type: ConveyorType;
  /** Those of a mesh are its dimensions. */
  readonly hops: number;
  readonly seconds: number;
  readonly itemsPerSecond: number;
  /** 1e9 bytes of items pushed per second, at all PEs. */
  readonly gigabytesPerSecond: number;
  /** Checksum of the result; the same for any number of PEs and any conveyor. */
  readonly checksum: number;
  readonly errors: number;
}

const OPTIONS = {
  items: whole(1_000_000, 0, 2 ** 32),
  table: whole(40_000, 1, 2 ** 31 - 1),
  seed: whole(1, 0, 2 ** 32),
  ...CONVEYOR_OPTIONS,
  spoil: flag,
};

/** A program with these settings. @param name of its file, without the ending */
export const tableApp = (name: string, main: (pe: PE, told: Settings) => Report | undefined): Spmd =>
  program(name, OPTIONS, (pe, args) => main(pe, settings(args)));

/** Reads a command line. @throws ArgumentsError */
function settings(args: readonly string[] | undefined): Settings {
  const values = read(args, OPTIONS);
  const { items, table, seed, spoil } = values;
  const given = conveyorOptions(values);
  // a mesh determines the hops
  const usual: ConveyorOptions = given.mesh === undefined ? { type: "tensor", hops: 1 } : { type: "tensor" };
  return { items, table, seed, spoil, conveyor: { ...usual, ...given } };
}

/**
 * Random number number `index` of the stream of a seed, a whole number below `limit`: the same at every PE, so a result
 * does not depend on the number of PEs.
 *
 * Source: mulberry32, whose state is a counter, so that any index can be computed directly. It repeats after 2^32.
 */
export function randomBelow(limit: number, seed: number, index: number): number {
  const state = (seed + Math.imul(index + 1, 0x6d2b79f5)) | 0;
  let z = Math.imul(state ^ (state >>> 15), state | 1);
  z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
  return Math.floor((((z ^ (z >>> 14)) >>> 0) / 2 ** 32) * limit);
}

/** The block of items of one PE. */
export function share(items: number, pe: PE): readonly [first: number, end: number] {
  return [Math.floor((items * pe.rank) / pe.size), Math.floor((items * (pe.rank + 1)) / pe.size)];
}

/** Elements of the table at one PE, which has every P-th: element i is at PE i mod P, there number floor(i / P). */
export const owned = (table: number, pe: PE): number => Math.max(0, Math.ceil((table - pe.rank) / pe.size));

/** One PE's part of a {@link Report}. */
export interface AppPart {
  readonly app: string;
  /** Bytes pushed per item, of its query and its reply together. */
  readonly itemBytes: number;
  readonly seconds: number;
  readonly checksum: number;
  readonly errors: number;
}

/**
 * Combines the parts; PE 0 gets the report.
 * @throws Error if there were errors
 */
export function report(pe: PE, { items, table, conveyor }: Settings, part: AppPart): Report | undefined {
  const { app, itemBytes } = part;
  const seconds = pe.allreduce(part.seconds, "max");
  const checksum = pe.allreduce(part.checksum, "sum") % 2 ** 32;
  const errors = pe.allreduce(part.errors, "sum");
  if (errors > 0) throw new Error(`${app}: errors = ${errors}, of ${items} items, at ${pe.size} PEs`);
  if (pe.rank > 0) return undefined;
  const { type = "tensor", mesh, hops = mesh?.filter((length) => length > 1).length, ...others } = conveyor;
  return {
    app,
    pes: pe.size,
    table,
    items,
    type,
    hops: hops || 1,
    ...(mesh && { mesh }),
    ...others,
    seconds: Number(seconds.toFixed(4)),
    itemsPerSecond: Math.round(items / seconds),
    gigabytesPerSecond: Number(((items * itemBytes) / seconds / 1e9).toFixed(4)),
    checksum,
    errors,
  };
}
