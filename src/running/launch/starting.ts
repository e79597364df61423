/**
 * Starting worlds: the code is loaded by the first call that starts one. A thread of a PE imports `tundish` for spmd
 * and the collectives, and starts nothing.
 */
import type { ThreadsAhead } from "../run/ahead.ts";
import { checkInMain } from "../run/in-main.ts";
import type { OpenOptions } from "../run/options.ts";

type Start = typeof import("./start.ts");

/**
 * Starts the threads of a world of these options, and `start`s the world meanwhile.
 * @param what the call, for the error
 * @throws ModuleError in the thread of a PE that is outside its main
 */
export async function startingAhead<T>(
  what: string,
  options: OpenOptions | null,
  start: (starter: Start, ahead: ThreadsAhead | null) => Promise<T>,
): Promise<T> {
  checkInMain(what);
  const { threadsAhead } = await import("../run/ahead.ts");
  const ahead = threadsAhead(options);
  try {
    return await start(await import("./start.ts"), ahead);
  } finally {
    await ahead?.end();
  }
}
