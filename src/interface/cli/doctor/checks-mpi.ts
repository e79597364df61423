/** Checks whether an MPI library is available, and which. */

import { INSTALL_KOFFI, native } from "../../../ground/base/native/native.ts";
import { setting } from "../../../ground/base/settings.ts";
import { openMpiLibrary, versionOf } from "../../../machine/mpi/library.ts";
import type { DoctorFinding } from "./finding.ts";

/** Features that are not available without it; irrelevant on a single machine. */
const LOST = "no worlds over several machines";

/** Whether worlds over several machines can be run; not needed on a single machine. */
export function mpiFinding(): DoctorFinding {
  // checked first: a library that is switched off need not be installed
  if (setting("mpi") === "off") return note("switched off by TUNDISH_MPI", "Unset TUNDISH_MPI.");
  if (native() === null) {
    const way = setting("native");
    return way === "on"
      ? note("cannot be used without koffi", INSTALL_KOFFI)
      : note(`cannot be used with TUNDISH_NATIVE=${way}`, "Unset TUNDISH_NATIVE.");
  }
  try {
    const library = openMpiLibrary();
    const [version] = versionOf(library).split(/[,\n]/) as [string];
    const text = `${version.replace(/\s+/g, " ")}, ${library.file}: worlds over several machines (docs/clusters.md)`;
    return { name: "MPI", state: "ok", text, needed: false };
  } catch {
    const wanted = setting("libmpi");
    return wanted === ""
      ? note(
          "no library found",
          "Install one, for instance with: apt-get install openmpi-bin, or set TUNDISH_LIBMPI to its path.",
        )
      : note(`TUNDISH_LIBMPI=${wanted} cannot be opened`, "Correct it, or unset it.");
  }
}

function note(text: string, advice: string): DoctorFinding {
  return { name: "MPI", state: "note", text: `${text}: ${LOST}.`, advice, needed: false };
}
