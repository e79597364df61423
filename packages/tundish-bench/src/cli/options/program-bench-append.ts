/** `tundish bench append` with its options. */
import { type Command, Option } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { numberList } from "../../../../../src/interface/cli/terminal/arguments.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { AppendPart } from "../../append/jobs.ts";
import type { BenchAppendOptions } from "../commands/bench-append.ts";
import { benchmark } from "./bench-command.ts";

/** Adds `append` to `bench`. */
export function addBenchAppend(bench: Command): void {
  const command = benchmark(
    bench
      .command("append")
      .summary("append buffers beside atomics, MPI, a conveyor")
      .description(
        "Several PEs push records of 8 bytes to 64 KiB into one buffer. On threads, by 1 to 8 writers: append buffers, an atomic addition and a " +
          "copy in C and in JavaScript, a conveyor, and alltoallv of one part for all. Over two nodes, processes of this machine: each " +
          "transport, push by push and 100 at a time, and MPI_Fetch_and_op with MPI_Put in C, in shared memory and by TCP. Prints the ratio to C, then " +
          "the times. In turns, on the same CPUs. Needs gcc, and for nodes an MPI with its compiler; what is missing is named.",
      ),
  )
    .addOption(new Option("--only <part>", "measure one part only").choices(["threads", "mpi"] satisfies AppendPart[]))
    .addOption(
      new Option("--mpi <name>", "the MPI of the nodes (default: those that are there)").choices(["openmpi", "mpich"]),
    )
    .option("--tcp", "nodes: only by TCP, as between machines (Open MPI only)")
    .option("--sizes <list>", "bytes of a push (default: 8,16,32,64,256,1024,4096,16384,65536)", numberList)
    .option("--writers <list>", "threads: writers of one buffer (default: 1,2,4,8)", numberList)
    .option("--cpus <list>", "the CPUs, two or more (default: the first two usable ones)", numberList)
    .option("--svg <file>", "draw bandwidth and factor by size")
    .addOption(json("one document tundish/bench-append@1"));
  withExamples(command, [
    ["tundish bench append", "some minutes"],
    ["tundish bench append --only threads --sizes 8,64 --writers 2", "small pushes into a contended buffer"],
    ["tundish bench append --only mpi --svg append.svg", "over two nodes, drawn"],
    ["tundish bench append --quick --json", "for programs"],
  ]);
  act<BenchAppendOptions>(command, async (options, output) =>
    (await import("../commands/bench-append.ts")).benchAppendCommand(options, output),
  );
}
