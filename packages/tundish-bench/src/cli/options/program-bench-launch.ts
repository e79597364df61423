/** The command `tundish bench launch` with its options. */
import type { Command } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchOthersOptions } from "../commands/bench.ts";
import { besideOthers } from "./bench-command.ts";

/** Adds `launch` to `bench`. */
export function addBenchLaunch(bench: Command): void {
  const command = besideOthers(
    bench
      .command("launch")
      .summary("measure what starting PEs costs, and from which size on they pay")
      .description(
        "Measures in fresh processes the import of the package, launches of 2 and 4 PEs that return at once, and a sum and a " +
          "k-means of several sizes by all PEs, with the launch, beside the same by one thread: the first run of a process, " +
          "and later ones. Every result is compared with that of one thread; a difference is a failure.",
      ),
  ).addOption(json("one document tundish/bench-launch@1"));
  withExamples(command, [
    ["tundish bench launch", "some minutes"],
    ["tundish bench launch --turns 1 --budget 20000", "one turn of each"],
    ["tundish bench launch --turns 1 --json", "for programs"],
  ]);
  act<BenchOthersOptions>(command, async (options, output) =>
    (await import("../commands/bench.ts")).benchLaunchCommand(options, output),
  );
}
