/**
 * Reports the end of a process to the launcher of MPICH, without MPI_Finalize.
 *
 * With UCX over TCP MPI_Finalize often does not return (MPICH 4.0.2, in C, too), and the launcher treats a process that
 * ends without a report as failed and kills the others. One line is sufficient for the launcher.
 *
 *     this process   cmd=finalize
 *     launcher       cmd=finalize_ack
 *
 * Source: the wire protocol of PMI-1 (MPICH, src/pmi), over the socket PMI_FD.
 */
import { readSync, writeSync } from "node:fs";

const ACK = "finalize_ack";
const LINE_BYTES = 1024;

/** Reports that this process has finished; whether the launcher acknowledged it. MPI may not be used then. */
export function finalizeLauncher(fd: number): boolean {
  try {
    writeSync(fd, "cmd=finalize\n");
    const line = Buffer.alloc(LINE_BYTES);
    return line.toString("latin1", 0, readSync(fd, line)).includes(ACK);
  } catch {
    return false; // closed, or not ready: then MPI_Finalize is called
  }
}
