/** The end of a PE: its channels are freed. */
import type { AsyncWaits } from "../../ground/wait/async.ts";
import { watcherOf } from "../../ground/wait/watcher.ts";
import type { OpenChannel } from "./seat.ts";

/** Frees all. Resolves when nothing is under way in those to other nodes, or the other PE has returned. @throws the error that ended the world */
export async function closeChannels(channels: Set<OpenChannel>, waits: AsyncWaits): Promise<void> {
  const all = [...channels];
  for (const channel of all) channel.end();
  for (const channel of all) {
    const isOver = () => channel.isOver || channel.isAlone;
    if (isOver()) continue;
    const waiting = {
      ...{ peer: -1, pollMs: 1, ready: isOver, spin: isOver },
      whom: "PEs that have not freed their ends of its channels",
    };
    const watcher = watcherOf("the end of its main, for channels that it has not freed");
    await waits.until(waiting, { deadline: Number.POSITIVE_INFINITY, signal: undefined, watcher });
  }
}
