/** Whether this process is a node of an MPI job: looked at before what such a job needs is loaded. */
import { setting } from "../../../ground/base/settings.ts";
import { aloneWarning, launcherOf } from "../../../machine/mpi/launcher.ts";

/** False where no launcher started this process, or one process only, or TUNDISH_MPI is off. */
export function isInJob(): boolean {
  const launcher = setting("mpi") === "off" ? null : launcherOf(process.env);
  return launcher !== null && launcher.size !== 1;
}

let isWarned = false;

/** Warns once in a process, however often it launches, if it should be in a job and is not. */
export function warnAlone(): void {
  const alone = isWarned || setting("mpi") === "off" ? null : aloneWarning(process.env);
  isWarned = true;
  if (alone) process.emitWarning(alone, { type: "TundishWarning", code: "TUNDISH_ALONE" });
}
