/**
 * `tundish bench collectives`, `conveyors`, `programs`, `containers`, `kernels`, `loops`, `shared`, `launch` and
 * `crossovers`: compare Tundish with other programs, and its algorithms with each other.
 */

import type { BenchOptions } from "../../../../../microbench/turns/options.ts";
import type { ChannelKind } from "../../../../../src/ground/base/channel-kinds.ts";
import { type ExitCode, NOISY, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { checkFile } from "../../../../../src/interface/cli/terminal/files.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import { findModel } from "../../../../../src/interface/cli/terminal/model.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { showProgress } from "../../../../../src/interface/cli/terminal/progress.ts";
import { writeMachine } from "../../../../../src/machine/model/model.ts";
import type { CrossoverOptions } from "../../collectives/crossovers.ts";
import type { LoopPart } from "../../loops/names.ts";
import type { PartBench } from "../../turns/part.ts";
import { printCold, printMixed } from "../text/bench-cold-text.ts";
import { printConveyors } from "../text/bench-conveyors-text.ts";
import { printPrograms } from "../text/bench-programs-text.ts";
import { printCollectives } from "../text/bench-text.ts";
import { printContainers } from "../text/containers-text.ts";
import { printCrossovers } from "../text/crossovers-text.ts";
import { printKernels } from "../text/kernels-text.ts";
import { printLaunch } from "../text/launch-text.ts";
import { printLoops } from "../text/loops/loops-text.ts";
import { printShared } from "../text/shared-text.ts";

/** The common options of these benchmarks, as parsed by commander. */
export interface CommonBenchOptions {
  readonly machine?: string;
  readonly turns?: number;
  readonly budget?: number;
  readonly quick?: boolean;
}

/** The options of `bench collectives`, `conveyors`, `programs`, `containers`, `loops` and `launch`. */
export interface BenchOthersOptions extends CommonBenchOptions {
  readonly cpus?: readonly number[];
  readonly mode?: number;
}

/** The options of `bench collectives`. */
export interface BenchCollectivesOptions extends BenchOthersOptions {
  readonly channel?: ChannelKind;
}

/** The options of `bench conveyors`: one part at most. */
export interface BenchConveyorsOptions extends BenchOthersOptions {
  readonly mixed?: boolean;
  readonly cold?: boolean;
}

/** The options of `bench crossovers`. */
export interface BenchCrossoversOptions extends CommonBenchOptions {
  readonly output?: string;
}

/**
 * Measures and prints; returns {@link NOISY} if the machine did not stay in one mode. Missed targets do not affect the
 * exit code.
 * @throws what `benchCollectives` throws, and ModelError for `machine`
 */
export async function benchCollectivesCommand(
  options: BenchCollectivesOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const { benchCollectives } = await import("../../collectives/bench-collectives.ts");
  const { channel } = options;
  const benchOptions = { ...(await besideOthers(options, output)), ...(channel && { channel }) };
  const bench = await withProgress("bench", output, (onProgress) => benchCollectives({ ...benchOptions, onProgress }));
  if (output.json) {
    output.document({ schema: "tundish/bench-collectives@1", node: process.versions.node, ...bench });
  } else {
    printCollectives(bench, output);
  }
  return verdict(bench.stable, options, output);
}

/**
 * The same for conveyors, or for a part of what there is to measure of them.
 * @throws what `benchConveyors` throws, and ModelError for `machine`
 */
export async function benchConveyorsCommand(options: BenchConveyorsOptions, output: CommandOutput): Promise<ExitCode> {
  const { bench, print } = await conveyorsPart(options);
  const benchOptions = await besideOthers(options, output);
  const result = await withProgress("bench", output, (onProgress) => bench({ ...benchOptions, onProgress }));
  if (output.json) {
    output.document({ schema: "tundish/bench-conveyors@1", node: process.versions.node, ...result });
  } else {
    print(result, output);
  }
  return verdict(result.stable, options, output);
}

/**
 * The same for whole programs.
 * @throws what `benchPrograms` throws, and ModelError for `machine`
 */
export async function benchProgramsCommand(options: BenchOthersOptions, output: CommandOutput): Promise<ExitCode> {
  const { benchPrograms } = await import("../../programs/bench-programs.ts");
  const benchOptions = await besideOthers(options, output);
  const bench = await withProgress("bench", output, (onProgress) => benchPrograms({ ...benchOptions, onProgress }));
  if (output.json) {
    output.document({ schema: "tundish/bench-programs@1", node: process.versions.node, ...bench });
  } else {
    printPrograms(bench, output);
  }
  return verdict(bench.stable, options, output);
}

/**
 * The same for launches, and whole computations with theirs.
 * @throws what `benchLaunch` throws, and ModelError for `machine`
 */
export async function benchLaunchCommand(options: BenchOthersOptions, output: CommandOutput): Promise<ExitCode> {
  const { benchLaunch } = await import("../../launch/bench-launch.ts");
  const benchOptions = await besideOthers(options, output);
  const bench = await withProgress("bench", output, (onProgress) => benchLaunch({ ...benchOptions, onProgress }));
  if (output.json) {
    output.document({ schema: "tundish/bench-launch@1", node: process.versions.node, ...bench });
  } else {
    printLaunch(bench, output);
  }
  return verdict(bench.stable, options, output);
}

/**
 * The same for containers.
 * @throws what `benchContainers` throws, and ModelError for `machine`
 */
export async function benchContainersCommand(options: BenchOthersOptions, output: CommandOutput): Promise<ExitCode> {
  const { benchContainers } = await import("../../containers/bench-containers.ts");
  const benchOptions = await besideOthers(options, output);
  const bench = await withProgress("bench", output, (onProgress) => benchContainers({ ...benchOptions, onProgress }));
  if (output.json) {
    output.document({ schema: "tundish/bench-containers@1", node: process.versions.node, ...bench });
  } else {
    printContainers(bench, output);
  }
  return verdict(bench.stable, options, output);
}

/**
 * The same for kernels.
 * @throws what `benchKernels` throws, and ModelError for `machine`
 */
export async function benchKernelsCommand(options: BenchOthersOptions, output: CommandOutput): Promise<ExitCode> {
  const { benchKernels } = await import("../../kernels/bench-kernels.ts");
  const benchOptions = await besideOthers(options, output);
  const bench = await withProgress("bench", output, (onProgress) => benchKernels({ ...benchOptions, onProgress }));
  if (output.json) {
    output.document({ schema: "tundish/bench-kernels@1", node: process.versions.node, ...bench });
  } else {
    printKernels(bench, output);
  }
  return verdict(bench.stable, options, output);
}

/** The options of `bench loops`. */
export interface BenchLoopsOptions extends BenchOthersOptions {
  readonly only?: LoopPart;
}

/**
 * The same for loops.
 * @throws what `benchLoops` throws, and ModelError for `machine`
 */
export async function benchLoopsCommand(options: BenchLoopsOptions, output: CommandOutput): Promise<ExitCode> {
  const { benchLoops } = await import("../../loops/bench-loops.ts");
  const benchOptions = await besideOthers(options, output);
  const bench = await withProgress("bench", output, (onProgress) =>
    benchLoops({ ...benchOptions, only: options.only, onProgress }),
  );
  if (output.json) {
    output.document({ schema: "tundish/bench-loops@1", node: process.versions.node, ...bench });
  } else {
    printLoops(bench, output);
  }
  return verdict(bench.stable, options, output);
}

/** The same for shared data. @throws what `benchShared` throws, and ModelError for `machine` */
export async function benchSharedCommand(options: BenchOthersOptions, output: CommandOutput): Promise<ExitCode> {
  const { benchShared } = await import("../../shared/bench-shared.ts");
  const benchOptions = await besideOthers(options, output);
  const bench = await withProgress("bench", output, (onProgress) => benchShared({ ...benchOptions, onProgress }));
  if (output.json) output.document({ schema: "tundish/bench-shared@1", node: process.versions.node, ...bench });
  else printShared(bench, output);
  return verdict(bench.stable, options, output);
}

/** How a part is measured and printed. */
interface Part {
  bench(options: BenchOptions): Promise<PartBench>;
  print(bench: PartBench, output: CommandOutput): void;
}

async function conveyorsPart({ mixed, cold }: BenchConveyorsOptions): Promise<Part> {
  if (mixed) {
    const { benchMixed } = await import("../../conveyors/bench-mixed.ts");
    return { bench: benchMixed, print: printMixed };
  }
  if (cold) {
    const { benchCold } = await import("../../conveyors/bench-cold.ts");
    return { bench: benchCold, print: printCold as Part["print"] };
  }
  const { benchConveyors } = await import("../../conveyors/bench-conveyors.ts");
  return { bench: benchConveyors, print: printConveyors as Part["print"] };
}

/**
 * Measures, prints, and writes the crossovers into the machine model; returns {@link NOISY} as above.
 * @throws what `benchCrossovers` throws, ModelError for the model, UsageError for a file that cannot be written
 */
export async function benchCrossoversCommand(
  options: BenchCrossoversOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const { output: file } = options;
  if (file !== undefined) checkFile("--output", file);
  const machine = await findModel(options.machine ?? file, output);
  const { benchCrossovers } = await import("../../collectives/crossovers.ts");
  const benchOptions: Omit<CrossoverOptions, "onProgress"> = common(options, output);
  const bench = await withProgress("bench", output, (onProgress) =>
    benchCrossovers(machine, { ...benchOptions, onProgress }),
  );
  if (file !== undefined) {
    await writeMachine(file, { ...machine, crossovers: bench.crossovers });
    output.note(`wrote ${file}`);
  }
  if (output.json) {
    output.document({ schema: "tundish/bench-crossovers@1", node: process.versions.node, ...bench });
  } else {
    printCrossovers(bench, output);
  }
  return verdict(bench.stable, options, output);
}

async function besideOthers(
  options: BenchOthersOptions,
  output: CommandOutput,
): Promise<Omit<BenchOptions, "onProgress">> {
  return {
    machine: await findModel(options.machine, output),
    ...(options.cpus === undefined ? {} : { cpus: options.cpus }),
    ...(options.mode === undefined ? {} : { mode: options.mode }),
    ...common(options, output),
  };
}

/** Converts the common options for the measurements. */
export function common(
  { turns, budget, quick }: CommonBenchOptions,
  output: CommandOutput,
): Pick<BenchOptions, "turns" | "budgetMs" | "quick" | "signal"> {
  return {
    signal: interruptSignal(output),
    ...(turns === undefined ? {} : { turns }),
    ...(budget === undefined ? {} : { budgetMs: budget }),
    ...(quick === undefined ? {} : { quick }),
  };
}

/** Shows progress. */
export async function withProgress<T>(
  title: string,
  output: CommandOutput,
  work: (onProgress: NonNullable<BenchOptions["onProgress"]>) => Promise<T>,
): Promise<T> {
  const progress = showProgress(output, title);
  // programs in C are compiled before the first turn
  progress.onProgress({ stage: "preparing", done: 0 });
  try {
    return await work(progress.onProgress);
  } finally {
    progress.stop();
  }
}

/**
 * Returns {@link NOISY}, with a note, if the machine was not in one mode for a turn of every program. Not for few and
 * short batches, unless in a mode that was asked for: each figure says which mode it has.
 */
export function verdict(
  stable: boolean,
  { quick = false, mode }: { readonly quick?: boolean; readonly mode?: number },
  output: CommandOutput,
): ExitCode {
  if (stable) return OK;
  output.note("the machine did not stay in one mode (CPUs near to or far from each other) for a turn of every program");
  return quick && mode === undefined ? OK : NOISY;
}
