/** All checks of `tundish doctor`, in the order of the report. */
import { folderFindings } from "./checks-folders.ts";
import { machineFindings } from "./checks-machine.ts";
import { mpiFinding } from "./checks-mpi.ts";
import { settingFindings } from "./checks-settings.ts";
import { softwareFindings } from "./checks-software.ts";
import type { DoctorFinding } from "./finding.ts";

/** Checks this machine and its software; takes well below a second. */
export async function findings(): Promise<DoctorFinding[]> {
  const settings = settingFindings(); // first, as it unsets invalid settings, on which the other checks would fail
  return [...(await softwareFindings()), mpiFinding(), ...(await machineFindings()), ...folderFindings(), ...settings];
}
