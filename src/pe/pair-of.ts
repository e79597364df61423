/** Pairs of queues between two PEs that are threads: of one node, or of two. */
import { endWith, reserve } from "../collectives/team/reservation.ts";
import type { ChannelKind } from "../ground/base/channel-kinds.ts";
import { fnv1a } from "../ground/base/hash.ts";
import { pesText } from "../ground/wait/who.ts";
import { nodeOf } from "../links/transport/nodes.ts";
import { type PairShape, pairPlaces } from "./pairs/layout.ts";
import { mismatch } from "./pairs/mismatch.ts";
import { heapPair } from "./pairs/node-pair.ts";
import type { Pair } from "./pairs/parts.ts";
import { RemotePair } from "./pairs/remote-pair.ts";
import { OF_PAIRS } from "./pairs/scope.ts";
import type { PairParts, Seat } from "./seat.ts";

/** Makes a pair of a PE in a group with another one: {@link Pairs.pair}. */
export function pairOf(
  { pairs, members, fail }: Pick<Seat, "pairs" | "members" | "fail">,
  peer: number,
  ...what: [shape: PairShape, backend: ChannelKind | undefined, terms: string]
): Pair {
  if ("pair" in pairs) return pairs.pair(peer, ...what);
  return threadPair(pairs, members[peer] as number, fail, ...what);
}

/** @param peer by rank in the world @param fail ends the world with an error */
function threadPair(
  { holder, registry, team, links }: PairParts,
  peer: number,
  fail: (error: unknown) => unknown,
  ...[shape, backend, terms]: [shape: PairShape, backend: ChannelKind | undefined, terms: string]
): Pair {
  const { heap, waiter, wakers, rank: own } = holder;
  const both = [Math.min(own, peer), Math.max(own, peer)];
  if (links !== null && nodeOf(links.nodes, peer) !== nodeOf(links.nodes, own)) {
    // ends that were freed may be over by now, and give their memory back
    waiter.sideWork.run(true);
    return new RemotePair({
      heap,
      mailbox: links.mailbox,
      draining: links.draining,
      sideWork: waiter.sideWork,
      peer,
      shape,
      fail,
      streams: links.pairStreams(both),
      terms: fnv1a(terms) | 0,
      onMismatch: () => {
        throw endWith(holder, mismatch(terms, peer));
      },
      isLost: () => wakers.losses.hasLost(peer),
    });
  }
  const { bytes, blocks } = pairPlaces(shape);
  const offset = reserve({ holder, registry, team }, both, {
    bytes,
    terms,
    made: terms,
    scope: OF_PAIRS,
    making: `queues between ${pesText(both)} (${terms})`,
    need: { what: terms, lower: (room) => lowerSlots(shape, room) },
    // blocks hold nothing before a slot says so
    clear: (block) => heap.u8.fill(0, block, block + blocks[0]),
  });
  const kind = backend ?? holder.channel;
  return heapPair({ heap, waiter, wakers, peer, isFirst: own < peer, kind, offset, shape });
}

/** The most slots that have room. */
function lowerSlots(shape: PairShape, room: number): string {
  let { slots } = shape;
  while (slots >= 2 && pairPlaces({ ...shape, slots }).bytes > room) slots /= 2;
  return slots < 2 ? "Lower slots and partBytes." : `Lower slots: ${slots} have room; or partBytes.`;
}
