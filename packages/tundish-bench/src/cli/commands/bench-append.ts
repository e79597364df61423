/** `tundish bench append`: append buffers beside fetch-and-add and put, a conveyor and alltoallv. */

import type { ExitCode } from "../../../../../src/interface/cli/terminal/exit.ts";
import { checkFile, saveText } from "../../../../../src/interface/cli/terminal/files.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import type { AppendPart } from "../../append/jobs.ts";
import { printAppend } from "../text/bench-append-text.ts";
import { type CommonBenchOptions, common, verdict, withProgress } from "./bench.ts";

/** The options as parsed by commander. */
export interface BenchAppendOptions extends Omit<CommonBenchOptions, "machine"> {
  readonly only?: AppendPart;
  readonly mpi?: "openmpi" | "mpich";
  readonly tcp?: boolean;
  readonly sizes?: readonly number[];
  readonly writers?: readonly number[];
  readonly cpus?: readonly number[];
  readonly svg?: string;
}

/**
 * Measures, draws if a file is named, and prints; returns NOISY if the machine did not stay in one mode. Missed targets
 * do not affect the exit code.
 * @throws what `benchAppend` throws, and UsageError for a file that cannot be written
 */
export async function benchAppendCommand(options: BenchAppendOptions, output: CommandOutput): Promise<ExitCode> {
  const { only, mpi, tcp, sizes, writers, cpus, svg } = options;
  if (svg !== undefined) checkFile("--svg", svg);
  const { benchAppend } = await import("../../append/bench-append.ts");
  const { targetsOf, sharesOf } = await import("../../append/results.ts");
  const names = { openmpi: "Open MPI", mpich: "MPICH" } as const;
  const bench = await withProgress("bench", output, (onProgress) =>
    benchAppend({
      ...common(options, output),
      only,
      tcp,
      sizes,
      writers,
      onProgress,
      ...(cpus && { cpus }),
      mpi: mpi && names[mpi],
    }),
  );
  if (svg !== undefined) {
    const { appendSvg } = await import("../../append/figures-svg.ts");
    await saveText(svg, appendSvg(bench.measured));
    output.note(`wrote ${svg}`);
  }
  const results = { targets: targetsOf(bench), shares: sharesOf(bench) };
  if (output.json) {
    output.document({
      schema: "tundish/bench-append@1",
      node: process.versions.node,
      ...results,
      ...bench,
    });
  } else {
    printAppend(bench, results, output);
  }
  return verdict(bench.stable, options, output);
}
