/** `tundish bench channels` with its options. */
import type { Command } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { budget, numberList, wholeNumber } from "../../../../../src/interface/cli/terminal/arguments.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchChannelsOptions } from "../commands/bench-channels.ts";

export function addBenchChannels(bench: Command): void {
  const command = bench
    .command("channels")
    .summary("queues between two PEs, beside C, postMessage")
    .description(
      "Sends messages of some sizes from one PE to another one, one way and back: by channels of each back end, of bytes and of items, by a " +
        "queue in C, and by postMessage. Prints how many times the time of C a message takes, and the times, for each mode of the machine apart. In turns, on the " +
        "same CPUs.",
    )
    .option("--sizes <list>", "bytes of a message (default: 8,56,64,1024,65536)", numberList)
    .option("--cpus <list>", "the two CPUs (default: the first two usable ones)", numberList)
    .option("--turns <n>", "turns of each program in the mode that most are in (default: 3)", wholeNumber(1, 1000))
    .option("--budget <ms>", "start no turn beyond --turns after this time (default: 60000, with --quick 0)", budget)
    .option("--quick", "few messages: to see that it works, not how fast")
    .addOption(json("one document tundish/bench-channels@1"));
  withExamples(command, [
    ["tundish bench channels", "about a minute"],
    ["tundish bench channels --sizes 8 --json", "one size, for programs"],
  ]);
  act<BenchChannelsOptions>(command, async (options, output) =>
    (await import("../commands/bench-channels.ts")).benchChannelsCommand(options, output),
  );
}
