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
/** cli-progress would also draw by a timer of its own; at this rate it never comes to that. */
const NEVER_FPS = 1e-4;

/** Starts showing progress of the work named by `title`. */
export async function showProgress(output: Output, title: string): Promise<ProgressLine> {
  if (output.quiet) return { onProgress() {}, stop() {} };
  return process.stderr.isTTY ? bar(title) : lines(output, title);
}

async function bar(title: string): Promise<ProgressLine> {
  const { default: cliProgress } = await import("cli-progress");
  const { SingleBar, Presets } = cliProgress;
  const format = `${title} [{bar}] {percentage} % {stage}`;
  const drawn = new SingleBar(
    {
      format,
      stream: process.stderr,
      fps: NEVER_FPS,
      barsize: 24,
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
    },
    Presets.legacy,
  );
  let last = 0;
  drawn.start(1, 0, { stage: "" });
  return {
    onProgress({ stage, done }) {
      drawn.update(done, { stage });
      const now = performance.now();
      if (now - last < REDRAW_MS) return;
      last = now;
      drawn.render();
    },
    stop: () => drawn.stop(),
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
