/** `tundish plan --tune`: measures the most promising choices for the conveyors of a program, and keeps the fastest. */
import { UsageError } from "../../../ground/base/errors.ts";
import { readMachine } from "../../../machine/model/model.ts";
import { isFirst, launcherOf } from "../../../machine/mpi/launcher.ts";
import { formatPlan, readPlan, writePlan } from "../../../plan/document/file.ts";
import { parsePlan } from "../../../plan/document/schema.ts";
import { meshClash, UNPLANNED } from "../../../route/geometry/options.ts";
import { checkStdin } from "../../../running/run/stdio/stdin.ts";
import { judged, tunedDocument } from "../../../running/tune/document.ts";
import { type TuneOptions, tune } from "../../../running/tune/tune.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import { checkApart, checkFile } from "../terminal/files.ts";
import { interruptSignal } from "../terminal/interrupt.ts";
import { defaultModelFile } from "../terminal/model.ts";
import { networkOfPlan } from "../terminal/network.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { printTuned } from "../text/tune-text.ts";
import { namingTrees, type PlanCommandOptions, readTrees } from "./plan.ts";
import { flagOf } from "./plan-exchange.ts";

/** The options as parsed by commander. */
export interface TuneCommandOptions extends PlanCommandOptions {
  readonly tune: string;
}

/** Options known from the program, and those only a plan without it has. */
const NOT_HERE = {
  itemBytes: "--item-bytes",
  load: "--load",
  nodes: "--nodes",
  destinations: "--destinations",
  steady: "--steady",
  elastic: "--elastic",
} as const;

/**
 * Runs the program, prints the measurements, and writes the plan if a file is named. What the program writes goes to
 * stderr. Under mpirun every process does this, and the first one prints.
 * @throws what `tune` throws; ModelError for a file that is not a model, PlanError for one that is not a plan
 */
export async function tuneCommand(
  file: string | undefined,
  options: TuneCommandOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  for (const [name, flag] of Object.entries(NOT_HERE)) {
    if (options[name as keyof typeof NOT_HERE] === undefined) continue;
    throw new UsageError(`${flag} expected nothing with --tune, which takes it from the program's runs.`);
  }
  const sending = UNPLANNED.find((name) => options[name] !== undefined);
  if (sending !== undefined) {
    throw new UsageError(
      `${flagOf(sending)} expected no --tune beside it, which does not try it: give ${sending} to the conveyor in the program.`,
    );
  }
  for (const [name, flag] of [
    ["rate", "--rate"],
    ["delayCost", "--delay-cost"],
  ] as const) {
    if (options[name] !== undefined)
      throw new UsageError(`${flag} expected no --tune beside it: it measures times, not delays.`);
  }
  const { add, trees: treesFile, output: target, type, hops, groupSize, mesh, bufferBytes, buffersPerLink } = options;
  if (target !== undefined) checkFile("--output", target);
  const model = file ?? defaultModelFile();
  checkApart({
    "the machine model": model,
    "--trees": treesFile,
    "the program": options.tune,
    "--output": target,
  });
  const isOverNodes = (launcherOf(process.env)?.size ?? 1) > 1;
  checkStdin({ "the machine model": model, "--add": add, "--trees": treesFile }, isOverNodes);
  if (!isFirst(process.env)) output.mute();
  if (file === undefined && model !== undefined) output.note(`machine model: ${model}`);
  output.keepStdoutForData();
  const before = add === undefined ? undefined : await readPlan(add);
  const trees = treesFile === undefined ? undefined : await readTrees(treesFile);
  const machine = model === undefined ? undefined : await readMachine(model);
  const forced = { type, hops, groupSize, mesh, bufferBytes, buffersPerLink };
  const clash = meshClash(forced);
  if (clash !== null) throw new UsageError(`--mesh: ${clash}`);
  const progress = showProgress(output, "tune");
  const tuning: TuneOptions = {
    module: options.tune,
    args: options.args ?? [],
    pes: options.pes,
    machine,
    before,
    trees,
    forced,
    only: options.conveyor,
    maxBytes: options.maxBytes,
    network: networkOfPlan(options, machine),
    warm: options.warm,
    turns: options.turns,
    budgetMs: options.budget,
    timeout: options.timeout,
    choices: options.choices,
    signal: interruptSignal(output),
    onProgress: progress.onProgress,
  };
  const tuned = await namingTrees(treesFile, () => tune(tuning)).finally(() => progress.stop());
  const all = judged(tuned);
  const names = Object.entries(forced).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const document = parsePlan(tunedDocument(tuned, all, names, before, trees));
  if (target !== undefined && isFirst(process.env)) await writePlan(target, document);
  if (output.json) output.print(formatPlan(document).trimEnd());
  else printTuned(all, tuned, output);
  output.note(`${tuned.runs} runs`);
  if (target !== undefined) output.note(`wrote ${target}`);
  return OK;
}
