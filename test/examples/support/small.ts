/** How the tests run each example: on input so small that a run takes a few hundredths of a second. */

export interface Small {
  readonly args: readonly string[];
  /** Two sizes, for `--sizes`. */
  readonly sizes: string;
  /** What a run of one size draws; those without a picture draw times by size only. */
  readonly draws: boolean;
  /** Runs on virtual PEs, with these options beside `args`; null where it cannot, such as for real threads of a pool. */
  readonly virtual: readonly string[] | null;
  /** Whether the file itself is a program for mpirun; others have a test of their own. */
  readonly isJob?: false;
}

/** By name: every file of dist/examples has a row. */
export const SMALL: Readonly<Record<string, Small>> = {
  "k-means": { args: ["--size", "1000"], sizes: "300,1000", draws: true, virtual: [] },
  jacobi: {
    args: ["--size", "20", "--sweeps", "30"],
    sizes: "2,20",
    draws: true,
    virtual: ["--size", "300"],
  },
  "matrix-multiply": { args: ["--size", "67"], sizes: "3,70", draws: false, virtual: [] },
  "matrix-kernels": { args: ["--size", "67"], sizes: "3,70", draws: false, virtual: ["--from", "c"] },
  "gradient-descent": {
    args: ["--size", "300", "--steps", "20"],
    sizes: "100,200",
    draws: true,
    virtual: [],
  },
  "image-histogram": { args: ["--size", "5000"], sizes: "1000,5000", draws: true, virtual: [] },
  "piscina-pool": {
    args: ["--size", "100", "--steps", "5"],
    sizes: "50,100",
    draws: true,
    virtual: [],
    isJob: false,
  },
  "word-count": { args: ["--size", "3000"], sizes: "10,3000", draws: true, virtual: [] },
  "page-rank": {
    args: ["--size", "1000"],
    sizes: "100,1000",
    draws: true,
    virtual: ["--exchange", "containers", "--max-rounds", "2"],
  },
  "sample-sort": {
    args: ["--size", "2000"],
    sizes: "10,1000",
    draws: true,
    virtual: ["--exchange", "conveyor"],
  },
};
