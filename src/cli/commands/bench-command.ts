/** Common parts of the measuring commands of `tundish bench`. */
import type { Command } from "commander";
import { milliseconds, wholeNumber } from "../terminal/arguments.ts";

/** Adds their options: turns, time, and the short form. */
export function benchmark(command: Command): Command {
  return command
    .option("--turns <n>", "turns of each program in one mode (default: 3)", wholeNumber(1, 1000))
    .option(
      "--budget <ms>",
      "start no further turn after this time (default: 60000, with --quick 0)",
      milliseconds,
    )
    .option("--quick", "few and short batches: to see that it works, not how fast");
}
