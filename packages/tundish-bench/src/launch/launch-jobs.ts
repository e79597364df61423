/** The cases of `bench launch`: data. */

/** A computation whose input each thread makes for its own share. */
export type WorkName = "sum" | "k-means";

/** Work of a size: terms or points. */
export interface Work {
  readonly name: WorkName;
  readonly size: number;
}

/** The amount of measurement. */
export interface LaunchVolume {
  readonly sizes: Readonly<Record<WorkName, readonly number[]>>;
  /** Runs of each process: the first one, and later ones. */
  readonly runs: number;
  /** Runs in an open world whose PEs return at once. */
  readonly openRuns: number;
}

export const FULL: LaunchVolume = {
  sizes: { sum: [1e6, 3e6, 1e7, 3e7, 1e8, 3e8], "k-means": [1e4, 3e4, 1e5, 3e5, 1e6] },
  runs: 4,
  openRuns: 1000,
};
export const QUICK: LaunchVolume = {
  sizes: { sum: [1000, 3000], "k-means": [100, 300] },
  runs: 2,
  openRuns: 20,
};

const UNITS: Readonly<Record<WorkName, string>> = { sum: "terms", "k-means": "points" };

/** Number of something: `1000 terms`. */
export const sizeText = ({ name, size }: Work): string => `${size} ${UNITS[name]}`;

/** The operations of a work: its first run in a process, later ones, and those beside later ones in an open world. */
export const whatsOf = (work: Work): [first: string, later: string, open: string] => [
  `${work.name}, ${sizeText(work)}, first`,
  `${work.name}, ${sizeText(work)}, later`,
  `${work.name}, ${sizeText(work)}, open world`,
];
