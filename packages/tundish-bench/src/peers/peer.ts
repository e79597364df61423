/** The available C libraries, and the options and results of their measurements. */

/** A C program that can be measured, or the reason why it cannot. */
export interface Peer {
  /** `C flags`, `GOMP`, `GOMP, active`, `Open MPI`, `Open MPI, yielding` or `MPICH`. */
  readonly name: string;
  /** Version of gcc or of the MPI, for example `4.1.4`; empty if missing. */
  readonly version: string;
  /** The missing parts and the Debian packages that have them; null if it can be measured. */
  readonly missing: string | null;
  /** The command lines that measure it on these CPUs, without the program's own arguments. */
  commands(cpus: readonly number[]): readonly PeerCommand[];
}

/** One program to run. */
export interface PeerCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** All peers; disposing of them removes the compiled programs. */
export type Peers = readonly Peer[] & AsyncDisposable;

/** The amount of measurement. */
export interface PeerVolume {
  /** Batches per measurement, 1 to 100000; one more runs first and is discarded. */
  readonly batches: number;
  /** Target time of one batch, ms, 0.01 to 10000; the program determines the number of operations. */
  readonly batchMs: number;
  /** A program that runs longer is ended, ms. @default 30 s and 100 times the target time of its batches */
  readonly deadlineMs?: number;
}

/** The batches of one measurement. */
export interface PeerSamples {
  /**
   * `barrier`, `barrier, seq_cst`, `barrier, pthread`, `ping-pong round trip`, `wake-up round trip`; `reduction f64`,
   * `reduction f64[8192]`; `broadcast 8 B`, `broadcast 64 KiB`, `broadcast 64 KiB, written and read`,
   * `broadcast 1 MiB`, `allreduce f64`, `allreduce f64[8192]`; `barrier, 4 PEs` and so on with more PEs than CPUs.
   */
  readonly what: string;
  /** Operations per batch. */
  readonly batch: number;
  /** ns per operation of each batch, by PE 0's clock. */
  readonly samples: readonly number[];
}
