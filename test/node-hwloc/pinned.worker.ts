/** A worker that pins itself through libhwloc and tells, by four ways, where it is. */
import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { openTopology } from "node-hwloc";
import { readBinding } from "../../src/machine/topology/affinity.ts";
import { currentCpu } from "../support/current-cpu.ts";

/** What the worker posts. */
export interface Answer {
  readonly byHwloc: number[];
  readonly byMask: number[] | null;
  readonly running: number | null;
  readonly byProc: string | undefined;
}

const topology = openTopology();
try {
  topology.bindThread([workerData as number]);
  const status = readFileSync("/proc/thread-self/status", "utf8");
  const answer: Answer = {
    byHwloc: topology.threadBinding(),
    byMask: readBinding(),
    running: currentCpu(),
    byProc: /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1],
  };
  parentPort?.postMessage(answer);
} finally {
  topology.close();
}
