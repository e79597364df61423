/** All commands of the CLI and their options: the content of `--help`. */

import { createRequire } from "node:module";
import { Argument, type Command, Option } from "commander";
import { algorithms } from "../../../ground/base/tree-algorithms.ts";
import type { ProfileCommandOptions } from "../commands/profile.ts";
import type { RunCommandOptions } from "../commands/run.ts";
import type { StartCommandOptions } from "../commands/start.ts";
import type { TreeCommandOptions } from "../commands/tree.ts";
import { act, json } from "../terminal/act.ts";
import { budget, byteCount, milliseconds, numberList, wholeNumber } from "../terminal/arguments.ts";
import { channelOption } from "../terminal/channel.ts";
import { fitOption } from "../terminal/fit.ts";
import { withExamples } from "../terminal/help.ts";
import { newProgram, withHelp } from "../terminal/parse.ts";
import { addInit } from "./program-init.ts";
import { addPlan } from "./program-plan.ts";
import { addReport } from "./program-report.ts";
import { addSimulate } from "./program-simulate.ts";

/** The program, ready to parse. Usage errors and requests for help are thrown as CommanderError. */
export function tundishProgram(): Command {
  const { version } = createRequire(import.meta.url)("tundish/package.json") as { version: string };
  const program = newProgram("tundish", version).description(
    "Runs one program on all cores of a machine, or of many: collectives and streams of items between threads, as fast " +
      "as the measured machine allows.",
  );
  program.commandsGroup("First steps:");
  addInit(program);
  addDoctor(program);
  addStart(program);
  addRun(program);
  program.commandsGroup("Measure, plan, simulate:");
  addProfile(program);
  addTree(program);
  addPlan(program);
  addReport(program);
  addSimulate(program);
  program.commandsGroup("Compare with other programs and algorithms:");
  // its words are handed to the package before any are parsed here
  program.command("bench [words...]").summary("measure beside other programs (npm tundish-bench)");
  withHelp(program);
  return withExamples(program, [
    ["tundish init", "write a first program into this folder"],
    ["tundish doctor", "what is available here, and what is missing"],
    ["tundish start", "a measurement of this machine in a minute"],
    ["tundish run app.js -n 8 -- args", "run a program on 8 PEs"],
    ["tundish run --help", "options and examples of a command"],
  ]);
}

function addDoctor(program: Command): void {
  const command = program
    .command("doctor")
    .summary("check this machine, with advice")
    .description(
      "Checks what Tundish requires and can use here. --verbose adds the table of settings. The exit code is that of a " +
        "run here: 3 if something required is missing, 2 if a setting or the machine model is invalid.",
    )
    .addOption(json("one document tundish/doctor@1"));
  withExamples(command, [
    ["tundish doctor", "one line per finding: ok, note, missing or wrong"],
    ["tundish doctor --json", "the same for programs"],
  ]);
  act(command, async (_, output) => (await import("../doctor/doctor.ts")).doctor(output));
}

function measuring(command: Command): Command {
  return command
    .option("-o, --output <file>", "where to write the machine model (default: machine.json)")
    .option("--cpus <list>", "the CPUs to measure, such as 0,2,5-7 (default: one per usable core)", numberList)
    .addOption(channelOption())
    .option("--rounds <n>", "rounds per pair and batch size in one pass", wholeNumber(1))
    .option(
      "--budget <ms>",
      "start no new pass after this time; between nodes the same time is allowed again; below 1000 what is " +
        "measured besides passes has less time, and is rougher",
      milliseconds,
    );
}

function addProfile(program: Command): void {
  const command = measuring(
    program
      .command("profile")
      .summary("measure this machine into machine.json")
      .description(
        "Measures the cost of sending and receiving between each two CPUs, prints topology, costs and noise, and " +
          "writes the machine model. With --json and no -o no file is written. If the measurement is not " +
          "stable, the file is written nevertheless, and the exit code is 4. Under mpirun, with one process per node, " +
          "the first process measures its machine, then all the messages between nodes; where these vary too much they are " +
          "left out of the file, and the exit code is 4.",
      ),
  )
    .addOption(new Option("--guess", "do not measure: guess the model from the topology; written only with -o"))
    .addOption(
      new Option("--machine <description>", "guess a machine that hwloc describes")
        .implies({ guess: true })
        .conflicts("xml"),
    )
    .addOption(new Option("--xml <file>", "guess the machine in an lstopo XML file").implies({ guess: true }))
    .option("--keep-noisy", "keep costs between nodes that vary too much; plans do not go by them")
    .addOption(json("the document tundish/machine@1"));
  withExamples(command, [
    ["tundish profile", "measure all usable cores, write machine.json"],
    ["tundish profile --cpus 0-3 -o four.json", "measure four CPUs"],
    ["mpirun -n 8 --map-by node --bind-to none tundish profile -o cluster.json", "measure a cluster of 8 nodes"],
    ['tundish profile --machine "pack:2 l3:4 core:8 pu:2" -o big.json', "guess a machine you do not have"],
  ]);
  act<ProfileCommandOptions>(command, async (options, output) =>
    (await import("../commands/profile.ts")).profileCommand(options, output),
  );
}

