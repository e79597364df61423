/**
 * Watches a world from the thread that started it: warns once when there was no progress for a while, and prints a
 * diagnosis when the process gets SIGUSR2.
 */
import { clearInterval, setInterval } from "../../ground/base/event-loop/timers.ts";
import { type Said, sentences } from "../../ground/wait/who.ts";
import { diagnose, problemsIn, type Watched } from "./diagnose.ts";
import { MOST_SENTENCES } from "./problems.ts";

/** Longest time between two checks, ms. */
const POLL_MS = 1000;

/** Worlds whose diagnosis SIGUSR2 prints. */
const worlds = new Set<Watched>();

function print(): void {
  for (const world of worlds) process.stderr.write(`tundish: ${diagnose(world).text}\n`);
}

/** The PE and the rule that it breaks. */
const essence = ({ rank, text }: Said): string => `${rank} ${text.slice(0, text.indexOf(":"))}`;

/** Watches until disposed. @param stallAfter ms without progress until a warning is emitted; Infinity for never */
export function watch(world: Watched, stallAfter: number): Disposable {
  // another handler of SIGUSR2 takes precedence
  if (worlds.size === 0 && process.listenerCount("SIGUSR2") === 0 && process.platform !== "win32") {
    process.on("SIGUSR2", print);
  }
  worlds.add(world);
  // each problem is reported once, whatever its times and counts
  const told = new Set<string>();
  const look = (): void => {
    // the error that ended the world is thrown, and needs no warning
    const fresh = problemsIn(world, stallAfter).filter((problem) => !told.has(essence(problem)));
    for (const problem of fresh) told.add(essence(problem));
    if (fresh.length > 0) {
      const text = sentences(fresh, MOST_SENTENCES).join("\n");
      process.emitWarning(text, { type: "TundishWarning", code: "TUNDISH_STALL" });
    }
  };
  const timer = Number.isFinite(stallAfter) ? setInterval(look, Math.min(stallAfter / 2, POLL_MS)) : undefined;
  timer?.unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      worlds.delete(world);
      if (worlds.size === 0) process.off("SIGUSR2", print);
    },
  };
}
