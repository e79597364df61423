/** Notes calls as fast as it can, every word of a record told by its number, until it is told to stop. */
import { workerData } from "node:worker_threads";
import { CallLog } from "../../../src/collectives/team/call-log.ts";

/** What the writer works on. */
export interface Job {
  readonly i32: Int32Array;
  readonly offset: number;
  /** Word of `i32` that ends it. */
  readonly stop: number;
}

const { i32, offset, stop } = workerData as Job;
const callLog = new CallLog(i32, offset, 0);
for (let sequence = 1; Atomics.load(i32, stop) === 0; sequence = (sequence + 1) | 0) {
  callLog.note(sequence, sequence ^ 0x55555555, sequence >>> 0, -sequence | 0, 0);
}
