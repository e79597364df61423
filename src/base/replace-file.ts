/**
 * Replaces a file in one step: readers see the old text or the whole new one, never a part.
 *
 * The text is written beside the file, into one whose name nobody can foresee and which was not there before (`wx`):
 * in a folder that others may write to, a link put there in advance would lead the text elsewhere. Limits: the file
 * keeps its permissions, not its owner; a process that is killed in between leaves the part.
 */
import { randomUUID } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** @throws the system's error; the file is as it was then, and nothing is left beside it */
export function replaceFile(file: string, text: string): void {
  const part = `${file}.${randomUUID()}.tmp`;
  const found = statSync(file, { throwIfNoEntry: false });
  const own = openSync(part, "wx", found && found.mode & 0o777);
  try {
    try {
      writeFileSync(own, text);
    } finally {
      closeSync(own);
    }
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
