/** The command `tundish bench containers` with its options. */
import type { Command } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchOthersOptions } from "../commands/bench.ts";
import { besideOthers } from "./bench-command.ts";

/** Adds `containers` to `bench`. */
export function addBenchContainers(bench: Command): void {
  const command = besideOthers(
    bench
      .command("containers")
      .summary("maps, sets, arrays and disjoint sets over all PEs, beside one thread")
      .description(
        "Measures a counting map of numbers and one of words, inserts into a map and visits of its entries, a set, an array that is " +
          "added to, and a disjoint set, by 1, 2 and 4 PEs (more than CPUs share them; with --quick by 2 PEs), and the same by one thread with a Map, a " +
          "Set, a typed array and a union-find. The operations of all PEs together are as many as those of one thread. Prints " +
          "operations per second and the memory for each entry. Every result is compared with that of one thread; a " +
          "difference is a failure.",
      ),
  ).addOption(json("one document tundish/bench-containers@1"));
  withExamples(command, [
    ["tundish bench containers", "some minutes"],
    ["tundish bench containers --turns 1 --budget 20000", "one turn of each"],
    ["tundish bench containers --turns 1 --json", "for programs"],
  ]);
  act<BenchOthersOptions>(command, async (options, output) =>
    (await import("../commands/bench.ts")).benchContainersCommand(options, output),
  );
}
