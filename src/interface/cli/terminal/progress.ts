/**
 * Progress on stderr: a bar on a terminal, lines otherwise, nothing with `--quiet`.
 *
 * Nothing is drawn during a timed section: all of it is drawn only inside `onProgress`, which measurements call between
 * rounds, the bar at most ten times a second, a line for each stage and for every few seconds of a long one.
 */

import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { monotonic } from "../../../ground/base/event-loop/timers.ts";
import type { CommandOutput } from "./output.ts";

/** Shows the progress of long work. */
export interface ProgressLine {
  /** To be passed to the work. */
  readonly onProgress: (progress: Progress) => void;
  /** Removes the bar; call it in every case. */
  stop(): void;
}

const REDRAW_MS = 100;
const LINE_MS = 6000;
/** Before, or with a smaller share done, the rest is not estimated. */
const ESTIMATE_MS = 3000;
const ESTIMATE_SHARE = 0.02;
const BAR = 24;
/** Returns to the beginning of the line and clears it. */
const AGAIN = "\r\x1b[K";

/** Shows progress of the work called `title`. @param now for tests: the clock, ms */
export function showProgress(output: CommandOutput, title: string, now: () => number = monotonic): ProgressLine {
  if (output.quiet) return { onProgress() {}, stop() {} };
  return process.stderr.isTTY ? bar(title, now) : lines(output, title, now);
}

function bar(title: string, now: () => number): ProgressLine {
  const left = remaining(now);
  let last = Number.NEGATIVE_INFINITY;
  return {
    onProgress({ stage, done }) {
      const time = now();
      if (time - last < REDRAW_MS) return;
      last = time;
      const full = "=".repeat(Math.round(BAR * done)).padEnd(BAR, "-");
      const line = `${title} [${full}] ${percent(done)}${left(done)} ${stage}`;
      // a line that wraps could not be cleared
      process.stderr.write(AGAIN + line.slice(0, (process.stderr.columns || 80) - 1));
    },
    stop() {
      process.stderr.write(AGAIN);
    },
  };
}

function lines(output: CommandOutput, title: string, now: () => number): ProgressLine {
  const left = remaining(now);
  let last = "";
  let time = now();
  return {
    onProgress({ stage, done }) {
      // "pass 2, pair 3 of 12" belongs to the stage "pass 2"
      const [name = ""] = stage.split(/[:,]/);
      if (name !== last) output.note(`${title}: ${name}`);
      else if (now() - time >= LINE_MS) output.note(`${title}: ${stage}, ${percent(done)}${left(done)}`);
      else return;
      last = name;
      time = now();
    },
    stop() {},
  };
}

const percent = (done: number): string => `${Math.floor(100 * done)} %`;

/** How long the rest will take if it goes on as before: `, 40 s left`; empty while that is not known. */
function remaining(now: () => number): (done: number) => string {
  const start = now();
  return (done) => {
    const spent = now() - start;
    if (spent < ESTIMATE_MS || done < ESTIMATE_SHARE || done >= 1) return "";
    const seconds = Math.ceil(((spent / done) * (1 - done)) / 1000);
    return seconds < 100 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`;
  };
}
