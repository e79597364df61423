/** `tundish bench stealing` with its options. */
import type { Command } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchStealingOptions } from "../commands/bench-stealing.ts";

export function addBenchStealing(bench: Command): void {
  const command = bench
    .command("stealing")
    .summary("loops that steal from the nearest, beside random victims")
    .description(
      "Runs loops with uneven iterations on virtual PEs of machines of 64 to 192 PEs, whose thieves look at the nearest PE first, as " +
        "the library's do, or at all others in random order. Looks at lines of others, and the data of iterations that others run, take what the " +
        "machine's matrix says. Prints times, steals from other packages, and the data that crosses between packages.",
    )
    .option("--machines <files...>", "models to simulate, or folders of them (default: seven of a checkout)")
    .option("--quick", "few and short runs: to see that it works")
    .addOption(json("one document tundish/bench-stealing@1"));
  withExamples(command, [
    ["tundish bench stealing", "some minutes"],
    ["tundish bench stealing --machines machine.json --json", "this machine, for programs"],
  ]);
  act<BenchStealingOptions>(command, async (options, output) =>
    (await import("../commands/bench-stealing.ts")).benchStealingCommand(options, output),
  );
}
