/**
 * The files that options name for output: what cannot be written is wrong usage, said in one way, before any
 * work. Where it fails later, as on a full disk, it is the machine that lacks something.
 */
import { accessSync, constants, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { EnvironmentError, UsageError } from "../errors.ts";

/**
 * Finds out before long work that its result could not be saved after it.
 * @throws UsageError when `file` is a folder, `-` or empty, or its folder is not there or cannot be written to
 */
export function checkFile(option: string, file: string): void {
  if (file === "-") {
    throw new UsageError(`${option} expected a file, got -. With --json the result goes to stdout.`);
  }
  try {
    if (file === "") throw new Error("it has no name");
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new Error("it is a folder");
    // pipes and devices are written to, files may be replaced. The slash: a file in the place of the folder is none
    const isReplaced = found === undefined || found.isFile();
    accessSync(isReplaced ? `${dirname(file)}/` : file, constants.W_OK);
  } catch (cause) {
    throw new UsageError(
      `${option} expected a file in a folder that can be written to, got ${file}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Writes a text into a file that has been checked. @throws EnvironmentError when that fails all the same */
export async function saveText(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw new EnvironmentError(`Cannot write ${file}: ${(cause as Error).message}`, { cause });
  }
}
