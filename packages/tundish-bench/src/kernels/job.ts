/** The jobs of `bench kernels`. */

/** A matrix product of n x n numbers by a kernel. */
export interface KernelJob {
  /** URL of the kernel. */
  readonly file: string;
  /** A multiple of 4. */
  readonly n: number;
  /** Runs that count, after as many others as in C. */
  readonly runs: number;
}

/** The answer of each PE. */
export interface KernelAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  /** ns of the first run, in which V8 goes over from its quick code, and of those that count. */
  readonly first: number;
  readonly times: readonly number[];
}

/** Runs that do not count, as in peers/c/matrix-omp.c. */
export const DROPPED = 2;

/** The amount of measurement. */
export type KernelVolume = Omit<KernelJob, "file">;

export const FULL: KernelVolume = { n: 1024, runs: 5 };
export const QUICK: KernelVolume = { n: 140, runs: 2 };

/** `matrix product, 1024 x 1024 f64` */
export const titleOf = (n: number): string => `matrix product, ${n} x ${n} f64`;
