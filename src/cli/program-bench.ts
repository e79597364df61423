/** The commands of `tundish bench` with their options. */
import { type Command, Option } from "commander";
import { act, json } from "./act.ts";
import { milliseconds, nanoseconds, numberList, wholeNumber } from "./arguments.ts";
import type { BenchCollectivesOptions, BenchCrossoversOptions } from "./bench.ts";
import { withExamples } from "./help.ts";

/** Adds `bench`, and its commands to it. */
export function addBench(program: Command): Command {
  const bench = program
    .command("bench")
    .summary("the collectives beside Node.js and C libraries; the algorithms beside each other")
    .description(
      "Measures on this machine, in turn and on the same CPUs. Two CPUs of a virtual machine may be near to each other " +
        "or far, and change within seconds: a probe before and after each turn tells, and only turns in one mode count.",
    );
  withExamples(bench, [
    ["tundish bench collectives", "beside postMessage, GOMP, Open MPI, MPICH and plain C"],
    ["tundish bench crossovers -o machine.json", "from which size on the other algorithm is faster"],
  ]);
  addBenchCollectives(bench);
  addBenchCrossovers(bench);
  return bench;
}

function benchmark(command: Command): Command {
  return command
    .option("--turns <n>", "turns that everybody gets in one mode (default: 3)", wholeNumber(1, 1000))
    .option("--budget <ms>", "no turn beyond those begins after this time (default: 60000)", milliseconds)
    .option("--quick", "few and short batches: to see that it works, not how fast");
}

function addBenchCollectives(bench: Command): void {
  const command = benchmark(
    bench
      .command("collectives")
      .summary("barrier, broadcast and allreduce beside everybody else's")
      .description(
        "Measures our collectives, postMessage, barriers on a SharedArrayBuffer, npm multithreading, and, where gcc and " +
          "the Debian packages are installed, C programs for GOMP, Open MPI, MPICH and the raw limit. Prints the ratios " +
          "beside the targets, then everything. A target that is missed does not change the exit code.",
      ),
  )
    .option("--cpus <list>", "the CPUs, two or more (default: the first two usable ones)", numberList)
    .option("--machine <file>", "machine model to plan with")
    .option(
      "--mode <ns>",
      "count only turns with a cache-line round trip like this one (default: the mode of most turns)",
      nanoseconds,
    )
    .addOption(json("one document tundish/bench-collectives@1"));
  withExamples(command, [
    ["tundish bench collectives", "about half a minute"],
    ["tundish bench collectives --mode 105", "only while the CPUs are near, 105 ns there and back"],
    ["tundish bench collectives --turns 1 --json", "for programs"],
  ]);
  act<BenchCollectivesOptions>(command, async (options, output) =>
    (await import("./bench.ts")).benchCollectivesCommand(options, output),
  );
}

function addBenchCrossovers(bench: Command): void {
  const command = benchmark(
    bench
      .command("crossovers")
      .summary("each algorithm at sizes from 8 bytes to 1 MiB, and where they change")
      .description(
        "Measures the algorithms of broadcast, reduce and allreduce on the PEs of the machine model, and from which size " +
          "on the one for long arrays is faster. Runs with that model decide by it.",
      ),
  )
    .option("-o, --output <file>", "write the crossovers into this machine model")
    .option("--machine <file>", "machine model to plan with (default: that of --output)")
    .addOption(json("one document tundish/bench-crossovers@1"));
  withExamples(command, [
    ["tundish bench crossovers", "only print"],
    ["tundish bench crossovers -o machine.json", "into the model that tundish profile wrote"],
  ]);
  act<BenchCrossoversOptions>(command, async (options, output) =>
    (await import("./bench.ts")).benchCrossoversCommand(options, output),
  );
}
