/** All checks of `tundish doctor`, in the order in which they are told. */
import { machineFindings } from "./checks-machine.ts";
import { mpiFinding } from "./checks-mpi.ts";
import { softwareFindings } from "./checks-software.ts";
import type { Finding } from "./finding.ts";

/** Checks this machine and its software; takes well below a second. */
export async function findings(): Promise<Finding[]> {
  return [...(await softwareFindings()), mpiFinding(), ...(await machineFindings())];
}
