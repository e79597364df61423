/** The command `report` and its options: the content of `--help`. */
import type { Command } from "commander";
import { UsageError } from "../../../ground/base/errors.ts";
import type { ReportCommandOptions } from "../report/report.ts";
import { act, json } from "../terminal/act.ts";
import { byteCount, milliseconds, wholeNumber } from "../terminal/arguments.ts";
import { withExamples } from "../terminal/help.ts";

/** Commander keeps the last of an option and its opposite; both together cannot be meant. */
const chosen =
  (wanted: boolean) =>
  (_: string, before: boolean | undefined): boolean => {
    if (before === !wanted) throw new UsageError("expected one of --measure and --no-measure, got both.");
    return wanted;
  };

/** Adds `report`. */
export function addReport(program: Command): void {
  const command = program
    .command("report")
    .summary("one page about a machine, to pass on")
    .description(
      "Writes one HTML page that stands alone: from which time on loops gain on several PEs, the machine and " +
        "the costs of its messages, its trees, predicted and measured times, collectives by size, conveyors beside postMessage, a plan. " +
        "Without FILE: the model that TUNDISH_MACHINE names, else machine.json here; if there is none, or it is of another " +
        "machine, this machine is profiled first. With a model of another machine nothing is measured. If the machine did not stay " +
        "in one mode, the exit code is 4.",
    )
    .argument("[file]", "machine model; - is stdin")
    .option(
      "-o, --output <file>",
      "where to write it; a name that ends in .json is that of the document; - is stdout (default: report.html)",
    )
    .option("--title <text>", "the title (default: the name of the model)")
    .option("--from <file>", "make the page of a document tundish/report@1; - is stdin")
    .option("--measure", "measure, or fail if the model is not of this machine (default: if it is)", chosen(true))
    .option("--no-measure", "measure nothing; without FILE and a model here it is guessed", chosen(false))
    .option(
      "--budget <ms>",
      "time for the measurements after the profile: more turns of each (default: 40000)",
      milliseconds,
    )
    .option("--quick", "few and short batches: to see that it works, not how fast")
    .option(
      "--nodes <n>",
      "nodes of the plan and of its trees (default: as many as the model was measured on, 4 if it has costs between nodes without a number, else 1)",
      wholeNumber(1, 2 ** 20),
    )
    .option("--item-bytes <n>", "bytes of an item that is planned for (default: 16)", byteCount)
    .option("--load <n>", "items that a PE pushes in a session of the plan (default: 1e5)", wholeNumber(1))
    .addOption(json("the document tundish/report@1"));
  withExamples(command, [
    ["tundish report", "this machine, in about a minute"],
    ["tundish report --budget 300000", "with more turns"],
    ["tundish report machine.json --no-measure -o - > page.html", "what the model says alone"],
    ["tundish report cluster.json --nodes 8", "eight nodes like the measured ones"],
    ["tundish report -o report.json", "the document, to make pages of"],
    ["tundish report --from report.json -o page.html", "a page of it"],
  ]);
  act<ReportCommandOptions>(command, async (options, output, [file]) =>
    (await import("../report/report.ts")).reportCommand(file as string | undefined, options, output),
  );
}
