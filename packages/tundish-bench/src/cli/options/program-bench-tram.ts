/** The command `tundish bench tram` with its options. */
import { type Command, Option } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { nanoseconds } from "../../../../../src/interface/cli/terminal/arguments.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchTramOptions } from "../commands/bench-tram.ts";

/** Adds `tram` to `bench`. */
export function addBenchTram(bench: Command): void {
  const command = bench
    .command("tram")
    .summary("the benchmarks of TRAM's thesis")
    .description(
      'Runs the benchmarks of V. Narayanan, "Generalizing fine-grained message aggregation" (2020), in virtual time, with the costs of Summit ' +
        "and Stampede2: streams of two PEs (figures 5.1 to 5.4), the synthetic benchmark on 2 to 64 PEs by PEs and by the size of buffers (5.5 to " +
        "5.8), RandomAccess (5.9 to 5.11) and LeanMD (5.12), without aggregation and with grids of one to three dimensions; and by threshold, cutoff " +
        "and timeout. Prints which statements of the thesis hold here. A pair sends 200 messages, not 10^6, as more would take days.",
    )
    .option("--figures <folder>", "draw the figures into this folder")
    .option("--alpha <ns>", "what a message costs its two PEs together (default: 2000)", nanoseconds)
    .option("--machine <file>", "a push takes more by open buffers, as in this machine model (items.open)")
    .addOption(
      new Option("--caches", "likewise, as if pushes waited for their lines in caches as Summit's").conflicts(
        "machine",
      ),
    )
    .option("--quick", "few points on up to 16 PEs: to see that it works")
    .addOption(json("one document tundish/bench-tram@1"));
  withExamples(command, [
    ["tundish bench tram", "all tables, some minutes"],
    ["tundish bench tram --figures figures", "an SVG for each figure, too"],
    ["tundish bench tram --alpha 60000", "with messages that cost 60 us"],
    ["tundish bench tram --caches", "open buffers that leave the caches"],
    ["tundish bench tram --quick --json", "for programs"],
  ]);
  act<BenchTramOptions>(command, async (options, output) =>
    (await import("../commands/bench-tram.ts")).benchTramCommand(options, output),
  );
}
