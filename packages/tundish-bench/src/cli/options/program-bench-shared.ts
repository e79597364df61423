/** The command `tundish bench shared` with its options. */
import type { Command } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchOthersOptions } from "../commands/bench.ts";
import { besideOthers } from "./bench-command.ts";

/** Adds `shared` to `bench`. */
export function addBenchShared(bench: Command): void {
  const command = besideOthers(
    bench
      .command("shared")
      .summary("locks beside those of C, shared maps beside a Map")
      .description(
        "Measures a lock by one PE and by two at once that add to a number under it, beside two spinlocks of atomics, pthread_mutex and " +
          "pthread_spin in C; and a shared map by two PEs beside one thread's Map: gets, nine gets and one set of ten, inserts. The first run of a " +
          "process is told apart. Prints ns per operation of all PEs together, and the memory for each entry.",
      ),
  ).addOption(json("one document tundish/bench-shared@1"));
  withExamples(command, [
    ["tundish bench shared", "a minute or two"],
    ["tundish bench shared --turns 1 --json", "for programs"],
  ]);
  act<BenchOthersOptions>(command, async (options, output) =>
    (await import("../commands/bench.ts")).benchSharedCommand(options, output),
  );
}
