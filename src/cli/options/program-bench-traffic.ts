/** The command `tundish bench traffic` with its options. */
import { type Command, Option } from "commander";
import type { TrafficMachineName } from "../../../bench/traffic/machines.ts";
import type { BenchTrafficOptions } from "../commands/bench-traffic.ts";
import { act, json } from "../terminal/act.ts";
import { wholeNumber } from "../terminal/arguments.ts";
import { withExamples } from "../terminal/help.ts";

/** Adds `traffic` to `bench`. */
export function addBenchTraffic(bench: Command): void {
  const command = bench
    .command("traffic")
    .summary("compare disciplines of bulk data on machines of a paper, in the simulator")
    .description(
      "Runs exchanges under every discipline and pattern in virtual time and prints the bandwidth of a node, how many nodes send, how " +
        "many at once to one receiver, and what the disciplines count. With --figures: the figures of Brewer et al. " +
        '("Software Techniques for Improving MPP Bulk-Transfer Performance", 1996), and which of its statements hold.',
    )
    .addOption(
      new Option("--like <name>", "the machine (default: paragon)").choices([
        // those of bench/traffic/machines.ts, which --help does not load
        ...(["cm-5", "paragon", "alewife"] satisfies TrafficMachineName[]),
      ]),
    )
    .addOption(
      new Option("--figures <folder>", "draw the figures into this folder, all machines").conflicts("like"),
    )
    .option("--seed <n>", "seed of random numbers (default: 1)", wholeNumber(0))
    .option("--quick", "few blocks of few sizes: to see that it works")
    .addOption(json("one document tundish/bench-traffic@1"));
  withExamples(command, [
    ["tundish bench traffic", "all disciplines and patterns on 8 nodes, half a minute"],
    ["tundish bench traffic --like cm-5", "on 64 nodes, minutes"],
    ["tundish bench traffic --figures figures", "an SVG for each figure, two minutes"],
    ["tundish bench traffic --quick --json", "for programs"],
  ]);
  act<BenchTrafficOptions>(command, async (options, output) =>
    (await import("../commands/bench-traffic.ts")).benchTrafficCommand(options, output),
  );
}
