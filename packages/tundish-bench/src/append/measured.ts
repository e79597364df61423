/** Options and results of `bench append`. */
import type { Measured, Missing } from "../../../../microbench/pairs/profiled.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import type { TurnsMade } from "../../../../microbench/turns/turns.ts";
import type { MpiName } from "../mpi/starter.ts";
import type { AppendPart } from "./jobs.ts";

export interface AppendBenchOptions extends Omit<BenchOptions, "machine" | "channel" | "mode"> {
  /** @default both */
  readonly only?: AppendPart | undefined;
  /** Of the nodes. @default those that are there */
  readonly mpi?: MpiName | undefined;
  /** Of the nodes: only messages by TCP, Open MPI. @default shared memory, and TCP where it is Open MPI */
  readonly tcp?: boolean | undefined;
  /** Bytes of a push. @default those of jobs.ts */
  readonly sizes?: readonly number[] | undefined;
  /** On threads: writers of one buffer. @default 1, 2, 4 and 8 */
  readonly writers?: readonly number[] | undefined;
  /** Its `PATH` names the folders of compilers and launchers. @default that of the process */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** One measurement. ns: the time of a batch by pushes and by the CPUs that push; for one at a time by pushes. */
export interface AppendMeasured extends Measured {
  /** `threads`, or the MPI: `Open MPI`, `Open MPI, TCP`, `MPICH`. */
  readonly where: string;
  readonly bytes: number;
  /** PEs that push into one buffer; over nodes each into that of another. */
  readonly writers: number;
  /** While no other one pushes, one writer after the other. */
  readonly isAlone: boolean;
}

export interface AppendBench extends Omit<TurnsMade, "complete"> {
  readonly cpus: readonly number[];
  /** Whether our PEs could be bound to CPUs. */
  readonly pinned: boolean;
  /** Whether the machine was in one mode for a turn of every program. */
  readonly stable: boolean;
  readonly measured: readonly AppendMeasured[];
  /** Programs that could not be measured, and the reasons. */
  readonly missing: readonly Missing[];
  /** Of the compiler and of each MPI, where they are there. */
  readonly versions: Readonly<Record<string, string>>;
}
