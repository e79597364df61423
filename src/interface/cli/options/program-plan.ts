/** The command `plan` and its options: the content of `--help`. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { DISCIPLINES } from "../../../route/disciplines/options.ts";
import type { PlanCommandOptions } from "../commands/plan.ts";
import { checkExchangeFlags } from "../commands/plan-exchange.ts";
import { act, json } from "../terminal/act.ts";
import {
  amount,
  budget,
  byteCount,
  fractionOf,
  itemsPerSecond,
  jsonValue,
  meshSizes,
  milliseconds,
  wholeNumber,
} from "../terminal/arguments.ts";
import { withExamples } from "../terminal/help.ts";
import { networkOption } from "../terminal/network.ts";

/** A choice among numbers; commander's own choices are strings. */
const oneOf = (flag: string, meaning: string, values: readonly number[]): Option =>
  new Option(flag, `${meaning}; one of ${values.join(", ")}`).argParser((text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && values.includes(value)) return value;
    throw new InvalidArgumentError(`Expected one of ${values.join(", ")}.`);
  });

/** Adds `plan`. */
export function addPlan(program: Command): void {
  const command = program
    .command("plan")
    .summary("choose options of a conveyor or an exchange")
    .description(
      "Chooses type, hops, group size and buffers of a conveyor from a machine model and its load, and prints the predicted times " +
        "of other choices. Without FILE: the model that TUNDISH_MACHINE names, else machine.json here, else a guess. With -o the " +
        "plan is written as a document, for --plan, launch({ plan }) and TUNDISH_PLAN.\n\n" +
        "With --exchange it chooses discipline, bytes of a turn, window and pace of an exchange.\n\n" +
        "With --tune the program is run with the most promising choices in turn, here or under mpirun, and the fastest " +
        "are kept. Names and loads of its conveyors are taken from its runs; --pes are those of a node, and " +
        "what the program writes goes to stderr.",
    )
    .argument("[file]", "machine model of a node; - is stdin")
    .option("--item-bytes <n>", "bytes of an item; required without --tune and --exchange", byteCount)
    .option(
      "--load <n>",
      "items that a PE pushes in a session, about; required without --tune and --exchange",
      wholeNumber(1),
    )
    .option("-n, --pes <n>", "PEs on all nodes (default: those of the model, on each node)", wholeNumber(1, 2 ** 20))
    .option("--nodes <n>", "number of nodes, with the same number of PEs on each (default: 1)", wholeNumber(1, 2 ** 20))
    .option("--destinations <n>", "PEs that a PE pushes or sends to, about (default: all)", wholeNumber(1))
    .option(
      "--rate <n>",
      "items per second that a PE pushes, for the least cost of messages and delays; beside --load and --delay-cost",
      itemsPerSecond,
    )
    .option(
      "--delay-cost <ns>",
      "with --rate: ns of a PE's time that each ns of an item's delay costs, such as 0.1",
      amount,
    )
    .option("--steady", "for a steady conveyor, which is not simple")
    .option("--elastic", "for items of any length, about --item-bytes")
    .option("--max-bytes <bytes>", "memory for each PE (default: 4M, and 128M for all of a node)", byteCount)
    .option(
      "--network <name>",
      "between nodes: measured (internode of FILE, the default where it has that), a name, or options as JSON",
      networkOption,
    )
    .option("--alpha <ns>", "latency of a message between nodes (default: 1500)", amount)
    .option("--beta <ns>", "time per byte between nodes (default: 0.1)", amount)
    .option("--receiver <ns>", "time for which a node is busy receiving a message from another (default: 300)", amount)
    .addOption(new Option("--type <name>", "force the type").choices(["tensor", "simple", "trivial"]))
    .addOption(oneOf("--hops <n>", "force the number of hops", [1, 2, 3]))
    .option("--group-size <n>", "force the PEs of a group", wholeNumber(1))
    .option(
      "--mesh <sizes>",
      "force a mesh of so many PEs along each dimension, as 3x5x7, the least dimension first",
      meshSizes,
    )
    .option("--buffer-bytes <bytes>", "force the size of buffers", byteCount)
    .addOption(oneOf("--buffers-per-link <n>", "force the number of buffers for each link", [1, 2, 4]))
    .option("--threshold <fraction>", "force the part of a buffer from which on it is sent", fractionOf(true))
    .option(
      "--cutoff <fraction>",
      "force the part of a buffer: a longer item leaves at once; 0: each item",
      fractionOf(false),
    )
    .option("--max-delay <ms>", "force the time that an item waits in buffers, at most", budget)
    .option("--max-buffered-bytes <bytes>", "force the bytes that wait in the open buffers of a PE, at most", byteCount)
    .option("--conveyor <name>", "the name of the conveyor in the document (default: *, all without an entry)")
    .option("--exchange <name>", "plan the exchange of this name; * is all without an entry")
    .option("--bytes <bytes>", "with --exchange: bytes that a PE sends in a phase; required", byteCount)
    .option("--block-bytes <bytes>", "with --exchange: bytes of a block (default: --bytes / --destinations)", byteCount)
    .option(
      "--skew <ratio>",
      "with --exchange: bytes of the receiver that gets the most, by the mean (default: 1)",
      amount,
    )
    .addOption(
      new Option("--discipline <name>", "force the discipline; static is of exchanges only").choices(DISCIPLINES),
    )
    .option("--chunk-bytes <bytes>", "with --exchange: force the bytes of a turn", byteCount)
    .option("--packet-bytes <bytes>", "with --exchange: force the size of buffers", byteCount)
    .option("--window <n>", "with --exchange: force the rounds that are booked ahead", wholeNumber(1, 31))
    .option("--barrier-every <n>", "with --exchange: force a barrier after so many rounds; 0: none", wholeNumber(0))
    .option("--pace <bytes>", "with --exchange: force the bytes per second of a PE, at most", byteCount)
    .option("--add <file>", "a document for the same PEs, to which it is added; - is stdin")
    .option("--trees <file>", "trees of a node to put beside it, as `tundish tree --json` prints them")
    .option(
      "--tune <program>",
      "measure the choices for the conveyors of this program; with --conveyor those of one name",
    )
    .option("--args <json>", "with --tune: the program's second argument (default: [])", jsonValue)
    .option("--choices <n>", "with --tune: predicted choices to try for each name (default: 6)", wholeNumber(1, 100))
    .option(
      "--warm <n>",
      "with --tune: runs of its main before the measured one, in each run (default: 0)",
      wholeNumber(0, 1000),
    )
    .option(
      "--turns <n>",
      "with --tune: runs of each choice, twice as many where they are close (default: 5)",
      wholeNumber(1, 1000),
    )
    .option(
      "--budget <ms>",
      "with --tune: no more runs of close choices after this time (default: 60000)",
      milliseconds,
    )
    .option("--timeout <ms>", "with --tune: limit of each run (default: 60000)", milliseconds)
    .option("-o, --output <file>", "where to write the document")
    .addOption(json("the document tundish/plan@1"));
  withExamples(command, [
    ["tundish plan machine.json --item-bytes 16 --load 100000", "on one node"],
    ["tundish plan machine.json --nodes 8 --item-bytes 16 --load 1000", "on eight nodes"],
    ["tundish plan machine.json --item-bytes 16 --load 1000 --hops 2", "the best with two hops"],
    [
      "tundish plan machine.json --item-bytes 16 --load 1e6 --max-delay 2",
      "and no item waits in buffers for more than 2 ms",
    ],
    [
      "tundish plan --item-bytes 16 --load 1e5 --rate 1e6 --delay-cost 0.1",
      "where a delay of an item costs a tenth of as much time",
    ],
    ["tundish plan machine.json --item-bytes 16 --load 1000 -o plan.json", "a document for tundish run --plan"],
    [
      "tundish plan --item-bytes 64 --load 10 --conveyor edges --add a.json -o b.json",
      "and the conveyors named edges in the same document",
    ],
    [
      "tundish plan cluster.json --nodes 4 --exchange rows --bytes 1M -o plan.json",
      "the discipline of the exchange named rows",
    ],
    ["tundish plan --tune app.js -o plan.json", "what is fastest on this machine"],
    [
      "mpirun -n 2 --bind-to none tundish plan --tune=app.js -o plan.json",
      "what is fastest on these two nodes (Open MPI)",
    ],
  ]);
  act<PlanCommandOptions>(command, async (options, output, [operand]) => {
    const file = operand as string | undefined;
    const { tune } = options;
    checkExchangeFlags(options);
    return tune === undefined
      ? (await import("../commands/plan.ts")).planCommand(file, options, output)
      : (await import("../commands/tune.ts")).tuneCommand(file, { ...options, tune }, output);
  });
}
