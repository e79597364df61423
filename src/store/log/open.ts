/** Opens a log: makes its folder, takes it, and reads what is there. */
import { dirname, resolve } from "node:path";
import { LogError, TundishError, UsageError } from "../../base/errors.ts";
import { makeFolder } from "../../base/files/folder.ts";
import { checkOptions } from "../../base/options.ts";
import { shortText } from "../../base/short-text.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { FileLog } from "./file-log.ts";
import { lockFolder } from "./lock.ts";
import { LOG, type LogOptions } from "./options.ts";
import { readFolder } from "./recover.ts";

/**
 * Opens the log in a folder, which one replica uses at a time; makes the folder if there is none. Blocks the thread.
 * @throws LogError if a file or the folder cannot be read or written; CorruptLogError; LogLockedError; UsageError
 */
export const openLog = (folder: string, options: LogOptions = {}): FileLog =>
  openLogOn(nodeDisk, folder, options);

/** As {@link openLog}, on another disk: for tests. */
export function openLogOn(disk: Disk, folder: string, options: LogOptions = {}): FileLog {
  if (typeof folder !== "string" || folder === "")
    throw new UsageError(`openLog: expected the path of a folder, got ${shortText(folder)}`);
  checkOptions("openLog", LOG, options);
  const path = resolve(folder);
  let release: (() => void) | undefined;
  try {
    makeFolder(path);
    disk.syncFolder(dirname(path));
    release = lockFolder(disk, path);
    return new FileLog(disk, path, readFolder(disk, path), release, options);
  } catch (error) {
    try {
      release?.();
    } catch {
      // the first error tells more
    }
    if (error instanceof TundishError) throw error;
    throw new LogError(path, `${path}: ${(error as Error).message}. Nothing was changed.`, { cause: error });
  }
}
