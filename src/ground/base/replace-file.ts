/**
 * Replaces a file atomically: a reader sees the old text or the whole new text, never a part.
 *
 * The text is written to a temporary file beside it. That file has an unpredictable name and must not exist yet (`wx`):
 * in a folder that others can write to, a link created in advance would redirect the text. Limits: the file keeps its
 * permissions, not its owner. A process that is killed in between leaves the temporary file.
 */
import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { nodeCrypto } from "./node-crypto.ts";

/** @throws the system's error; the file is then unchanged and the temporary file is removed */
export function replaceFile(file: string, text: string): void {
  const part = `${file}.${nodeCrypto().randomUUID()}.tmp`;
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
