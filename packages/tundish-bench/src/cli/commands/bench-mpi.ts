/** `tundish bench mpi`: compares worlds over two nodes with plain MPI in C. */

import { SIZES, type Size } from "../../../../../microbench/conveyors/payloads.ts";
import { UsageError } from "../../../../../src/ground/base/errors.ts";
import type { ExitCode } from "../../../../../src/interface/cli/terminal/exit.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import type { MpiBenchOptions } from "../../mpi/bench-mpi.ts";
import type { MpiPart } from "../../mpi/jobs.ts";
import { printMpi } from "../text/bench-mpi-text.ts";
import { type CommonBenchOptions, common, verdict, withProgress } from "./bench.ts";

/** The options as parsed by commander. */
export interface BenchMpiOptions extends Omit<CommonBenchOptions, "machine"> {
  readonly mpi: "openmpi" | "mpich";
  readonly tcp?: boolean;
  readonly only?: MpiPart;
  readonly sizes?: readonly number[];
}

/**
 * Measures and prints; returns NOISY if the machine did not stay in one mode. The comparison itself does not affect the
 * exit code.
 * @throws what `benchMpi` throws, and UsageError for unknown sizes
 */
export async function benchMpiCommand(options: BenchMpiOptions, output: CommandOutput): Promise<ExitCode> {
  const { mpi, tcp, only, sizes } = options;
  const other = sizes?.find((size) => !SIZES.includes(size as Size));
  if (other !== undefined) throw new UsageError(`sizes: expected some of ${SIZES.join(", ")}, got ${other}`);
  const { benchMpi } = await import("../../mpi/bench-mpi.ts");
  const benchOptions: MpiBenchOptions = {
    ...common(options, output),
    mpi: mpi === "mpich" ? "MPICH" : "Open MPI",
    ...(tcp === undefined ? {} : { tcp }),
    ...(only === undefined ? {} : { only }),
    ...(sizes === undefined ? {} : { sizes: sizes as Size[] }),
  };
  const bench = await withProgress("bench", output, (onProgress) => benchMpi({ ...benchOptions, onProgress }));
  if (output.json) {
    output.document({ schema: "tundish/bench-mpi@1", node: process.versions.node, ...bench });
  } else {
    printMpi(bench, output);
  }
  return verdict(bench.stable, options, output);
}
