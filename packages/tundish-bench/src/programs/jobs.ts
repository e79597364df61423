/** The cases of `bench programs`: data. */
import { bfs } from "./bfs.ts";
import { searchByConveyor } from "./bfs-by-conveyor.ts";
import { kMeans } from "./k-means.ts";
import { pagerank } from "./pagerank.ts";
import { rankByConveyor } from "./pagerank-by-conveyor.ts";
import type { Program } from "./program.ts";
import { sampleSort } from "./sample-sort.ts";
import { wordCount } from "./word-count.ts";

export type ProgramName = "PageRank" | "word count" | "breadth-first search" | "k-means" | "sample sort";

export const PROGRAMS: Readonly<Record<ProgramName, Program>> = {
  PageRank: { ...pagerank, byConveyor: rankByConveyor },
  "word count": wordCount,
  "breadth-first search": { ...bfs, byConveyor: searchByConveyor },
  "k-means": kMeans,
  "sample sort": sampleSort,
};

/** A job for a fresh process; without a program its PEs return at once. */
export type ProgramJob =
  | { readonly kind: "launch" }
  | {
      readonly kind: "alone" | "together" | "byConveyor";
      readonly name: ProgramName;
      readonly size: number;
      /** Time between the first run and the later ones, ms, and number of these. */
      readonly warmMs: number;
      readonly runs: number;
    };

/** The amount of measurement. */
export interface ProgramVolume {
  readonly sizes: Readonly<Record<ProgramName, number>>;
  readonly warmMs: number;
  readonly runs: number;
}

/** Edges, words, points or numbers of a program. */
const UNITS: Readonly<Record<ProgramName, string>> = {
  PageRank: "edges",
  "word count": "words",
  "breadth-first search": "edges",
  "k-means": "points",
  "sample sort": "numbers",
};

export const FULL: ProgramVolume = {
  sizes: {
    PageRank: 2e6,
    "word count": 3e6,
    "breadth-first search": 1e6,
    "k-means": 2e5,
    "sample sort": 4e6,
  },
  warmMs: 500,
  runs: 5,
};
export const QUICK: ProgramVolume = {
  sizes: {
    PageRank: 2000,
    "word count": 3000,
    "breadth-first search": 1000,
    "k-means": 200,
    "sample sort": 4000,
  },
  warmMs: 0,
  runs: 2,
};

/** The names with their sizes. */
export const sizesOf = ({ sizes }: ProgramVolume): [ProgramName, number][] =>
  Object.entries(sizes) as [ProgramName, number][];

/** `PageRank, 2000000 edges` */
export const titleOf = (name: ProgramName, size: number): string => `${name}, ${size} ${UNITS[name]}`;
