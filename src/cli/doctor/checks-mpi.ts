/** What Tundish can use of MPI: is there a library, and which? */
import { openMpiLibrary, versionOf } from "../../mpi/library.ts";
import type { Finding } from "./finding.ts";

/** Whether worlds over several machines can be run; nobody needs that who has one. */
export function mpiFinding(): Finding {
  const name = "MPI";
  try {
    const library = openMpiLibrary();
    const [version] = versionOf(library).split(/[,\n]/) as [string];
    const text = `${version.replace(/\s+/g, " ")}, ${library.file}: worlds over several machines (docs/clusters.md)`;
    return { name, state: "ok", text, needed: false };
  } catch {
    return {
      name,
      state: "note",
      text: "no library found, which only worlds over several machines need.",
      advice:
        "Install one, for instance with: apt-get install openmpi-bin, or set TUNDISH_LIBMPI to its path.",
      needed: false,
    };
  }
}
