/** Ctrl-C: the first ends the work in good order, the second at once. */
import { AbortedError } from "../../base/errors.ts";
import { INTERRUPTED } from "./exit.ts";
import type { Output } from "./output.ts";

/** npm and npx pass on the Ctrl-C that the terminal has sent already; those two are one. */
const SAME_MS = 300;

/** A signal that Ctrl-C aborts, from now on. */
export function interruptSignal(output: Output): AbortSignal {
  const controller = new AbortController();
  let first: number | undefined;
  process.on("SIGINT", () => {
    const now = performance.now();
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
