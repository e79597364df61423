/**
 * Progress on stderr: a bar on a terminal, one line per stage elsewhere, nothing with `--quiet`.
 *
 * Nothing is drawn while something is timed: the bar is drawn only from within `onProgress`, which
 * measurements call between rounds, and at most ten times a second.
 */
import type { Progress } from "../../../microbench/pairs/types.ts";
import type { Output } from "./output.ts";

/** Shows how far a long piece of work is. */
export interface ProgressLine {
  /** To be given to the work as it is. */
  readonly onProgress: (progress: Progress) => void;
  /** Removes the bar; call it however the work ends. */
  stop(): void;
}

const REDRAW_MS = 100;
const BAR = 24;
/** Back to the beginning of the line, and what is there removed. */
const AGAIN = "\r\x1b[K";

/** Starts showing progress of the work named by `title`. */
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
      // one that went on in a second line could not be removed
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
      // "pass 2, pair 3 of 12" is in the stage "pass 2"
      const [name = ""] = stage.split(/[:,]/);
      if (name !== last) output.note(`${title}: ${name}`);
      last = name;
    },
    stop() {},
  };
}
