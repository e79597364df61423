/**
 * Waits for room: a PE pushes until all buffers of one link are in flight. Then it must wait for one of them to be
 * returned, although other links have room.
 *
 * The more links, the sooner one of them is full, as items are for random links. The more buffers for each link, the
 * more work is done while they are in flight. With one buffer for each link, every buffer is waited for.
 *
 * Example: 1000 items of 8 bytes for each of 16 PEs, in buffers of 1 KiB, which hold 128. With one buffer for each link
 * a PE waits after every tenth item on a link, 90 times; with two buffers after every 240th, 3 times.
 */
import { overflowChance, untilFull } from "./fill.ts";
import { FIT, type FitFactors } from "./fit.ts";

/** One hop of a tensor. */
export interface Passage {
  readonly pes: number;
  readonly links: number;
  /** Mean number of items for a link. */
  readonly items: number;
  /** Items in a full buffer. */
  readonly capacity: number;
  readonly buffersPerLink: number;
  /** Latency to the receiver, ns. */
  readonly oneWay: number;
  /** Time for which sender and receiver are busy with a buffer, ns. */
  readonly handling: number;
  /** Time for which they are busy with an item, ns. */
  readonly itemTime: number;
  /** Time of a wait beside that, ns. @default 0 */
  readonly each?: number;
}

/** The time that a PE waits for room, ns. */
export function waitForRoom(passage: Passage, fit: FitFactors = FIT): number {
  const { pes, links, items, capacity, buffersPerLink, oneWay, handling, itemTime, each = 0 } = passage;
  // all PEs wait for the first PE whose link is full
  const all = links * pes;
  const limit = capacity * buffersPerLink;
  const chance = overflowChance(all, items, limit);
  // the only buffer of a link may be on its way still, since the session before
  const again = buffersPerLink === 1 ? (1 - chance) * each : 0;
  if (chance < 1e-3) return again;
  const spare = (buffersPerLink - 1) * capacity;
  const returned = spare > 0 ? untilFull(links, spare) : 0;
  const room = fit.room * returned + (fit.part * capacity) / (links + 1) + 1;
  const meanwhile = fit.attention - fit.hidden * (1 - 1 / buffersPerLink);
  const wait = 2 * oneWay + fit.backlog * handling + meanwhile * room * links * itemTime;
  const more = Math.max(0, items - untilFull(all, limit)) / room;
  return again + (chance * fit.once + more) * (each + Math.max(fit.least * oneWay, wait));
}
