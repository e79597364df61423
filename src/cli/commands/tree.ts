/** `tundish tree`: the trees of a machine model. */

import { barrierDot, treeDot } from "../../../trees/draw/dot.ts";
import { barrierSvg, treeSvg } from "../../../trees/draw/svg.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { denoise } from "../../../trees/model/denoise.ts";
import type { Algorithm, Trees } from "../../../trees/model/types.ts";
import { UsageError } from "../../base/errors.ts";
import { setting } from "../../base/settings.ts";
import { channelOf } from "../../channel/backends.ts";
import { holdLock } from "../../contest/lock.ts";
import { keepChoice, lockFile } from "../../contest/store.ts";
import { fingerprint, fitWarning } from "../../machine/fingerprint.ts";
import { readTopology } from "../../machine/topology.ts";
import type { MachineModel } from "../../machine/types.ts";
import { usableCpus } from "../../machine/usable.ts";
import { place } from "../../world/placement.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import { checkApart, checkFile, saveText } from "../terminal/files.ts";
import { interruptSignal } from "../terminal/interrupt.ts";
import { defaultModelFile, findModel } from "../terminal/model.ts";
import type { Output } from "../terminal/output.ts";
import { comparisonTable, printTrees } from "../text/tree-report.ts";

/** What drawings show. */
type Drawn = "broadcast" | "reduce" | "barrier";

/** The options as commander gives them. */
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
  /** False: nothing is measured. */
  readonly contest?: boolean;
  readonly denoise?: boolean;
}

/**
 * Prints the trees of the model in `file`, or one drawing of them, where that goes to stdout (`-`).
 * @throws ModelError for a file that holds no model, UsageError for a group or root that is not in it, for
 * a drawing that cannot be written or would take the place of the model or of the other, and for two things
 * on stdout
 */
export async function treeCommand(
  file: string | undefined,
  options: TreeCommandOptions,
  output: Output,
): Promise<ExitCode> {
  checkTogether(file, options, output);
  const drawsOnly = drawsOnStdout(options, output);
  for (const option of ["svg", "dot"] as const) {
    const file = options[option];
    if (file !== undefined && file !== "-") checkFile(`--${option}`, file);
  }
  checkApart({ "the machine model": file ?? defaultModelFile(), "--svg": options.svg, "--dot": options.dot });
  const found = await findModel(file, output);
  // what was measured here has noise; what somebody has written is as it is to be, unless he says otherwise
  const isNoisy = options.denoise ?? (file === undefined && found.fingerprint !== undefined);
  const machine = isNoisy ? denoise(found) : found;
  const { cores, root, algorithm, budget, seed, svg, dot } = options;
  const wishes = { cores, root, algorithm, budget, seed };
  const isPlain = file === undefined && Object.values(wishes).every((wish) => wish === undefined);
  if (isPlain && setting("trees") !== "") {
    output.note(
      `TUNDISH_TREES=${setting("trees")} is for worlds and changes nothing here; --algorithm ${setting("trees")} shows what they run on`,
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

/** The trees as they are measured here, which later runs take too; undefined where that cannot be. */
async function contestHere(
  machine: MachineModel,
  found: MachineModel,
  output: Output,
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
    output.note(`not measured: ${machine.pes.length} PEs would share the ${cores} cores that may be used`);
    return undefined;
  }
  const { measuredTrees } = await import("../../contest/contest.ts");
  const signal = interruptSignal(output);
  const release = await holdLock(lockFile(), { signal });
  if (release === null) {
    output.note("not measured: another contest is being held on this machine; try again when it has ended");
    return undefined;
  }
  try {
    output.note("measuring the most promising trees on this machine (--no-contest does without)");
    const channel = channelOf(undefined);
    const trees = await measuredTrees(machine, channel, signal);
    keepChoice(fingerprint(topology), found, channel, trees);
    if (trees.contest?.steady === false) {
      output.note(
        "the turns differ too much: later runs keep the choice for ten minutes only; measure on an idle machine",
      );
    }
    return trees;
  } finally {
    release();
  }
}

/** Passes for options that go together. @throws UsageError for one that would change nothing */
function checkTogether(file: string | undefined, options: TreeCommandOptions, { json }: Output): void {
  if (options.draw !== undefined && options.svg === undefined && options.dot === undefined) {
    throw new UsageError("--draw says what a drawing shows: expected --svg FILE or --dot FILE with it.");
  }
  if (options.contest === false && file !== undefined) {
    throw new UsageError("--no-contest is about this machine's own trees: expected no FILE with it.");
  }
  if (options.compare && json) {
    throw new UsageError(
      "--compare prints a table: expected no --json with it, which has all algorithms too.",
    );
  }
}

/**
 * Whether a drawing goes to stdout, in place of the report.
 * @throws UsageError when something else would go there as well
 */
function drawsOnStdout({ svg, dot, compare }: TreeCommandOptions, { json }: Output): boolean {
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

async function save(file: string, text: string, output: Output): Promise<void> {
  if (file === "-") {
    output.print(text.trimEnd());
    return;
  }
  await saveText(file, text);
  output.note(`wrote ${file}`);
}
