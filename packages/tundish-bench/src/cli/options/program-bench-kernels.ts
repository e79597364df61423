/** The command `tundish bench kernels` with its options. */
import type { Command } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchOthersOptions } from "../commands/bench.ts";
import { besideOthers } from "./bench-command.ts";

/** Adds `kernels` to `bench`. */
export function addBenchKernels(bench: Command): void {
  const command = besideOthers(
    bench
      .command("kernels")
      .summary("a matrix product by WebAssembly on the heap, beside C with OpenMP")
      .description(
        "Measures a product of 1024 x 1024 numbers (f64) by two PEs, one for each CPU, with a kernel of AssemblyScript and one of C " +
          "(examples/kernels), beside the same C by clang and by gcc with OpenMP: -O3, vectors of 128 bits; and by clang with all instructions of " +
          "this processor, some of which WebAssembly has not. Compilers that are not there are named. Elements of each product are " +
          "checked; a wrong one is a failure.",
      ),
  ).addOption(json("one document tundish/bench-kernels@1"));
  withExamples(command, [
    ["tundish bench kernels", "about a minute"],
    ["tundish bench kernels --turns 1 --json", "for programs"],
  ]);
  act<BenchOthersOptions>(command, async (options, output) =>
    (await import("../commands/bench.ts")).benchKernelsCommand(options, output),
  );
}
