/** The machine model that a command uses: a named file or the default. */
import { existsSync } from "node:fs";
import { setting } from "../../../ground/base/settings.ts";
import type { MachineModel } from "../../../machine/model/machine-model.ts";
import { readMachine } from "../../../machine/model/model.ts";
import { guessModel } from "../../../machine/topology/guess.ts";
import { readTopology } from "../../../machine/topology/topology.ts";
import type { CommandOutput } from "./output.ts";

/** The file that `profile` and `start` write, and other commands read by default. */
export const MACHINE_FILE = "machine.json";

/** The file named by TUNDISH_MACHINE, else machine.json in the working directory; undefined if there is neither. */
export function defaultModelFile(): string | undefined {
  return setting("machine") || (existsSync(MACHINE_FILE) ? MACHINE_FILE : undefined);
}

/**
 * The model in `file` (`-` is stdin), else in the {@link defaultModelFile}, else a guess of this machine.
 * @throws ModelError if the file is not a model
 */
export async function findModel(file: string | undefined, output: CommandOutput): Promise<MachineModel> {
  const path = file ?? defaultModelFile();
  if (path !== undefined) {
    if (file === undefined) output.note(`machine model: ${path}`);
    return readMachine(path);
  }
  output.note(
    `no ${MACHINE_FILE} here: the model of this machine is guessed from its topology. Measure it with: tundish profile`,
  );
  return guessModel(await readTopology());
}
