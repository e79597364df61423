/** `tundish bench stealing`: the order of victims of loops, in the simulator. */
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { readMachine } from "../../../../../src/machine/model/model.ts";
import { stealingMachines } from "../../smelt/fixtures.ts";
import { printStealing } from "../text/loops/stealing-text.ts";
import { withProgress } from "./bench.ts";
import { filesOf } from "./bench-trees.ts";

/** The options as parsed by commander. */
export interface BenchStealingOptions {
  readonly machines?: readonly string[];
  readonly quick?: boolean;
}

/** Runs and prints. @throws ModelError for a file that is not a model; UsageError without models */
export async function benchStealingCommand(
  { machines: files, quick }: BenchStealingOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const { simulateStealing } = await import("../../loops/stealing.ts");
  const given = files && (await Promise.all(files.flatMap(filesOf).map((file) => readMachine(file))));
  const machines = given ?? (await stealingMachines());
  const signal = interruptSignal(output);
  const cases = await withProgress("bench", output, (onProgress) =>
    simulateStealing({ machines, quick, onProgress, signal }),
  );
  if (output.json) output.document({ schema: "tundish/bench-stealing@1", cases });
  else printStealing(cases, output);
  return OK;
}
