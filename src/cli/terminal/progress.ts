/**
 * Progress on stderr: a bar on a terminal, one line per stage otherwise, nothing with `--quiet`.
 *
 * Nothing is drawn during a timed section: the bar is drawn only inside `onProgress`, which measurements call between
 * rounds, and at most ten times a second.
 */
import type { Progress } from "../../../microbench/pairs/types.ts";
import type { Output } from "./output.ts";

/** Shows the progress of long work. */
export interface ProgressLine {
  /** To be passed to the work. */
  readonly onProgress: (progress: Progress) => void;
  /** Removes the bar; call it in every case. */
  stop(): void;
}

const REDRAW_MS = 100;
const BAR = 24;
/** Returns to the beginning of the line and clears it. */
const AGAIN = "\r\x1b[K";

/** Shows progress of the work called `title`. */
export function showProgress(output: Output, title: string): ProgressLine {
  if (output.quiet) return { onProgress() {}, stop() {} };
  return process.stderr.isTTY ? bar(title) : lines(output, title);
}

function bar(title: string): ProgressLine {
  let last = Number.NEGATIVE_INFINITY;
  return {
    onProgress({ stage, done }) {
      const now = performance.now();
      if (now - last < REDRAW_MS) return;
      last = now;
      const full = "=".repeat(Math.round(BAR * done)).padEnd(BAR, "-");
      const line = `${title} [${full}] ${Math.floor(100 * done)} % ${stage}`;
      // a line that wraps could not be cleared
      process.stderr.write(AGAIN + line.slice(0, (process.stderr.columns || 80) - 1));
    },
    stop() {
      process.stderr.write(AGAIN);
    },
  };
}

function lines(output: Output, title: string): ProgressLine {
  let last = "";
  return {
    onProgress({ stage }) {
      // "pass 2, pair 3 of 12" belongs to the stage "pass 2"
      const [name = ""] = stage.split(/[:,]/);
      if (name !== last) output.note(`${title}: ${name}`);
      last = name;
    },
    stop() {},
  };
}
