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
 * @param disk for tests
 * @throws LogError if a file or the folder cannot be read or written; CorruptLogError; LogLockedError; UsageError
 */
export function openLog(folder: string, options: LogOptions = {}, disk: Disk = nodeDisk): FileLog {
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
