/** `tundish tree`: the trees of a machine model. */
import { treeDot } from "../../trees/dot.ts";
import { generateTrees } from "../../trees/generate.ts";
import { treeSvg } from "../../trees/svg.ts";
import type { Algorithm } from "../../trees/types.ts";
import { type ExitCode, OK } from "./exit.ts";
import { saveText } from "./files.ts";
import { findModel } from "./model.ts";
import type { Output } from "./output.ts";
import { comparisonTable, printTrees } from "./tree-report.ts";

/** The options as commander gives them. */
export interface TreeCommandOptions {
  readonly cores?: readonly number[];
  readonly root?: number;
  readonly algorithm?: Algorithm;
  readonly budget?: number;
  readonly seed?: number;
  readonly svg?: string;
  readonly dot?: string;
  readonly compare?: boolean;
}

/**
 * Prints the trees of the model in `file`.
 * @throws ModelError for a file that holds no model, UsageError for a group or root that is not in it and
 * for a drawing that cannot be written
 */
export async function treeCommand(
  file: string | undefined,
  options: TreeCommandOptions,
  output: Output,
): Promise<ExitCode> {
  const machine = await findModel(file, output);
  const { cores, root, algorithm, budget, seed, svg, dot } = options;
  const trees = generateTrees(machine, { cores, root, algorithm, budget, seed });
  if (svg !== undefined) await draw("--svg", svg, treeSvg(trees.broadcast, machine), output);
  if (dot !== undefined) await draw("--dot", dot, treeDot(trees.broadcast, machine), output);
  if (output.json) output.document(trees);
  else if (options.compare) output.section(`All algorithms, ${trees.unit}`, comparisonTable(trees));
  else printTrees(trees, machine, output);
  return OK;
}

async function draw(option: string, file: string, text: string, output: Output): Promise<void> {
  await saveText(option, file, text);
  output.note(`wrote ${file}`);
}
