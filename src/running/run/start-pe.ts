/** Starts the thread of a PE. */
import { type ResourceLimits, setEnvironmentData, type Worker } from "node:worker_threads";
import { KEEPS_CODE } from "../../ground/base/parts/keeper.ts";
import { spawnThread, type Transferred } from "../../ground/base/thread/spawn.ts";
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
  transferList: readonly Transferred[],
): Worker => {
  // one of them is enough
  setEnvironmentData(KEEPS_CODE, rank === 0 || undefined);
  return spawnThread({
    entry: threadEntry(),
    workerData: seat,
    transferList,
    isReading: true,
    name: `tundish PE ${rank}`,
    resourceLimits,
  });
};
