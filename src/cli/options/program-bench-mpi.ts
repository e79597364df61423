/** The command `tundish bench mpi` with its options. */
import { type Command, Option } from "commander";
import { benchmark } from "../commands/bench-command.ts";
import type { BenchMpiOptions } from "../commands/bench-mpi.ts";
import { act, json } from "../terminal/act.ts";
import { numberList } from "../terminal/arguments.ts";
import { withExamples } from "../terminal/help.ts";

/** Adds `mpi` to `bench`. */
export function addBenchMpi(bench: Command): void {
  const command = benchmark(
    bench
      .command("mpi")
      .summary("worlds over two nodes beside plain MPI in C")
      .description(
        "Starts jobs by mpirun on this machine: two processes of ours with 1 and with 2 PEs each, and C programs with as many " +
          "ranks. Measures barrier, broadcast and allreduce beside the MPI's own, and conveyors with 1 to a million items for " +
          "each pair of PEs, a session for each exchange and streamed, beside counting, sorting and MPI_Alltoallv. " +
          "Prints the ratios, then how they came about. " +
          "Needs an MPI with its compiler, as of the Debian packages gcc, libopenmpi-dev and openmpi-bin.",
      ),
  )
    .addOption(
      new Option("--mpi <name>", "whose mpirun, mpicc and library")
        .choices(["openmpi", "mpich"])
        .default("openmpi"),
    )
    .option(
      "--tcp",
      "messages go through TCP, as between machines, and not through shared memory (Open MPI only)",
    )
    .addOption(new Option("--only <part>", "one part alone").choices(["collectives", "exchange"]))
    .option("--sizes <list>", "bytes of items: of 8, 16, 32 and 128 (default: all)", numberList)
    .addOption(json("one document tundish/bench-mpi@1"));
  withExamples(command, [
    ["tundish bench mpi", "some minutes"],
    ["tundish bench mpi --only collectives --turns 5", "barrier, broadcast and allreduce, in half a minute"],
    ["tundish bench mpi --only exchange --sizes 8 --tcp", "conveyors beside MPI_Alltoallv, messages by TCP"],
    ["tundish bench mpi --mpi mpich --json", "for programs"],
  ]);
  act<BenchMpiOptions>(command, async (options, output) =>
    (await import("../commands/bench-mpi.ts")).benchMpiCommand(options, output),
  );
}
