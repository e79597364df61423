/** The thread that `tundish doctor` starts to check whether threads can be pinned; it posts the CPU, or null. */
import { parentPort } from "node:worker_threads";
import { pinThread, readBinding } from "../../../machine/topology/affinity.ts";

const cpu = readBinding()?.[0];
const bound = cpu !== undefined && pinThread(cpu) && String(readBinding()) === String(cpu);
parentPort?.postMessage(bound ? cpu : null);
