/** `tundish bench smelt` with its options. */
import { type Command, Option } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { numberList } from "../../../../../src/interface/cli/terminal/arguments.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import { SMELT_PARTS } from "../../smelt/smelt-parts.ts";
import type { BenchSmeltOptions } from "../commands/bench-smelt.ts";
import { benchmark } from "./bench-command.ts";

/** Adds `smelt` to `bench`. */
export function addBenchSmelt(bench: Command): void {
  const command = benchmark(
    bench
      .command("smelt")
      .summary("the evaluation of Smelt's paper, repeated")
      .description(
        "Section 5 of Smelt's paper (OSDI'16) in parts. trees: all trees on this machine beside their predictions. simulated: the same on " +
          "models of other machines. groups: groups of growing size, here and simulated. collectives: beside MPI and OpenMP. barriers: a tight " +
          "loop, beside those of the literature in C, GOMP, pthread and MPI, and EPCC's overhead. streamcluster: with our barrier, a stock one, and in C. " +
          "agreement: 1Paxos, atomic broadcast, two-phase commit and the store by replicas, along the tree and by sequential sending. " +
          "In turns, on the same CPUs. Needs gcc for C, and each MPI with its compiler; what is missing is named.",
      ),
  )
    .addOption(new Option("--only <part>", "run one part only").choices([...SMELT_PARTS]))
    .option("--pes <list>", "numbers of PEs, each on a CPU of its own (default: one for each core)", numberList)
    .option("--cpus <list>", "the CPUs, two or more (default: the usable ones, one for each core)", numberList)
    .option("--machine <file>", "model of this machine, for trees and predictions")
    .option("--machines <files...>", "models to simulate, or folders of them (default: ten of a checkout)")
    .option("--svg <file>", "draw part agreement: throughput and latency by replicas")
    .addOption(json("one document tundish/bench-smelt@1"));
  withExamples(command, [
    ["tundish bench smelt --pes 2,4,8,16", "everything, some minutes"],
    ["tundish bench smelt --only trees --machine machine.json", "with the model of tundish profile"],
    ["tundish bench smelt --only simulated --machines models", "on the models in a folder"],
    ["tundish bench smelt --quick --json", "for programs"],
  ]);
  act<BenchSmeltOptions>(command, async (options, output) =>
    (await import("../commands/bench-smelt.ts")).benchSmeltCommand(options, output),
  );
}
