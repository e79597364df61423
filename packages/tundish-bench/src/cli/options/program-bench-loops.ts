/** The command `tundish bench loops` with its options. */
import { type Command, Option } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import { LOOP_PARTS } from "../../loops/names.ts";
import type { BenchLoopsOptions } from "../commands/bench.ts";
import { besideOthers } from "./bench-command.ts";

/** Adds `loops` to `bench`. */
export function addBenchLoops(bench: Command): void {
  const command = besideOthers(
    bench
      .command("loops")
      .summary("loops under each schedule, beside OpenMP and pools of threads")
      .description(
        "Measures what an iteration costs under the schedules static, dynamic, guided and steal with chunks of 1 to 128, and as a task, by 2, 4 and 8 PEs " +
          "(more than CPUs share them; with --quick by 2 PEs), beside a C program of ours with OpenMP of gcc (libgomp) and of clang (libomp), where they " +
          "are installed (schedules); and barriers, reductions, locks, atomic additions and what one PE does for all (synchronisation). Adaptive " +
          "quadrature by tasks, beside the same in C (tasks). Work whose iterations take different times, under each schedule (with --quick under two) by 2 PEs beside one " +
          "thread and beside C with OpenMP, in the first run of a process and in later ones: rows of the Mandelbrot set, a triangular loop, queens, " +
          "quadrature, a matrix whose rows have lengths by a power law; how far steal and auto are from the best schedule (uneven). The same from a " +
          "main thread by 2 PEs of an open world, by piscina and by multithreading, where they are installed, with the chunks that a sweep finds " +
          "best (outside). Every iteration is counted, and every result is compared with that of one thread; a " +
          "difference is a failure.",
      ),
  )
    .addOption(new Option("--only <part>", "measure one part only").choices(LOOP_PARTS))
    .addOption(json("one document tundish/bench-loops@1"));
  withExamples(command, [
    ["tundish bench loops", "some minutes"],
    ["tundish bench loops --turns 1 --budget 20000", "one turn of each"],
    ["tundish bench loops --only uneven --turns 7 --budget 240000", "seven first runs of each"],
    ["tundish bench loops --turns 1 --json", "for programs"],
  ]);
  act<BenchLoopsOptions>(command, async (options, output) =>
    (await import("../commands/bench.ts")).benchLoopsCommand(options, output),
  );
}
