/**
 * The end of a process as the launcher of MPICH wants it said, without MPI_Finalize.
 *
 * With UCX over TCP MPI_Finalize often does not return (MPICH 4.0.2, in C, too), and a process that ends without a
 * word is a failure to the launcher, which then kills the others. What counts for the launcher is one line.
 *
 *     us         cmd=finalize
 *     launcher   cmd=finalize_ack
 *
 * Source: the wire protocol of PMI-1 (MPICH, src/pmi), over the socket PMI_FD.
 */
import { readSync, writeSync } from "node:fs";

const ACK = "finalize_ack";
const LINE_BYTES = 1024;

/** Says that this process has finished well; whether the launcher has heard it. MPI may not be used any more. */
export function finalizeLauncher(fd: number): boolean {
  try {
    writeSync(fd, "cmd=finalize\n");
    const line = Buffer.alloc(LINE_BYTES);
    return line.toString("latin1", 0, readSync(fd, line)).includes(ACK);
  } catch {
    return false; // closed, or not ready: then MPI does it
  }
}
