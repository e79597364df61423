/** The end of a PE: its channels are freed. */
import type { AsyncWaits } from "../wait/async.ts";
import type { Pair } from "./parts.ts";

/** Closes all pairs. Resolves when nothing is under way in those to other nodes. @throws the error that ended the world */
export async function closePairs(pairs: ReadonlySet<Pair>, waits: AsyncWaits): Promise<void> {
  for (const pair of pairs) pair.close();
  for (const pair of pairs) {
    if (pair.isOver) continue;
    const isOver = () => pair.isOver;
    const waiting = {
      peer: -1,
      pollMs: 1,
      ready: isOver,
      spin: isOver,
      whom: "PEs that have not freed their channels",
    };
    const watcher = { where: "", verify() {}, absent: () => "" };
    await waits.until(waiting, { deadline: Number.POSITIVE_INFINITY, signal: undefined, watcher });
  }
}
