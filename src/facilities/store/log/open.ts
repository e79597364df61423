/** Opens a log: makes its folder, takes it, and reads what is there. */
import { dirname, resolve } from "node:path";
import { LogError, TundishError, UsageError } from "../../../ground/base/errors.ts";
import { makeFolder } from "../../../ground/base/files/folder.ts";
import { checkOptions } from "../../../ground/base/options.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { type FileLog, makeFileLog } from "./file-log.ts";
import { type FolderLock, lockFolder, STALE_MS } from "./lock.ts";
import { LOG, type LogOptions } from "./options.ts";
import { readFolder, removeParts } from "./recover.ts";

/**
 * Opens the log in a folder, which one replica uses at a time; makes the folder if there is none. Blocks the thread.
 * @throws LogError if a file or the folder cannot be read or written; CorruptLogError; LogLockedError; UsageError
 */
export const openLog = (folder: string, options: LogOptions = {}): FileLog => openLogOn(nodeDisk, folder, options);

/** As {@link openLog}, on another disk, or with less patience for an owner without a sign of life: for tests. */
export function openLogOn(disk: Disk, folder: string, options: LogOptions = {}, staleMs: number = STALE_MS): FileLog {
  if (typeof folder !== "string" || folder === "")
    throw new UsageError(`openLog: expected the path of a folder, got ${shortText(folder)}`);
  checkOptions("openLog", LOG, options);
  const path = resolve(folder);
  let lock: FolderLock | undefined;
  try {
    makeFolder(path);
    disk.syncFolder(dirname(path));
    lock = lockFolder(path, staleMs);
    removeParts(disk, path);
    return makeFileLog(disk, path, readFolder(disk, path), lock, options);
  } catch (error) {
    try {
      lock?.claim.release();
    } catch {
      // the first error tells more
    }
    if (error instanceof TundishError) throw error;
    throw new LogError(path, `${path}: ${(error as Error).message}. Nothing was changed.`, { cause: error });
  }
}
