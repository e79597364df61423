/** The measurement as `profile` and `start` do it: options handed on, progress shown. */
import type { Profiled, ProfileOptions } from "../../microbench/types.ts";
import type { Topology } from "../machine/types.ts";
import type { Output } from "./output.ts";
import { showProgress } from "./progress.ts";

/** The options that both commands have, as commander gives them. */
export interface MeasureOptions {
  readonly output?: string;
  readonly cpus?: readonly number[];
  readonly rounds?: number;
  readonly budget?: number;
}

/**
 * Measures this machine.
 * @throws what `profile` throws: UsageError for CPUs that cannot be used, among others
 */
export async function measure(
  topology: Topology,
  options: MeasureOptions,
  output: Output,
  signal: AbortSignal,
): Promise<Profiled> {
  const { profile } = await import("../../microbench/profile.ts");
  const progress = await showProgress(output, "profile");
  const profileOptions: ProfileOptions = {
    topology,
    signal,
    onProgress: progress.onProgress,
    ...(options.cpus === undefined ? {} : { cpus: options.cpus }),
    ...(options.rounds === undefined ? {} : { rounds: options.rounds }),
    ...(options.budget === undefined ? {} : { budgetMs: options.budget }),
  };
  try {
    return await profile(profileOptions);
  } finally {
    progress.stop();
  }
}
