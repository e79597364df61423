/** The measurements of `profile` and `start`: passes options on and shows progress. */
import type { Profiled, ProfileOptions } from "../../../../microbench/pairs/profiled.ts";
import type { ChannelKind } from "../../../ground/base/channel-kinds.ts";
import type { Internode } from "../../../machine/model/internode.ts";
import type { Topology } from "../../../machine/model/machine-model.ts";
import type { Mpi } from "../../../machine/mpi/mpi.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";

/** The common options of both commands, as parsed by commander. */
export interface MeasureOptions {
  readonly output?: string;
  readonly cpus?: readonly number[];
  readonly channel?: ChannelKind;
  readonly rounds?: number;
  readonly budget?: number;
}

/** Measures this machine. @throws what `profile` throws, for example UsageError for CPUs that cannot be used */
export async function measure(
  topology: Topology,
  options: MeasureOptions,
  output: CommandOutput,
  signal: AbortSignal,
): Promise<Profiled> {
  const { profile } = await import("../../../../microbench/profile.ts");
  const progress = showProgress(output, "profile");
  const profileOptions: ProfileOptions = {
    topology,
    signal,
    onProgress: progress.onProgress,
    ...(options.cpus === undefined ? {} : { cpus: options.cpus }),
    ...(options.channel === undefined ? {} : { channel: options.channel }),
    ...(options.rounds === undefined ? {} : { rounds: options.rounds }),
    ...(options.budget === undefined ? {} : { budgetMs: options.budget }),
  };
  try {
    return await profile(profileOptions);
  } finally {
    progress.stop();
  }
}

/** Measures between the nodes of a job; all its processes call it. @throws those of `profile` and `measureInternode` */
export async function measureBetween(
  mpi: Mpi,
  topology: Topology,
  options: MeasureOptions,
  output: CommandOutput,
  signal: AbortSignal,
): Promise<Internode> {
  const { chooseCpus } = await import("../../../../microbench/profile.ts");
  const { measureInternode } = await import("../../../../microbench/internode/internode.ts");
  const cpus = chooseCpus(topology, options.cpus).map(({ cpu }) => cpu);
  const progress = mpi.rank === 0 ? showProgress(output, "between nodes") : null;
  try {
    const { internode, notes } = await measureInternode(mpi, {
      topology,
      cpus,
      signal,
      budgetMs: options.budget,
      ...(progress && { onProgress: progress.onProgress }),
    });
    for (const note of notes) output.note(`note: ${note}`);
    return internode;
  } finally {
    progress?.stop();
  }
}
