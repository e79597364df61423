/** The command `tundish bench conveyors` with its options. */
import { type Command, Option } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchConveyorsOptions } from "../commands/bench.ts";
import { besideOthers } from "./bench-command.ts";

/** Adds `conveyors` to `bench`. */
export function addBenchConveyors(bench: Command): void {
  const command = besideOthers(
    bench
      .command("conveyors")
      .summary("streams of small items, beside C, postMessage")
      .description(
        "Measures conveyors with items of 8, 16, 32 and 128 bytes, of every type and number of hops, item by item, in " +
          "batches and by run, on as many PEs as CPUs and on more, histogram and index-gather; if gcc is installed, a C " +
          "program that does the same by threads and buffers alone; postMessage, with a message for each item and for each " +
          "thousand, and a plain queue in shared memory. All received items are summed and checked. Prints the ratios " +
          "beside the targets, then everything. A target that is missed does not change the exit code.",
      ),
  )
    .addOption(
      new Option("--mixed", "instead: items of several types in one process, beside each type alone in a process"),
    )
    .addOption(
      new Option(
        "--cold",
        "instead: the first sessions of fresh processes, conveyors made anew, empty sessions, and the number of items from " +
          "which on all PEs are faster than one",
      ).conflicts("mixed"),
    )
    .addOption(
      new Option("--open", "instead: a push by the number and the size of open buffers").conflicts(["mixed", "cold"]),
    )
    .addOption(json("one document tundish/bench-conveyors@1, tundish/bench-open@1"));
  withExamples(command, [
    ["tundish bench conveyors", "about four minutes"],
    ["tundish bench conveyors --mode 105", "only while the CPUs are near, 105 ns there and back"],
    ["tundish bench conveyors --mixed", "about a minute: what several item types cost in one process"],
    ["tundish bench conveyors --cold", "about two minutes: what a program meets that has just started"],
    ["tundish bench conveyors --open", "in seconds: what many open buffers cost"],
    ["tundish bench conveyors --turns 1 --json", "for programs"],
  ]);
  act<BenchConveyorsOptions & { readonly open?: boolean }>(command, async ({ open, ...options }, output) =>
    open === true
      ? (await import("../commands/bench-open.ts")).benchOpenCommand(options.quick === true, output)
      : (await import("../commands/bench.ts")).benchConveyorsCommand(options, output),
  );
}
