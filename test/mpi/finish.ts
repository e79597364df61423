/** How the programs of the tests end. */
import type { Mpi } from "../../src/mpi/mpi.ts";

/** Set where MPI_Finalize may not come back: MPICH over TCP. */
export const NO_FINALIZE = "TUNDISH_TEST_NO_FINALIZE";

/** Closes MPI; or waits for all and leaves it open, of which MPICH's launcher makes nothing. */
export function finish(mpi: Mpi): void {
  if (process.env[NO_FINALIZE] !== undefined) {
    mpi.barrier();
    return;
  }
  mpi.finalize();
  mpi.finalize(); // does nothing
}
