/** The commands of `tundish bench` with their options. */
import { createRequire } from "node:module";
import { type Command, Option } from "commander";
import { act, json } from "../../../../../src/interface/cli/terminal/act.ts";
import { milliseconds, numberList, wholeNumber } from "../../../../../src/interface/cli/terminal/arguments.ts";
import { channelOption } from "../../../../../src/interface/cli/terminal/channel.ts";
import { withExamples } from "../../../../../src/interface/cli/terminal/help.ts";
import { newProgram, withHelp } from "../../../../../src/interface/cli/terminal/parse.ts";
import type { PlanNetwork } from "../../plan/plan-cases.ts";
import type { BenchCollectivesOptions, BenchCrossoversOptions } from "../commands/bench.ts";
import type { BenchPlanOptions } from "../commands/bench-plan.ts";
import type { BenchTreesOptions } from "../commands/bench-trees.ts";
import { benchmark, besideOthers } from "./bench-command.ts";
import { addBenchAdapt } from "./program-bench-adapt.ts";
import { addBenchAppend } from "./program-bench-append.ts";
import { addBenchChannels } from "./program-bench-channels.ts";
import { addBenchContainers } from "./program-bench-containers.ts";
import { addBenchConveyors } from "./program-bench-conveyors.ts";
import { addBenchKernels } from "./program-bench-kernels.ts";
import { addBenchLatency } from "./program-bench-latency.ts";
import { addBenchLaunch } from "./program-bench-launch.ts";
import { addBenchLoops } from "./program-bench-loops.ts";
import { addBenchMpi } from "./program-bench-mpi.ts";
import { addBenchPaper } from "./program-bench-paper.ts";
import { addBenchPrograms } from "./program-bench-programs.ts";
import { addBenchShared } from "./program-bench-shared.ts";
import { addBenchSmelt } from "./program-bench-smelt.ts";
import { addBenchStealing } from "./program-bench-stealing.ts";
import { addBenchTraffic } from "./program-bench-traffic.ts";
import { addBenchTram } from "./program-bench-tram.ts";

/** The program `tundish bench`, ready to parse. */
export function benchProgram(): Command {
  const { version } = createRequire(import.meta.url)("tundish-bench/package.json") as { version: string };
  const bench = newProgram("tundish bench", version).description(
    "Measures on this machine, in turns and on the same CPUs. Two CPUs of a virtual machine may be near to each other " +
      "or far, and this may change within seconds: a probe before and after each turn detects it, and each mode has its own figures. " +
      "bench trees, bench plan, bench traffic, bench tram and bench paper use machine models and the simulator; with --measure, bench plan and bench traffic measure.",
  );
  withExamples(bench, [
    ["tundish bench collectives", "beside postMessage, GOMP, Open MPI, MPICH and C"],
    ["tundish bench conveyors", "beside plain C, postMessage and a queue"],
    ["tundish bench trees models/", "our trees and published ones, on all models there"],
    ["tundish bench traffic --measure", "on the threads of this machine, or under mpirun"],
  ]);
  bench.commandsGroup("With other programs, on this machine:");
  addBenchCollectives(bench);
  addBenchLaunch(bench);
  addBenchConveyors(bench);
  addBenchContainers(bench);
  addBenchKernels(bench);
  addBenchShared(bench);
  addBenchLoops(bench);
  addBenchPrograms(bench);
  addBenchLatency(bench);
  addBenchChannels(bench);
  addBenchAppend(bench);
  addBenchMpi(bench);
  bench.commandsGroup("Algorithms with each other, on this machine:");
  addBenchCrossovers(bench);
  addBenchAdapt(bench);
  addBenchStealing(bench);
  addBenchSmelt(bench);
  bench.commandsGroup("By machine models, and in the simulator:");
  addBenchTrees(bench);
  addBenchPlan(bench);
  addBenchTraffic(bench);
  addBenchTram(bench);
  addBenchPaper(bench);
  withHelp(bench);
  return bench;
}

function addBenchCollectives(bench: Command): void {
  const command = besideOthers(
    bench
      .command("collectives")
      .summary("barrier, broadcast, allreduce beside others")
      .description(
        "Measures our collectives, postMessage, barriers on a SharedArrayBuffer, npm multithreading, and, if gcc and " +
          "the Debian packages are installed, C programs for GOMP, Open MPI, MPICH and the raw limit. Prints the ratios " +
          "beside the targets, then everything, then our collectives over each kind of channels. A target that is missed does not change the exit code.",
      ),
  )
    .addOption(channelOption())
    .addOption(json("one document tundish/bench-collectives@1"));
  withExamples(command, [
    ["tundish bench collectives", "about half a minute"],
    ["tundish bench collectives --mode 105", "only while the CPUs are near, 105 ns there and back"],
    ["tundish bench collectives --turns 1 --json", "for programs"],
  ]);
  act<BenchCollectivesOptions>(command, async (options, output) =>
    (await import("../commands/bench.ts")).benchCollectivesCommand(options, output),
  );
}

