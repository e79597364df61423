/** `tundish profile`: the machine model of this machine, measured, or of any machine, guessed. */
import { guessModel } from "../machine/guess.ts";
import { formatMachine, writeMachine } from "../machine/model.ts";
import { readTopology } from "../machine/topology.ts";
import type { MachineModel } from "../machine/types.ts";
import { itemsText, noiseText, printCosts } from "./cost-text.ts";
import { type ExitCode, NOISY, OK } from "./exit.ts";
import { checkApart, checkFile } from "./files.ts";
import { interruptSignal } from "./interrupt.ts";
import { type MeasureOptions, measure } from "./measure.ts";
import { MACHINE_FILE } from "./model.ts";
import type { Output } from "./output.ts";
import { topologyText } from "./topology-text.ts";

/** The options as commander gives them. */
export interface ProfileCommandOptions extends MeasureOptions {
  readonly guess?: boolean;
  readonly machine?: string;
  readonly xml?: string;
}

/**
 * Measures or guesses, prints and writes a machine model; {@link NOISY} when it is not stable.
 * @throws what the measurement and reading a topology throw; UsageError for a file that cannot be
 */
export async function profileCommand(options: ProfileCommandOptions, output: Output): Promise<ExitCode> {
  const { guess = false, machine: synthetic, xml } = options;
  const file = options.output ?? (output.json || guess ? undefined : MACHINE_FILE);
  if (file !== undefined) checkFile("--output", file);
  checkApart({ "--xml": xml, "--output": file });
  const topology = await readTopology({ synthetic, xml });
  if (!output.json) output.section("Topology", topologyText(topology));
  for (const note of topology.notes) output.note(`note: ${note}`);
  const model: MachineModel = guess
    ? guessModel(topology)
    : await measure(topology, options, output, interruptSignal(output));
  if (file !== undefined) await writeMachine(file, model);
  if (output.json) {
    output.print(formatMachine(model).trimEnd());
  } else {
    printCosts(model, output);
    if (model.items !== undefined) output.print(itemsText(model));
    output.print(guess ? "Guessed from the topology, not measured." : noiseText(model));
  }
  if (file !== undefined) output.note(`wrote ${file}`);
  if (guess || model.noise?.stable !== false) return OK;
  output.note(
    `the measurement is not stable${file === undefined ? "" : `; ${file} was written all the same`}`,
  );
  return NOISY;
}
