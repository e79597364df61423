/** The machine model that a command works on when none, or a file, is named. */
import { existsSync } from "node:fs";
import { setting } from "../../base/settings.ts";
import { guessModel } from "../../machine/guess.ts";
import { readMachine } from "../../machine/model.ts";
import { readTopology } from "../../machine/topology.ts";
import type { MachineModel } from "../../machine/types.ts";
import type { Output } from "./output.ts";

/** The file that `profile` and `start` write, and the others look for. */
export const MACHINE_FILE = "machine.json";

/** The file that TUNDISH_MACHINE names, else machine.json in the working directory; undefined: none. */
export function defaultModelFile(): string | undefined {
  return setting("machine") || (existsSync(MACHINE_FILE) ? MACHINE_FILE : undefined);
}

/**
 * The model in `file` (`-` is stdin), else in the {@link defaultModelFile}, else this machine guessed.
 * @throws ModelError for a file that holds none
 */
export async function findModel(file: string | undefined, output: Output): Promise<MachineModel> {
  const path = file ?? defaultModelFile();
  if (path !== undefined) {
    if (file === undefined) output.note(`machine model: ${path}`);
    return readMachine(path);
  }
  output.note(
    `no ${MACHINE_FILE} here: this machine is guessed from its topology. Measure it with: tundish profile`,
  );
  return guessModel(await readTopology());
}
