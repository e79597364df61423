/** The command `tundish bench traffic` with its options. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../../../../../src/ground/base/errors.ts";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { byteCount, milliseconds, wholeNumber } from "../../../../../src/interface/cli/terminal/arguments.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { TrafficMachineName } from "../../traffic/machines.ts";
import type { PatternName } from "../../traffic/patterns.ts";
import type { BenchTrafficOptions } from "../commands/bench-traffic.ts";
import type { MeasureTrafficCommandOptions } from "../commands/bench-traffic-measure.ts";

/** Those of traffic/patterns.ts, which --help does not load. */
const PATTERNS = [
  "all pairs",
  "random",
  "transpose",
  "hot spot",
  "permutation",
  "stencil",
  "unequal sizes",
] as const satisfies readonly PatternName[];

/** A name may have a hyphen in place of its blank. */
function patternList(text: string): PatternName[] {
  return text.split(",").map((part) => {
    const pattern = PATTERNS.find((name) => name === part.trim().replaceAll("-", " "));
    if (pattern === undefined)
      throw new InvalidArgumentError(`Expected some of ${PATTERNS.join(", ")}, comma-separated; got ${part}.`);
    return pattern;
  });
}

/** Adds `traffic` to `bench`. */
export function addBenchTraffic(bench: Command): void {
  const command = bench
    .command("traffic")
    .summary("disciplines of bulk data")
    .description(
      "Runs exchanges under every discipline and pattern in virtual time and prints the bandwidth of a node, how many nodes send, how " +
        "many at once to one receiver, and what the disciplines count. With --figures: the figures of Brewer et al. " +
        '("Software Techniques for Improving MPP Bulk-Transfer Performance", 1996), and which of its statements hold.\n\n' +
        "With --pacing: packets of all receivers in turn, with the packets and the pace that a plan chooses for them, against a sweep of " +
        "both, on 8 to 64 nodes.\n\n" +
        "With --measure they run on real threads of this machine, under mpirun on its nodes, in turn, and what a plan chooses is " +
        "compared with the best of them and with eager.",
    )
    .addOption(
      new Option("--like <name>", "the machine (default: paragon)").choices([
        // those of traffic/machines.ts, which --help does not load
        ...(["cm-5", "paragon", "alewife"] satisfies TrafficMachineName[]),
      ]),
    )
    .addOption(new Option("--figures <folder>", "draw the figures into this folder, all machines").conflicts("like"))
    .option("--seed <n>", "seed of random numbers (default: 1)", wholeNumber(0))
    .addOption(
      new Option("--pacing", "hold the rule for packets and pace against a sweep; all machines").conflicts("figures"),
    )
    .addOption(
      new Option("--measure", "measure on real threads, or nodes").conflicts(["like", "figures", "pacing", "seed"]),
    )
    .option("--patterns <list>", "with --measure: some of the patterns (default: all)", patternList)
    .option("--sizes <list>", "with --measure: bytes of the blocks (default: 16K,64K,256K,1M)", (text: string) =>
      text.split(",").map(byteCount),
    )
    .option("--pes <n>", "with --measure: PEs of each node (default: 1; on one machine all cores)", wholeNumber(1))
    .option("--turns <n>", "with --measure: samples of each discipline, at most (default: 9)", wholeNumber(1, 1000))
    .option("--budget <ms>", "with --measure: time for turns beyond the third (default: 180000)", milliseconds)
    .option("--quick", "few blocks of few sizes: to see that it works")
    .addOption(json("one document tundish/bench-traffic@1, tundish/bench-traffic-measured@1"));
  withExamples(command, [
    ["tundish bench traffic", "all disciplines and patterns on 8 nodes, two minutes"],
    ["tundish bench traffic --like cm-5", "on 64 nodes, minutes"],
    ["tundish bench traffic --figures figures", "an SVG for each figure, six minutes"],
    ["tundish bench traffic --pacing --like alewife", "rates and packets on 8 to 64 nodes, minutes"],
    ["tundish bench traffic --measure", "on the threads of this machine, three minutes"],
    ["mpirun -n 4 --map-by node --bind-to none npx tundish bench traffic --measure", "on 4 nodes"],
    ["tundish bench traffic --quick --json", "for programs"],
  ]);
  act<BenchTrafficOptions & MeasureTrafficCommandOptions & { measure?: boolean }>(
    command,
    async ({ measure, ...options }, output) => {
      const { patterns, sizes, pes, turns, budget } = options;
      const needless = Object.entries({ patterns, sizes, pes, turns, budget }).find(([, value]) => value !== undefined);
      if (measure !== true && needless !== undefined) {
        throw new UsageError(`--${needless[0]}: expected --measure beside it. Add that, or leave it out.`);
      }
      return measure === true
        ? (await import("../commands/bench-traffic-measure.ts")).benchTrafficMeasureCommand(options, output)
        : (await import("../commands/bench-traffic.ts")).benchTrafficCommand(options, output);
    },
  );
}
