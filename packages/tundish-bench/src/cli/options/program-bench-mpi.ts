/** The command `tundish bench mpi` with its options. */
import { type Command, Option } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { numberList } from "../../../../../src/interface/cli/terminal/arguments.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import type { BenchMpiOptions } from "../commands/bench-mpi.ts";
import { benchmark } from "./bench-command.ts";

/** Adds `mpi` to `bench`. */
export function addBenchMpi(bench: Command): void {
  const command = benchmark(
    bench
      .command("mpi")
      .summary("worlds over two nodes, beside plain MPI in C")
      .description(
        "Starts jobs by mpirun on this machine: two Tundish processes with 1 and with 2 PEs each, and C programs with as many " +
          "ranks. Compares barrier, broadcast and allreduce with those of MPI, and conveyors with 1 to a million items for " +
          "each pair of PEs, a session for each exchange and streamed, with counting, sorting and MPI_Alltoallv; and exchanges of " +
          "equal parts under four disciplines with MPI_Alltoallv alone. " +
          "Then a loop of uneven iterations by our PEs alone, under each schedule. " +
          "Prints the ratios, then the times. " +
          "Needs an MPI with its compiler, for example the Debian packages gcc, libopenmpi-dev and openmpi-bin.",
      ),
  )
    .addOption(
      new Option("--mpi <name>", "the MPI whose mpirun, mpicc and library to use")
        .choices(["openmpi", "mpich"])
        .default("openmpi"),
    )
    .option("--tcp", "send messages by TCP, as between machines, instead of shared memory (Open MPI only)")
    .addOption(
      new Option("--only <part>", "measure one part only").choices(["collectives", "exchange", "parts", "loops"]),
    )
    .option("--sizes <list>", "item sizes in bytes: some of 8, 16, 32 and 128 (default: all)", numberList)
    .addOption(json("one document tundish/bench-mpi@1"));
  withExamples(command, [
    ["tundish bench mpi", "some minutes"],
    ["tundish bench mpi --only collectives --turns 5", "barrier, broadcast and allreduce, in half a minute"],
    ["tundish bench mpi --only exchange --sizes 8 --tcp", "compare conveyors with MPI_Alltoallv, messages by TCP"],
    ["tundish bench mpi --only parts --tcp", "compare exchange.all with MPI_Alltoallv"],
    ["tundish bench mpi --mpi mpich --json", "for programs"],
  ]);
  act<BenchMpiOptions>(command, async (options, output) =>
    (await import("../commands/bench-mpi.ts")).benchMpiCommand(options, output),
  );
}
