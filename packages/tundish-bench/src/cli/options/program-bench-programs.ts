/** The command `tundish bench programs` with its options. */
import type { Command } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchOthersOptions } from "../commands/bench.ts";
import { besideOthers } from "./bench-command.ts";

/** Adds `programs` to `bench`. */
export function addBenchPrograms(bench: Command): void {
  const command = besideOthers(
    bench
      .command("programs")
      .summary("whole programs, beside one thread and a pool of piscina")
      .description(
        "Measures PageRank, word count, breadth-first search, k-means and sample sort by all PEs, and the same by one thread " +
          "in plain JavaScript; k-means, word count and sample sort by a pool of piscina, too, if it is installed. Timed are the first " +
          "run of a fresh process, and runs after half a second of others. Input is made before, and launching is measured by itself. Every result is compared with that of one thread; a difference is a " +
          "failure. A target that is missed does not change the exit code.",
      ),
  ).addOption(json("one document tundish/bench-programs@1"));
  withExamples(command, [
    ["tundish bench programs", "about two minutes"],
    ["tundish bench programs --turns 1 --budget 20000", "one turn of each"],
    ["tundish bench programs --turns 1 --json", "for programs"],
  ]);
  act<BenchOthersOptions>(command, async (options, output) =>
    (await import("../commands/bench.ts")).benchProgramsCommand(options, output),
  );
}
