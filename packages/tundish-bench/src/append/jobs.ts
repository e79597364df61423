/** The jobs of `bench append`: writers that push records of a size into one buffer. Data and names. */

/** Bytes of a record. */
export const SIZES: readonly number[] = [8, 16, 32, 64, 256, 1024, 4096, 16_384, 65_536];
/** Writers of one buffer, on threads. One alone is not its owner; of two, four or eight the owner is one. */
export const WRITERS: readonly number[] = [1, 2, 4, 8];
/** Pushes that are started one after another over nodes, before the PE waits for all. */
export const TOGETHER = 100;

/** The work of each writer in a batch. */
export interface Load {
  readonly bytes: number;
  readonly pushes: number;
}

/** The amount of measurement of one part. */
export interface AppendVolume {
  readonly batches: number;
  /** Bytes of all writers in a batch, unless these are fewer or more pushes than the limits. */
  readonly bytes: number;
  readonly least: number;
  readonly most: number;
}

/** By part: on threads, and over MPI. */
export type AppendPart = "threads" | "mpi";

export const FULL: Readonly<Record<AppendPart, AppendVolume>> = {
  threads: { batches: 11, bytes: 2 ** 22, least: 1, most: 65_536 },
  mpi: { batches: 7, bytes: 2 ** 22, least: TOGETHER, most: 10 * TOGETHER },
};
export const QUICK: Readonly<Record<AppendPart, AppendVolume>> = {
  threads: { batches: 2, bytes: 2 ** 18, least: 1, most: 1024 },
  mpi: { batches: 2, bytes: 2 ** 18, least: TOGETHER, most: 2 * TOGETHER },
};

/** The work of each writer for records of these sizes. */
export const loadsOf = (sizes: readonly number[], writers: number, { bytes: all, least, most }: AppendVolume): Load[] =>
  sizes.map((bytes) => {
    const pushes = Math.min(most, Math.max(least, Math.floor(all / bytes)));
    return { bytes, pushes: Math.max(1, Math.floor(pushes / writers)) };
  });

/** As the C programs take them. */
export const loadsText = (loads: readonly Load[]): string =>
  loads.map(({ bytes, pushes }) => `${bytes}:${pushes}`).join();

/** The C programs have the same names. */
export const whatText = (bytes: number, writers: number, isAlone = false): string =>
  `${bytes} B, ${writers} writer${writers > 1 ? "s" : ""}${isAlone ? ", one at a time" : ""}`;

/** The parts of such a name. */
export function partsOf(what: string): { bytes: number; writers: number; isAlone: boolean } {
  const [, bytes, writers, alone] = /^(\d+) B, (\d+) writers?(, one at a time)?$/.exec(what) as string[];
  return { bytes: Number(bytes), writers: Number(writers), isAlone: alone !== undefined };
}

/** PEs for so many writers on threads, and which of them push; PE 0 is the owner. */
export const pesFor = (writers: number): number => Math.max(2, writers);
export const writersOf = (writers: number): number[] =>
  writers === 1 ? [1] : Array.from({ length: writers }, (_, i) => i);

/** Bytes of the largest batch. */
export const roomFor = (loads: readonly Load[], writers: number): number =>
  Math.max(...loads.map(({ bytes, pushes }) => bytes * pushes * writers));

/**
 * The batches of one way. ns are the time of a batch by pushes and by the PEs, or CPUs if they are fewer, that push.
 */
export interface AppendSamples {
  readonly name: string;
  readonly what: string;
  readonly batch: number;
  readonly samples: readonly number[];
}

/** The answer of a PE; the entries of PE 0 count. */
export interface AppendAnswer {
  readonly bound: boolean;
  readonly entries: readonly AppendSamples[];
}
