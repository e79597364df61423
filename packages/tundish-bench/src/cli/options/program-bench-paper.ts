/** The command `tundish bench paper` with its options. */
import { Argument, type Command } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchPaperOptions, Paper } from "../commands/bench-paper.ts";

/** Adds `paper` to `bench`. */
export function addBenchPaper(bench: Command): void {
  const command = bench
    .command("paper")
    .summary("what the papers on conveyors and on append say")
    .description(
      "Prints which statements of a paper hold here, each with its numbers, then the figures. conveyors: simple and tensor conveyors by size of " +
        "items on up to 2048 nodes of three networks (figures 5 to 7), histogram and index-gather beside single messages (2), memory and hops, by " +
        "the model of plans, and small ones in the simulator. append: one-sided append beside fetch-and-add and put, in the simulator (figures 2 and 3).",
    )
    .addArgument(new Argument("<name>", "the paper").choices(["conveyors", "append"] satisfies Paper[]))
    .option("--svg <file>", "conveyors: draw figures 5 to 7")
    .option("--quick", "few points: to see that it works")
    .addOption(json("one document tundish/bench-paper@1"));
  withExamples(command, [
    ["tundish bench paper conveyors --svg figures.svg", "in a minute"],
    ["tundish bench paper append", "in seconds"],
  ]);
  act<BenchPaperOptions>(command, async (options, output, [name]) =>
    (await import("../commands/bench-paper.ts")).benchPaperCommand(name as Paper, options, output),
  );
}
