/** Ctrl-C: the first one ends the work in an orderly fashion, the second one at once. */

import { AbortedError } from "../../../ground/base/errors.ts";
import { monotonic } from "../../../ground/base/event-loop/timers.ts";
import { INTERRUPTED } from "./exit.ts";
import type { CommandOutput } from "./output.ts";

/** npm and npx forward the Ctrl-C that the terminal has also sent; the two count as one. */
const SAME_MS = 300;

/** A signal that is aborted by Ctrl-C, from now on. */
export function interruptSignal(output: CommandOutput): AbortSignal {
  const controller = new AbortController();
  let first: number | undefined;
  process.on("SIGINT", () => {
    const now = monotonic();
    if (first === undefined) {
      first = now;
      output.note("interrupted: ending the threads (Ctrl-C again ends at once)");
      controller.abort(new AbortedError("Interrupted by Ctrl-C."));
    } else if (now - first > SAME_MS) {
      process.exit(INTERRUPTED);
    }
  });
  return controller.signal;
}
