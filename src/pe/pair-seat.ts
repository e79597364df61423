/** Seats: what the channels of a PE's groups need of it. */

import type { Registry } from "../collectives/team/registry.ts";
import { endWith, reserve } from "../collectives/team/reservation.ts";
import type { Seatholder, Team } from "../collectives/team/team.ts";
import { mismatch } from "../facilities/messages/errors.ts";
import { type PairShape, pairPlaces } from "../facilities/messages/layout.ts";
import { heapPair } from "../facilities/messages/node-pair.ts";
import { RemotePair } from "../facilities/messages/remote-pair.ts";
import type { OpenChannel, PairSeat } from "../facilities/messages/seat.ts";
import { fnv1a } from "../ground/base/hash.ts";
import type { AsyncWaits } from "../ground/wait/async.ts";
import { pesText } from "../ground/wait/who.ts";
import { nodeOf } from "../links/transport/messages/layout.ts";
import { failing } from "./fail.ts";
import type { NodeLinks } from "./node-links.ts";

/** What a PE has for the channels of all its groups. */
export interface PairResources {
  readonly holder: Seatholder;
  readonly registry: Registry;
  /** Of the world: through it the world ends if a reservation cannot be settled. */
  readonly team: Team;
  readonly waits: AsyncWaits;
  /** Null if there is one node. */
  readonly links: NodeLinks | null;
  /** Those that may still be used. */
  readonly channels: Set<OpenChannel>;
}

/** Two PEs make pairs of their own, whatever groups they are made in. */
export const PAIRS = "pair";

/** @param members all PEs of the group, by rank in the world */
export function pairSeat(resources: PairResources, members: readonly number[]): PairSeat {
  const { holder, registry, team, waits, links, channels } = resources;
  const { heap, waiter, wakers, termination } = holder;
  const fail = failing(holder);
  const own = holder.rank;
  return {
    ...{ rank: members.indexOf(own), size: members.length, members, heap, waiter, waits, channels, fail },
    sideWork: waiter.sideWork,
    nodeOf: members.map((one) => (links === null ? 0 : nodeOf(links.nodes, one))),
    // threads look by themselves
    stir() {},
    pair(to, shape, backend, terms) {
      const peer = members[to] as number;
      const both = [Math.min(own, peer), Math.max(own, peer)];
      if (links !== null && nodeOf(links.nodes, peer) !== nodeOf(links.nodes, own)) {
        const { mailbox } = links;
        // ends that were freed may be over by now, and give their memory back
        waiter.sideWork.run(true);
        const onMismatch = (): never => {
          throw endWith(holder, mismatch(terms, peer));
        };
        const known = {
          heap,
          mailbox,
          draining: links.draining,
          sideWork: waiter.sideWork,
          peer,
          shape,
          streams: links.pairStreams(both),
        };
        const isLost = () => wakers.losses.hasLost(peer);
        return new RemotePair({ ...known, terms: fnv1a(terms) | 0, onMismatch, isLost, fail });
      }
      const { bytes, blocks } = pairPlaces(shape);
      const offset = reserve({ holder, registry, team }, both, {
        ...{ bytes, terms, scope: PAIRS, making: `queues between ${pesText(both)} (${terms})` },
        need: { what: `a channel, ${terms}`, lower: (room) => lowerSlots(shape, room) },
        // blocks hold nothing before a slot says so
        clear: (block) => heap.u8.fill(0, block, block + blocks[0]),
      });
      const kind = backend ?? holder.channel;
      return heapPair({ heap, waiter, wakers, peer, isFirst: own < peer, kind, offset, shape });
    },
    hasReturned: (peer) => wakers.hasReturned(members[peer] as number),
    isBetweenRuns: (peer) => wakers.isBetweenRuns(members[peer] as number),
    lossOf(peer) {
      const pe = members[peer] as number;
      return wakers.losses.isLost(pe) ? wakers.losses.errorOf(pe) : null;
    },
    checkRunning() {
      if (termination.decided) throw termination.error();
    },
  };
}

/** The most slots that have room. */
function lowerSlots(shape: PairShape, room: number): string {
  let { slots } = shape;
  while (slots >= 2 && pairPlaces({ ...shape, slots }).bytes > room) slots /= 2;
  return slots < 2 ? "Lower slots and partBytes." : `Lower slots: ${slots} have room; or partBytes.`;
}
