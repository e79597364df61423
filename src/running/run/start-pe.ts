/** Starts the thread of a PE. */
import { join } from "node:path";
import { type ResourceLimits, setEnvironmentData, type TransferListItem, type Worker } from "node:worker_threads";
import { cacheFolder } from "../../ground/base/files/cache-folder.ts";
import { spawnThread } from "../../ground/base/thread/spawn.ts";
import { threadEntry } from "./thread-entry.ts";

/**
 * @param seat what worker.ts needs; null for a thread that is sent it
 * @param transferList ports in there
 * @throws EnvironmentError if a limit of the system leaves no room; DataCloneError
 */
export const startPE = (
  rank: number,
  resourceLimits: ResourceLimits | undefined,
  seat: unknown,
  transferList: readonly TransferListItem[],
): Worker => {
  // for thread.ts
  setEnvironmentData("tundish.code", codeFolder());
  return spawnThread({
    entry: threadEntry(),
    workerData: seat,
    transferList,
    isReading: true,
    name: `tundish PE ${rank}`,
    resourceLimits,
  });
};

/** Where the code that V8 makes of modules is kept; undefined if none is to be: a coverage is less precise with it. */
function codeFolder(): string | undefined {
  const folder = cacheFolder();
  return folder === null || process.env.NODE_V8_COVERAGE !== undefined ? undefined : join(folder, "code");
}
