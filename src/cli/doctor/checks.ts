/** All checks of `tundish doctor`, in the order in which they are told. */
import { machineFindings } from "./checks-machine.ts";
import { mpiFinding } from "./checks-mpi.ts";
import { settingFindings } from "./checks-settings.ts";
import { softwareFindings } from "./checks-software.ts";
import type { Finding } from "./finding.ts";

/** Checks this machine and its software; takes well below a second. */
export async function findings(): Promise<Finding[]> {
  const settings = settingFindings(); // first: it unsets what the others would stumble over
  return [...(await softwareFindings()), mpiFinding(), ...(await machineFindings()), ...settings];
}
