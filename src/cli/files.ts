/** The files that options name for output: what cannot be written is wrong usage, said in one way. */
import { accessSync, constants, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "../errors.ts";

/**
 * Finds out before long work that its result could not be saved after it.
 * @throws UsageError when `file` is a folder or `-`, or its folder is not there or cannot be written to
 */
export function checkFile(option: string, file: string): void {
  if (file === "-") {
    throw new UsageError(`${option} expected a file, got -. With --json the result goes to stdout.`);
  }
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error("it is a folder");
    // the slash: a file in the place of the folder is none
    accessSync(`${dirname(file)}/`, constants.W_OK);
  } catch (cause) {
    throw unwritable(option, file, cause as Error);
  }
}

/** Writes a text into the file that an option names. @throws UsageError when it cannot be written */
export async function saveText(option: string, file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw unwritable(option, file, cause as Error);
  }
}

function unwritable(option: string, file: string, cause: Error): UsageError {
  return new UsageError(
    `${option} expected a file in a folder that can be written to, got ${file}: ${cause.message}`,
    { cause },
  );
}
