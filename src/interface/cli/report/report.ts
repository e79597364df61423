/** `tundish report`: one page about a machine, or its document. */
import { UsageError } from "../../../ground/base/errors.ts";
import { readTopology } from "../../../machine/topology/topology.ts";
import { isAbsent, type ReportDocument } from "../../report/document.ts";
import { readReport } from "../../report/file.ts";
import { loadWarning } from "../../report/host.ts";
import { reportPage } from "../../report/page/page.ts";
import { type ExitCode, NOISY, OK } from "../terminal/exit.ts";
import { checkApart, checkFile, saveText } from "../terminal/files.ts";
import { interruptSignal } from "../terminal/interrupt.ts";
import { isJob } from "../terminal/job.ts";
import { defaultModelFile } from "../terminal/model.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { subjectOf } from "./subject.ts";

/** The options as parsed by commander. */
export interface ReportCommandOptions {
  readonly output?: string;
  readonly title?: string;
  readonly from?: string;
  /** Undefined: if the model is of this machine. */
  readonly measure?: boolean;
  readonly budget?: number;
  readonly quick?: boolean;
  readonly nodes?: number;
  readonly itemBytes?: number;
  readonly load?: number;
}

const PAGE_FILE = "report.html";
/** Those that have no effect on a document that is there. */
const OF_MAKING = ["measure", "budget", "quick", "nodes", "itemBytes", "load"] as const;

/**
 * Makes and writes a report; returns {@link NOISY} if what was measured cannot be trusted.
 * @throws ModelError for a file that is not a model; UsageError for options that do not fit together, for an output
 * that cannot be written, and for a document that is not a report; what the measurements throw
 */
export async function reportCommand(
  file: string | undefined,
  options: ReportCommandOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const target = targetOf(file, options, output);
  const report = options.from === undefined ? await make(file, options, output) : await again(options);
  await write(report, target, output);
  if (options.quick || options.from !== undefined) return OK;
  return verdict(report, output);
}

/** Checks the options; the file to write, `-` for stdout, undefined for the document of `--json` alone. */
function targetOf(
  file: string | undefined,
  options: ReportCommandOptions,
  { json }: CommandOutput,
): string | undefined {
  const { from, output: given } = options;
  if (isJob()) {
    throw new UsageError(
      "report runs in one process: expected no MPI launcher. Measure the nodes with `mpirun … tundish profile -o cluster.json`, then run: tundish report cluster.json",
    );
  }
  const idle = OF_MAKING.find((name) => options[name] !== undefined);
  if (from !== undefined && file !== undefined) {
    throw new UsageError(`--from has a model of its own: expected no FILE beside it, got ${file}.`);
  }
  if (from !== undefined && idle !== undefined) {
    const flag = idle.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${flag} is for a report that is made now: expected no --from beside it.`);
  }
  if (json && given === "-") throw new UsageError("stdout takes one of --json and --output -, got both.");
  const target = given ?? (json ? undefined : PAGE_FILE);
  if (target !== undefined && target !== "-") checkFile("--output", target);
  checkApart({ "--from": from, "the machine model": file ?? defaultModelFile(), "--output": target });
  return target;
}

async function again({ from, title }: ReportCommandOptions): Promise<ReportDocument> {
  const report = await readReport(from as string);
  return title === undefined ? report : { ...report, title };
}

async function make(
  file: string | undefined,
  options: ReportCommandOptions,
  output: CommandOutput,
): Promise<ReportDocument> {
  const topology = await readTopology();
  // before this command makes a load of its own
  const load = loadWarning(topology.cpus.length);
  const signal = interruptSignal(output);
  const subject = await subjectOf(file, options, { topology, signal, output });
  const { makeReport } = await import("../../report/report.ts");
  const progress = showProgress(output, "report");
  const { title, nodes, itemBytes, load: planned, budget: budgetMs, quick } = options;
  try {
    return await makeReport({
      ...subject,
      title,
      nodes,
      itemBytes,
      load: planned,
      budgetMs,
      quick,
      signal,
      command: commandOf(file, options),
      warnings: load === undefined ? [] : [load],
      onProgress: progress.onProgress,
    });
  } finally {
    progress.stop();
  }
}

/** As it can be typed again. */
function commandOf(file: string | undefined, options: ReportCommandOptions): string {
  const { output, title, measure, budget, quick, nodes, itemBytes, load } = options;
  const valued = { output, title, budget, nodes, "item-bytes": itemBytes, load };
  const words = [
    ...(file === undefined ? [] : [quoted(file)]),
    ...Object.entries(valued).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, quoted(String(value))],
    ),
    ...(measure === undefined ? [] : [measure ? "--measure" : "--no-measure"]),
    ...(quick ? ["--quick"] : []),
  ];
  return ["tundish report", ...words].join(" ");
}

const quoted = (word: string): string => (/^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

async function write(report: ReportDocument, target: string | undefined, output: CommandOutput): Promise<void> {
  if (target !== undefined) {
    const text = target.endsWith(".json") ? `${JSON.stringify(report)}\n` : reportPage(report);
    if (target === "-") output.print(text.trimEnd());
    else {
      await saveText(target, text);
      output.note(`wrote ${target}`);
    }
  }
  if (output.json) output.document(report);
}

function verdict({ conditions, machine, origin }: ReportDocument, output: CommandOutput): ExitCode {
  const faults = [
    ...(origin === "measured" && machine.noise?.stable === false ? ["the profile is not stable"] : []),
    ...(isAbsent(conditions) || conditions.stable
      ? []
      : ["the machine did not stay in one mode (CPUs near to or far from each other)"]),
  ];
  if (faults.length === 0) return OK;
  output.note(`${faults.join(", and ")}; the report was written nevertheless, and says so`);
  return NOISY;
}
