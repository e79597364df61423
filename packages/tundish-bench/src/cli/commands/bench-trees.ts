/** `tundish bench trees`: compares adaptive trees with published ones, on one machine model or many. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../../../../src/ground/base/errors.ts";
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import { defaultModelFile, findModel } from "../../../../../src/interface/cli/terminal/model.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { showProgress } from "../../../../../src/interface/cli/terminal/progress.ts";
import { readMachine } from "../../../../../src/machine/model/model.ts";
import type { NamedModel } from "../../trees/bench-trees.ts";
import { type ComparedOperation, printTreesBench } from "../text/bench-trees-text.ts";

/** The options as parsed by commander. */
export interface BenchTreesOptions {
  readonly operation?: ComparedOperation;
  readonly groups?: number;
  readonly runs?: number;
  readonly ranks?: number;
  readonly budget?: number;
  readonly seed?: number;
}

/**
 * Compares and prints. All models are read before the work begins.
 * @throws ModelError for a file that is not a model, UsageError for a folder without one
 */
export async function benchTreesCommand(
  paths: readonly string[],
  options: BenchTreesOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const models = await modelsOf(paths, output);
  const { operation, groups = 0, runs = 0, ranks = 0, budget, seed = 1 } = options;
  const { benchTreesInThread } = await import("../../trees/trees-thread.ts");
  const { totalsOf } = await import("../../trees/bench-trees-summary.ts");
  const signal = interruptSignal(output);
  const progress = showProgress(output, "bench");
  try {
    const results = await benchTreesInThread(
      models,
      {
        groups,
        runs,
        ranks,
        seed,
        ...(budget === undefined ? {} : { budget }),
        onProgress: progress.onProgress,
      },
      signal,
    );
    progress.stop();
    const totals = totalsOf(results);
    if (output.json) {
      const asked = { seed, budget: budget ?? null, groups, runs, ranks };
      const head = { schema: "tundish/bench-trees@1", node: process.versions.node, options: asked };
      output.document({ ...head, totals, models: results });
    } else {
      printTreesBench({ models: results, totals, operation }, output);
    }
  } finally {
    progress.stop();
  }
  return OK;
}

async function modelsOf(paths: readonly string[], output: CommandOutput): Promise<NamedModel[]> {
  if (paths.length === 0) {
    const file = defaultModelFile();
    return [{ file, machine: await findModel(undefined, output) }];
  }
  const models: NamedModel[] = [];
  for (const file of paths.flatMap(filesOf)) models.push({ file, machine: await readMachine(file) });
  return models;
}

/** The models in a folder, by name; any other path as it is. */
export function filesOf(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  const expected = `${path}: expected a machine model, or a folder of them (*.json)`;
  let names: string[];
  try {
    names = readdirSync(path).filter((name) => name.endsWith(".json"));
  } catch (cause) {
    throw new UsageError(`${expected}, but it cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (names.length === 0) {
    throw new UsageError(`${expected}, got a folder without. Make a model with: tundish profile`);
  }
  return names.sort().map((name) => join(path, name));
}