function addBenchCrossovers(bench: Command): void {
  const command = benchmark(
    bench
      .command("crossovers")
      .summary("sizes from which another algorithm is faster")
      .description(
        "Measures the algorithms of broadcast, reduce and allreduce on the PEs of the machine model, and from which size " +
          "on the one for long arrays is faster. Runs with that model use the result.",
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
    (await import("../commands/bench.ts")).benchCrossoversCommand(options, output),
  );
}

function addBenchTrees(bench: Command): void {
  const command = bench
    .command("trees")
    .summary("our trees, published ones, bound and optimum")
    .description(
      "Derives the trees of machine models and prints how many times their latency the published algorithms take, how " +
        "far they are above the lower bound, and how long it took to derive them; then the means over all models with 8 " +
        "PEs or more. All latencies are predicted by the models. Without FILES: the model that " +
        "TUNDISH_MACHINE names, else machine.json here, else a guess of this machine.",
    )
    .argument("[files...]", "machine models, or folders of them; - is stdin")
    .addOption(
      new Option("--operation <name>", "print the ratio of every algorithm in this operation").choices([
        "broadcast",
        "reduce",
        "barrier",
      ]),
    )
    .option(
      "--groups <n>",
      "draw n groups of 8 to 13 PEs per model, and compare the search with the optimum",
      wholeNumber(1, 100_000),
    )
    .option(
      "--runs <n>",
      "search n times ten times as long per model of at most 256 PEs, for the best known tree",
      wholeNumber(1, 1000),
    )
    .option("--ranks <n>", "also compare trees over n ranks on nodes like each model", wholeNumber(1, 65_536))
    .option("--budget <ms>", "time to search, per model or group", milliseconds)
    .option("--seed <n>", "seed of random numbers (default: 1)", wholeNumber(0))
    .addOption(json("one document tundish/bench-trees@1"));
  withExamples(command, [
    ["tundish bench trees machine.json", "one model"],
    ["tundish bench trees machines --operation reduce", "all models in a folder, all algorithms"],
    [
      "tundish bench trees machines --groups 2 --runs 3",
      "measure the quality of the search: minutes for a hundred models",
    ],
    ["tundish bench trees a.json b.json --json", "for programs"],
  ]);
  act<BenchTreesOptions>(command, async (options, output, [files]) =>
    (await import("../commands/bench-trees.ts")).benchTreesCommand(files as string[], options, output),
  );
}

function addBenchPlan(bench: Command): void {
  const command = bench
    .command("plan")
    .summary("plans of conveyors, beside the best choice")
    .description(
      "Draws machines, networks and loads, runs every choice of a grid for each in virtual time, and prints how much longer the plan " +
        "takes than the best, than bale's rule and than TRAM's defaults. Without FILES all messages within a node have the same cost. " +
        "Takes some seconds for each case.\n\n" +
        "With --figure the open buffers of FILE (items.open) count.\n\n" +
        "With --aggregation machines, rates and costs of delays are drawn, and the buffers of the model of aggregation are compared with the " +
        "best of a sweep, in virtual time.\n\n" +
        "With --measure the choices are run on real threads of this machine, under mpirun on its nodes, and the plan and " +
        "the tuned plan are compared with the best of them. FILE is then the model of this machine.",
    )
    .argument("[files...]", "machine models of nodes, or folders of them; - is stdin")
    .option("--cases <n>", "number of machines and loads (default: 100)", wholeNumber(1, 10_000))
    .option("--from <n>", "the first of them (default: 1)", wholeNumber(1, 10_000))
    .option("--seed <n>", "seed of random numbers (default: 1); no fit has seen any", wholeNumber(0))
    .addOption(
      new Option(
        "--network <kind>",
        "between nodes: what can be congested; a line; one node (default: congested)",
      ).choices(
        // those of plan/plan-cases.ts, which --help does not load
        ["congested", "simple", "none"] satisfies PlanNetwork[],
      ),
    )
    .addOption(
      new Option("--figure <n>", "bandwidth by nodes and hops instead, predicted and simulated")
        .argParser(Number)
        .choices(["5"]),
    )
    .option("--svg <file>", "with --figure: draw it")
    .option("--caches", "with --figure: as if pushes waited for their lines in caches as the paper's")
    .option("--most-nodes <n>", "with --figure: up to so many nodes (default: 2048)", wholeNumber(2, 2 ** 15))
    .option("--item-bytes <n>", "with --figure: bytes of an item (default: 16)", wholeNumber(1))
    .option("--load <n>", "with --figure: items that each PE pushes (default: 1024)", wholeNumber(1))
    .option("--aggregation", "judge the model of aggregation by sweeps of buffers instead (default: 60 cases)")
    .option("--measure", "measure on real threads, 18 loads on 2, 4 and 8 PEs")
    .option("--pes <list>", "with --measure: PEs of each node (default: 2,4,8)", numberList)
    .option("--turns <n>", "with --measure: samples of each choice (default: 16)", wholeNumber(2, 1000))
    .option("--quick", "with --measure: few and short samples")
    .addOption(
      json("one document tundish/bench-plan@2, tundish/bench-plan-measured@1, tundish/bench-plan-aggregation@1"),
    );
  withExamples(command, [
    ["tundish bench plan machines", "100 cases, nodes like those in the folder"],
    ["tundish bench plan --cases 10", "in a minute"],
    ["tundish bench plan machines --network none", "on single nodes"],
    ["tundish bench plan machines --seed 2 --json", "other cases, for programs"],
    ["tundish bench plan --figure 5 --svg figure.svg", "1 to 2048 nodes of 32 PEs"],
    ["tundish bench plan --aggregation", "buffers for a rate and the cost of delays, two minutes"],
    ["tundish bench plan --measure", "on the threads of this machine, about a minute"],
  ]);
  act<BenchPlanOptions>(command, async (options, output, [operands]) => {
    const files = operands as string[];
    if (options.figure !== undefined)
      return (await import("../commands/bench-plan-figure.ts")).benchPlanFigureCommand(files[0], options, output);
    if (options.aggregation === true) {
      return (await import("../commands/bench-plan-aggregation.ts")).benchPlanAggregationCommand(options, output);
    }
    return options.measure === true
      ? (await import("../commands/bench-plan-measure.ts")).benchPlanMeasureCommand(files[0], options, output)
      : (await import("../commands/bench-plan.ts")).benchPlanCommand(files, options, output);
  });
}
