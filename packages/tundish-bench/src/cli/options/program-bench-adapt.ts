/** `tundish bench adapt` with its options. */
import { type Command, Option } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { numberList, wholeNumber } from "../../../../../src/interface/cli/terminal/arguments.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchAdaptOptions } from "../commands/bench-adapt.ts";

export function addBenchAdapt(bench: Command): void {
  const command = bench
    .command("adapt")
    .summary("conveyors that adapt, beside fixed sizes")
    .description(
      "Runs three programs at four rates with buffers of 256 B to 16 KiB, and with the option adapt: in the simulator, on two to sixteen " +
        "nodes, and on the threads of this machine. Prints how much longer the program takes with adapt than with the best size, and in the " +
        "simulator how long its messages wait in buffers.",
    )
    .addOption(new Option("--only <where>", "only there").choices(["simulator", "threads"]))
    .option("--pes <list>", "PEs on threads (default: 2)", numberList)
    .option(
      "--rounds <n>",
      "on threads: samples of each size, ten times as many of adapt and the best size (default: 30)",
      wholeNumber(2, 1000),
    )
    .option("--quick", "few and short runs: to see that it works, not how fast")
    .addOption(json("one document tundish/bench-adapt@1"));
  withExamples(command, [
    ["tundish bench adapt", "both, in some minutes"],
    ["tundish bench adapt --only simulator --json", "virtual times, for programs"],
  ]);
  act<BenchAdaptOptions>(command, async (options, output) =>
    (await import("../commands/bench-adapt.ts")).benchAdaptCommand(options, output),
  );
}
