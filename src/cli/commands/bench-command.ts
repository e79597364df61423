/** What the commands of `tundish bench` that measure have in common. */
import type { Command } from "commander";
import { milliseconds, wholeNumber } from "../terminal/arguments.ts";

/** Adds their options: turns, time, and the short form. */
export function benchmark(command: Command): Command {
  return command
    .option("--turns <n>", "turns that everybody gets in one mode (default: 3)", wholeNumber(1, 1000))
    .option(
      "--budget <ms>",
      "no turn beyond those begins after this time (default: 60000, with --quick 0)",
      milliseconds,
    )
    .option("--quick", "few and short batches: to see that it works, not how fast");
}
