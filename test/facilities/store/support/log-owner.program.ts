/**
 * A process that opens logs when it is told to: one line of JSON comes in for each call, one goes out with what it
 * gave.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { nodeDisk } from "../../../../src/facilities/store/log/disk.ts";
import type { FileLog } from "../../../../src/facilities/store/log/file-log.ts";
import { openLogOn } from "../../../../src/facilities/store/log/open.ts";
import { TundishError } from "../../../../src/ground/base/errors.ts";
import { recordsFrom } from "./folders.ts";

/** "start": a program that goes on after this process. */
export interface Call {
  readonly call: "open" | "append" | "close" | "start";
  readonly folder?: string;
  readonly staleMs?: number | undefined;
}

/** `last` is that of the log; the error is that of the call. */
export interface Answer {
  readonly last?: number;
  readonly pid?: number | undefined;
  readonly code?: string;
  readonly message?: string;
}

let log: FileLog | null = null;

function act({ call, folder, staleMs }: Call): Answer {
  if (call === "start") return { pid: spawn("sleep", ["600"], { stdio: "ignore" }).pid };
  if (call === "open") log = openLogOn(nodeDisk, folder as string, {}, staleMs);
  const { lastIndex } = log as FileLog;
  if (call === "append") (log as FileLog).append(recordsFrom(lastIndex + 1, lastIndex + 1));
  if (call === "close") (log as FileLog).close();
  return { last: (log as FileLog).lastIndex, pid: process.pid };
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer: Answer;
  try {
    answer = act(JSON.parse(line));
  } catch (error) {
    if (!(error instanceof TundishError)) throw error;
    answer = { code: error.code, message: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
