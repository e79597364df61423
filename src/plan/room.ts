/**
 * Waits for room: a PE pushes until the buffers of one link are all under way; then it has to wait for one to come back,
 * though there is room on other links.
 *
 * What: the more links, the sooner one of them is full, as items for them are drawn at random; the more buffers for each,
 * the more is done while they are under way. With one for each, every buffer is waited for.
 *
 * Example: 1000 items of 8 bytes for each of 16 PEs, in buffers of 1 KiB, which hold 128. With one for each link a PE waits
 * for every tenth item on a link, 90 times; with two for every 240th, 3 times.
 */
import { overflowChance, untilFull } from "./fill.ts";
import { FIT } from "./fit.ts";

/** One hop of a tensor. */
export interface Passage {
  readonly pes: number;
  readonly links: number;
  /** Items for a link, in the mean. */
  readonly items: number;
  /** Items to a buffer. */
  readonly capacity: number;
  readonly buffersPerLink: number;
  /** Time to the receiver, ns. */
  readonly oneWay: number;
  /** Time that sender and receiver are busy with a buffer, ns. */
  readonly handling: number;
  /** Time that they are busy with an item, ns. */
  readonly itemTime: number;
}

/** Time that a PE waits for room, ns. */
export function waitForRoom(passage: Passage): number {
  const { pes, links, items, capacity, buffersPerLink, oneWay, handling, itemTime } = passage;
  // all wait for the PE that is unlucky first
  const all = links * pes;
  const limit = capacity * buffersPerLink;
  const chance = overflowChance(all, items, limit);
  if (chance < 1e-3) return 0;
  const spare = (buffersPerLink - 1) * capacity;
  const returned = spare > 0 ? untilFull(links, spare) : 0;
  const room = FIT.room * returned + (FIT.part * capacity) / (links + 1) + 1;
  const meanwhile = FIT.attention - FIT.hidden * (1 - 1 / buffersPerLink);
  const wait = 2 * oneWay + FIT.backlog * handling + meanwhile * room * links * itemTime;
  const more = Math.max(0, items - untilFull(all, limit)) / room;
  return (chance * FIT.once + more) * Math.max(FIT.least * oneWay, wait);
}
