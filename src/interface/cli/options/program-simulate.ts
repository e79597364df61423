/** The command `simulate` and its options: the content of `--help`. */
import type { Command } from "commander";
import { networks } from "../../../plan/network/networks.ts";
import type { SimulateCommandOptions } from "../commands/simulate.ts";
import { act, json } from "../terminal/act.ts";
import { amount, byteCount, jsonValue, milliseconds, wholeNumber } from "../terminal/arguments.ts";
import { fitOption } from "../terminal/fit.ts";
import { withExamples } from "../terminal/help.ts";
import { networkOption } from "../terminal/network.ts";

/** Adds `simulate`. */
export function addSimulate(program: Command): void {
  const command = program
    .command("simulate")
    .summary("run a program on virtual PEs")
    .description(
      "Runs a module whose default export is spmd(async (pe, args) => …), as tundish run does, or a generator function, as " +
        "simulate() takes it, on virtual PEs in one thread, and prints what its conveyors have sent, by hop. The same seed gives the " +
        "same run. Times are virtual, by --machine and the costs below.",
    )
    .argument("<file>", "path of the module")
    .option(
      "-n, --pes <n>",
      "number of virtual PEs (default: those of --plan, else it is required)",
      wholeNumber(1, 2 ** 20),
    )
    .option("--nodes <n>", "number of nodes, with the same number of PEs on each (default: 1)", wholeNumber(1, 2 ** 20))
    .option("--machine <file>", "machine model of a node; - is stdin (default: 50 ns to send, 50 ns to receive)")
    .option(
      "--network <name>",
      `parameters of a network (${Object.keys(networks).join(", ")}), measured: those of --machine between nodes, or ` +
        'JSON such as {"like":"cm-5","queue":4} (docs/simulate.md)',
      networkOption,
    )
    .option("--alpha <ns>", "latency of a message between nodes (default: 1500)", amount)
    .option("--beta <ns>", "time per byte between nodes (default: 0.1)", amount)
    .option("--receiver <ns>", "time for which a node is busy receiving a message from another (default: 300)", amount)
    .option("--plan <file>", "a document tundish/plan@1 with the choices of conveyors; - is stdin")
    .addOption(fitOption())
    .option("--seed <n>", "seed of random numbers (default: 1)", wholeNumber(0))
    .option("--jitter <x>", "increase each delay by up to x times itself (default: 0)", amount)
    .option("--timeout <ms>", "limit of the run in virtual time (default: 10000)", milliseconds)
    .option("--memory <bytes>", "memory for buffers, at most 4G (default: 1G)", byteCount)
    .option("--args <json>", "passed to the program as its second argument", jsonValue)
    .addOption(json("the document tundish/simulation@1"));
  withExamples(command, [
    ["tundish simulate program.js --pes 64", "64 PEs that share memory"],
    ["tundish simulate program.js --pes 4096 --nodes 256", "256 nodes of 16 PEs, and a network"],
    ["tundish simulate program.js -n 64 --nodes 64 --network cm-5", "a fat tree that can be congested"],
    [`tundish simulate program.js -n 8 --args '{"hops":2}'`, "the program gets { hops: 2 }"],
    ["tundish simulate program.js -n 8 --seed 7 --jitter 2", "another interleaving, delays of 1 to 3 times"],
    ["tundish simulate program.js -n 8 --json", "for programs"],
  ]);
  act<SimulateCommandOptions>(command, async (options, output, [file]) =>
    (await import("../commands/simulate.ts")).simulateCommand(file as string, options, output),
  );
}
