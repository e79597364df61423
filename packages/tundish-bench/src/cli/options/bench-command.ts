/** Common parts of the measuring commands of `tundish bench`. */
import type { Command } from "commander";
import {
  milliseconds,
  nanoseconds,
  numberList,
  wholeNumber,
} from "../../../../../src/interface/cli/terminal/arguments.ts";

/** Adds their options: turns, time, and the short form. */
export function benchmark(command: Command): Command {
  return command
    .option("--turns <n>", "turns of each program in the mode that most are in (default: 3)", wholeNumber(1, 1000))
    .option(
      "--budget <ms>",
      "start no turn beyond --turns after this time (default: 60000, with --quick 0)",
      milliseconds,
    )
    .option("--quick", "few and short batches: to see that it works, not how fast");
}

/** Those of a comparison with other programs on the same CPUs, too. */
export function besideOthers(command: Command): Command {
  return benchmark(command)
    .option("--cpus <list>", "the CPUs, two or more (default: the first two usable ones)", numberList)
    .option("--machine <file>", "machine model to plan with")
    .option(
      "--mode <ns>",
      "count only turns with about this cache-line round trip (default: all, those of each mode apart)",
      nanoseconds,
    );
}
