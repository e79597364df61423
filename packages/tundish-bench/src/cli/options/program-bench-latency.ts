/** `tundish bench latency` with its options. */
import type { Command } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { numberList, wholeNumber } from "../../../../../src/interface/cli/terminal/arguments.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchLatencyOptions } from "../commands/bench-latency.ts";

export function addBenchLatency(bench: Command): void {
  const command = bench
    .command("latency")
    .summary("time that items are under way, by their rate")
    .description(
      "Each PE sends items of 40 bytes to the next one at a rate, by a conveyor with maxDelay: 1, and by postMessage, each item by itself and " +
        "up to 1000 together. Prints percentiles of the time from when an item is due to when its receiver has it, and the rate that was " +
        "reached. In turns, on the same CPUs.",
    )
    .option("--rates <list>", "items per second of each PE (default: 1000,10000,100000,1000000,10000000)", numberList)
    .option("--cpus <list>", "the CPUs, two or more (default: the first two usable ones)", numberList)
    .option("--turns <n>", "turns of each program (default: 3)", wholeNumber(1, 1000))
    .option("--quick", "few items: to see that it works, not how fast")
    .addOption(json("one document tundish/bench-latency@1"));
  withExamples(command, [
    ["tundish bench latency", "about a minute"],
    ["tundish bench latency --rates 50000 --json", "one rate, for programs"],
  ]);
  act<BenchLatencyOptions>(command, async (options, output) =>
    (await import("../commands/bench-latency.ts")).benchLatencyCommand(options, output),
  );
}
