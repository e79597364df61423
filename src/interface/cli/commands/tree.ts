/** `tundish tree`: the trees of a machine model. */

import { barrierDot, treeDot } from "../../../../trees/draw/dot.ts";
import { barrierSvg, treeSvg } from "../../../../trees/draw/svg.ts";
import { generateTrees } from "../../../../trees/generate/generate.ts";
import { denoise } from "../../../../trees/model/denoise.ts";
import type { Algorithm, Trees } from "../../../../trees/model/tree.ts";
import { UsageError } from "../../../ground/base/errors.ts";
import { setting } from "../../../ground/base/settings.ts";
import { place } from "../../../links/world/placement.ts";
import { fitWarning } from "../../../machine/model/fingerprint.ts";
import type { MachineModel } from "../../../machine/model/machine-model.ts";
import { readTopology } from "../../../machine/topology/topology.ts";
import { usableCpus } from "../../../machine/topology/usable.ts";
import { contestNow } from "../../../running/contest/now.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import { checkApart, checkFile, saveText } from "../terminal/files.ts";
import { interruptSignal } from "../terminal/interrupt.ts";
import { defaultModelFile, findModel } from "../terminal/model.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { comparisonTable, printTrees } from "../text/tree-report.ts";

/** The operations that drawings can show. */
type Drawn = "broadcast" | "reduce" | "barrier";

/** The options as parsed by commander. */
export interface TreeCommandOptions {
  readonly cores?: readonly number[];
  readonly root?: number;
  readonly algorithm?: Algorithm;
  readonly budget?: number;
  readonly seed?: number;
  readonly svg?: string;
  readonly dot?: string;
  readonly draw?: Drawn;
  readonly compare?: boolean;
  /** False: measure nothing. */
  readonly contest?: boolean;
  readonly denoise?: boolean;
}

/**
 * Prints the trees of the model in `file`, or, if a drawing is written to stdout (`-`), only that drawing.
 * @throws ModelError for a file that is not a model; UsageError for a group or root that is not in the model, for a
 *   drawing that cannot be written or would overwrite the model or the other drawing, and for two outputs on stdout
 */
export async function treeCommand(
  file: string | undefined,
  options: TreeCommandOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  checkTogether(file, options, output);
  const drawsOnly = drawsOnStdout(options, output);
  for (const option of ["svg", "dot"] as const) {
    const file = options[option];
    if (file !== undefined && file !== "-") checkFile(`--${option}`, file);
  }
  checkApart({ "the machine model": file ?? defaultModelFile(), "--svg": options.svg, "--dot": options.dot });
  const found = await findModel(file, output);
  // measurements of this machine contain noise; a model that a user wrote is not changed unless requested
  const isNoisy = options.denoise ?? (file === undefined && found.fingerprint !== undefined);
  const machine = isNoisy ? denoise(found) : found;
  const { cores, root, algorithm, budget, seed, svg, dot } = options;
  const wishes = { cores, root, algorithm, budget, seed };
  const isPlain = file === undefined && Object.values(wishes).every((wish) => wish === undefined);
  if (isPlain && setting("trees") !== "") {
    output.note(
      `TUNDISH_TREES=${setting("trees")} applies to worlds only; --algorithm ${setting("trees")} shows their trees`,
    );
  }
  const trees: Trees =
    (isPlain && options.contest !== false ? await contestHere(machine, found, output) : undefined) ??
    generateTrees(machine, wishes);
  const { draw } = options;
  if (svg !== undefined) await save(svg, svgOf(trees, machine, draw), output);
  if (dot !== undefined) await save(dot, dotOf(trees, machine, draw), output);
  if (drawsOnly) return OK;
  if (output.json) output.document(trees);
  else if (options.compare) output.section(`All algorithms, ${trees.unit}`, comparisonTable(trees));
  else printTrees(trees, machine, output);
  return OK;
}

/** The trees measured on this machine, which later runs reuse; undefined if they cannot be measured. */
async function contestHere(
  machine: MachineModel,
  found: MachineModel,
  output: CommandOutput,
): Promise<Trees | undefined> {
  if (setting("contest") === "off") return undefined;
  const isGuess = defaultModelFile() === undefined;
  if (machine.fingerprint === undefined && !isGuess) return undefined;
  const topology = await readTopology();
  const misfit = fitWarning(machine, topology);
  if (misfit !== null) output.note(`not measured: ${misfit}`);
  if (misfit !== null || machine.pes.length < 2) return undefined;
  const { cores } = place(topology, usableCpus(topology), machine.pes.length, found);
  if (cores < machine.pes.length) {
    output.note(`not measured: ${machine.pes.length} PEs would share the ${cores} usable cores`);
    return undefined;
  }
  const signal = interruptSignal(output);
  output.note("measuring the most promising trees on this machine (--no-contest does without)");
  const trees = await contestNow({ topology, found, machine, signal });
  if (trees === null) {
    output.note("not measured: another contest is running on this machine; try again when it has ended");
    return undefined;
  }
  if (trees.contest?.steady === false) {
    output.note(
      "the measurements differ too much: later runs use this choice for ten minutes only; measure on an idle machine",
    );
  }
  return trees;
}

/** Checks options that depend on each other. @throws UsageError for an option that would have no effect */
function checkTogether(file: string | undefined, options: TreeCommandOptions, { json }: CommandOutput): void {
  if (options.draw !== undefined && options.svg === undefined && options.dot === undefined) {
    throw new UsageError("--draw selects the content of a drawing: expected --svg FILE or --dot FILE with it.");
  }
  if (options.contest === false && file !== undefined) {
    throw new UsageError("--no-contest applies to this machine's own trees: expected no FILE with it.");
  }
  if (options.compare && json) {
    throw new UsageError(
      "--compare prints a table: expected no --json with it, whose document has all algorithms, too.",
    );
  }
}

/** Whether a drawing goes to stdout instead of the report. @throws UsageError if anything else would go there too */
function drawsOnStdout({ svg, dot, compare }: TreeCommandOptions, { json }: CommandOutput): boolean {
  const drawings = [svg === "-" && "--svg -", dot === "-" && "--dot -"].filter((one) => one !== false);
  if (drawings.length === 0) return false;
  const all = [...drawings, json && "--json", compare && "--compare"].filter(Boolean);
  if (all.length === 1) return true;
  throw new UsageError(`stdout takes one of ${all.join(", ")}, got ${all.length}. Draw into a file instead.`);
}

function svgOf(trees: Trees, machine: MachineModel, drawn: Drawn = "broadcast"): string {
  return drawn === "barrier" ? barrierSvg(trees.barrier, machine) : treeSvg(trees[drawn], machine, drawn);
}

function dotOf(trees: Trees, machine: MachineModel, drawn: Drawn = "broadcast"): string {
  return drawn === "barrier" ? barrierDot(trees.barrier, machine) : treeDot(trees[drawn], machine, drawn);
}

async function save(file: string, text: string, output: CommandOutput): Promise<void> {
  if (file === "-") {
    output.print(text.trimEnd());
    return;
  }
  await saveText(file, text);
  output.note(`wrote ${file}`);
}
