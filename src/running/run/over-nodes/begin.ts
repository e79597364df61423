/** Parts that only worlds over several nodes need: loaded once this process is known to be in a job. */
import type { Epoch } from "../../../links/world/nodes/epoch.ts";
import { isInJob, warnAlone } from "../../../links/world/nodes/in-job.ts";

/** Loads it. */
export const overNodes = (): Promise<typeof import("./nodes.ts")> => import("./nodes.ts");

/** The epoch of a world that begins now; null for one of this node alone. @throws as controlOfJob() */
export async function beginEpoch(): Promise<Epoch | null> {
  warnAlone();
  if (!isInJob()) return null;
  const { controlOfJob } = await overNodes();
  return controlOfJob()?.begin() ?? null;
}
