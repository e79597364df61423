/** Files that a run writes: whether they can be written is found out before the run computes. */
import { closeSync, existsSync, openSync, rmSync, writeFileSync } from "node:fs";
import { WrongOption } from "./options.ts";

/** Opens a file for writing, and leaves it as it was. @param option its name @throws WrongOption */
export function checkWritable(option: string, file: string): void {
  const isNew = !existsSync(file);
  named(option, () => closeSync(openSync(file, "a")));
  if (isNew) rmSync(file, { force: true });
}

/** Writes a file. @throws WrongOption, such as for a full disk */
export const save = (option: string, file: string, text: string): void =>
  named(option, () => writeFileSync(file, text));

function named(option: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new WrongOption(`${option}: expected a file that can be written: ${(cause as Error).message}`, {
      cause,
    });
  }
}
