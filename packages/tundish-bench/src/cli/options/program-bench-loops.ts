/** The command `tundish bench loops` with its options. */
import type { Command } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchOthersOptions } from "../commands/bench.ts";
import { besideOthers } from "./bench-command.ts";

/** Adds `loops` to `bench`. */
export function addBenchLoops(bench: Command): void {
  const command = besideOthers(
    bench
      .command("loops")
      .summary("loops under each schedule, beside OpenMP")
      .description(
        "Measures what an iteration costs under the schedules static, dynamic, guided and steal with chunks of 1 to 128, and as a task, by 2, 4 and 8 PEs " +
          "(more than CPUs share them; with --quick by 2 PEs), beside a C program of ours with OpenMP of gcc (libgomp) and of clang (libomp), where they " +
          "are installed; and barriers, reductions, locks, atomic additions and what one PE does for all. Then work whose iterations take different times, " +
          "under each schedule by 2 and 4 PEs beside one thread: rows of the Mandelbrot set, a triangular loop, queens, a matrix whose rows have lengths " +
          "by a power law; and adaptive quadrature by tasks. Every iteration is counted, and every result is compared with that of one thread; a " +
          "difference is a failure.",
      ),
  ).addOption(json("one document tundish/bench-loops@1"));
  withExamples(command, [
    ["tundish bench loops", "some minutes"],
    ["tundish bench loops --turns 1 --budget 20000", "one turn of each"],
    ["tundish bench loops --turns 1 --json", "for programs"],
  ]);
  act<BenchOthersOptions>(command, async (options, output) =>
    (await import("../commands/bench.ts")).benchLoopsCommand(options, output),
  );
}
