/** Tells the time of the machine. */
import { parentPort } from "node:worker_threads";
import { machineClock } from "../../../../src/ground/base/event-loop/timers.ts";

if (parentPort === null) console.log(machineClock());
else parentPort.postMessage(machineClock());