function addTree(program: Command): void {
  const command = program
    .command("tree")
    .summary("show the trees of a machine, their quality")
    .description(
      "Derives the trees of a machine model. Without FILE: the model that TUNDISH_MACHINE names, else machine.json " +
        "here, else a guess; then the most promising trees are measured here, and the fastest stored for later runs. " +
        "TUNDISH_TREES applies to worlds only. PEs are numbered as in the model.",
    )
    .argument("[file]", "machine model; - is stdin")
    .option("--cores <list>", "the PEs of the group, such as 0,5,10-12 (default: all)", numberList)
    .option("--root <n>", "the root of all trees (default: the best)", wholeNumber(0))
    .addOption(
      new Option("--algorithm <name>", "the algorithm that builds the trees (default: adaptive)").choices(algorithms),
    )
    .option("--budget <ms>", "time to search; 0 for the best of the published trees", budget)
    .option("--seed <n>", "seed of random numbers", wholeNumber(0))
    .option("--svg <file>", "draw the broadcast tree over time into a file; - is stdout, without the report")
    .option("--dot <file>", "write the broadcast tree for Graphviz; - is stdout, without the report")
    .addOption(
      new Option("--draw <operation>", "what --svg and --dot show instead").choices(["broadcast", "reduce", "barrier"]),
    )
    .option("--compare", "print only the table of all algorithms")
    .option("--denoise", "remove outliers and doubtful detail first (default: for this machine's own model)")
    .option("--no-denoise", "use every cost unchanged")
    .option("--no-contest", "without FILE: choose by the model, measure nothing")
    .addOption(json("the document tundish/trees@1"));
  withExamples(command, [
    ["tundish tree", "the trees of this machine"],
    ["tundish tree machine.json --root 0 --svg tree.svg", "with PE 0 as the root, and a drawing"],
    ["tundish tree machine.json --draw barrier --svg barrier.svg", "every message of the barrier"],
    ["tundish tree big.json --cores 0-15 --compare", "all algorithms on 16 of its PEs"],
    ["tundish profile --json | tundish tree - --json", "for programs"],
  ]);
  act<TreeCommandOptions>(command, async (options, output, [file]) =>
    (await import("../commands/tree.ts")).treeCommand(file as string | undefined, options, output),
  );
}

function addRun(program: Command): void {
  const command = program
    .command("run")
    .summary("run a program on all cores")
    .description(
      "Runs a module whose default export is made by spmd() on every PE, and prints what each PE's main returned: " +
        "`rank: value`. Without --machine the model is the one that TUNDISH_MACHINE names, else machine.json here, else a guess.",
    )
    .argument("<module>", "path of the module; TypeScript needs tsx, or Node 22.18 or later")
    .addArgument(new Argument("[args...]", "passed to main as its second argument, a string[]"))
    .option(
      "-n, --pes <n>",
      "number of PEs (default: those of the plan, else one per usable core)",
      wholeNumber(1, 4096),
    )
    .option("--machine <file>", "machine model to plan with")
    .addOption(
      new Option(
        "--trees <name>",
        "the algorithm that builds the trees, without measurement (default: TUNDISH_TREES, else the best known trees)",
      ).choices(algorithms),
    )
    .option(
      "--plan <file>",
      "a document tundish/plan@1: choices of conveyors, trees, and the number of PEs (default: TUNDISH_PLAN, else none)",
    )
    .addOption(fitOption())
    .addOption(channelOption())
    .option("--timeout <ms>", "time the whole run may take", milliseconds)
    .option("--wait-timeout <ms>", "time that one wait for other PEs may take", milliseconds)
    .option("--stall-after <ms>", "time without progress in conveyors before a warning (default: 10000)", milliseconds)
    .option("--trace <file>", "write a trace of conveyors, for chrome://tracing or ui.perfetto.dev")
    .option("--tag-output", "begin each line that a PE prints with its rank")
    .option("--no-pin", "do not bind PEs to CPUs")
    .option("--heap <bytes>", "size of the shared heap, such as 512M or 2G (default: 1G)", byteCount)
    .addOption(
      new Option(
        "--json",
        "print one document tundish/run@1; what the program prints goes to stderr; bigints, NaN and infinities become strings",
      ),
    );
  withExamples(command, [
    ["tundish run app.js", "one PE per usable core"],
    ["tundish run app.js -n 8 -- --size 1000 in.txt", "8 PEs; main gets ['--size', '1000', 'in.txt']"],
    ["tundish run app.js --trees smelt", "on Smelt's trees; pe.explain() shows them"],
    ["tundish run app.js --plan plan.json", "as tundish plan -o has planned"],
    ["mpirun -n 2 --bind-to none tundish run app.js -n 4", "two nodes, one world of 8 PEs"],
    ["tundish run app.js --timeout 60000 --json", "at most a minute, the results as JSON"],
  ]);
  act<RunCommandOptions>(command, async (options, output, [module, args]) =>
    (await import("../commands/run.ts")).runCommand(module as string, args as string[], options, output),
  );
}

function addStart(program: Command): void {
  const command = measuring(
    program
      .command("start")
      .summary("measure this machine, compare with Node.js")
      .description(
        "Profiles this machine, writes machine.json, derives the trees, runs the collectives on them, and prints all of " +
          "it with what Node.js offers. If a measurement is not stable, a note says so; the exit code " +
          "is 0. The comparison has the time of --budget again.",
      ),
  )
    .option("--turns <n>", "turns of each program in the comparison (default: 3)", wholeNumber(1, 1000))
    .addOption(json("one document tundish/start@1 {machine, trees, comparison}"));
  withExamples(command, [
    ["tundish start", "everything, in less than a minute on 2 cores"],
    ["tundish start --json", "the same for programs"],
  ]);
  act<StartCommandOptions>(command, async (options, output) =>
    (await import("../commands/start.ts")).startCommand(options, output),
  );
}
