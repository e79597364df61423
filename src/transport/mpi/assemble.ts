/** Puts together what moves things at a site on several nodes (site.ts). */

import { MismatchError } from "../../base/errors.ts";
import { fnv1a } from "../../base/hash.ts";
import type { Arrivals, Porter, SitePlan } from "../contract.ts";
import { PARCELS } from "../heap/layout.ts";
import { nearLinks } from "../heap/link-offsets.ts";
import { HeapParcels } from "../heap/oversized.ts";
import { ParcelRoom } from "../heap/oversized-room.ts";
import { SharedPorter } from "../heap/porter.ts";
import type { HeapSeat, Works } from "../heap/site.ts";
import { TreeVote } from "../heap/vote.ts";
import { type Nodes, nodeOf } from "../messages/layout.ts";
import type { Mailbox } from "../messages/mailbox.ts";
import { JointPorter } from "./joint-porter.ts";
import { farLinkBytes } from "./layout.ts";
import { Greetings } from "./link-handshake.ts";
import { JointParcels } from "./oversized.ts";
import { Wire } from "./pending.ts";
import { FarPorter } from "./porter.ts";
import { type FarLink, farLinks } from "./remote-links.ts";
import { GreetedVote, NodeVote, rootedAtFirst } from "./vote.ts";

/** Where a conveyor's PEs are, seen from one. */
export interface Company {
  readonly mailbox: Mailbox;
  readonly nodes: Nodes;
  /** All PEs of the conveyor, as the world numbers them, and this PE's number among them. */
  readonly all: readonly number[];
  readonly rank: number;
  /** Of the mailbox, the conveyor's own: one for greetings, one for votes. */
  readonly streams: readonly [number, number];
}

/** What there is between nodes. */
export interface FarWorks {
  readonly wire: Wire;
  /** Of the hops that leave the node. */
  readonly porters: readonly FarPorter[];
  readonly greetings: Greetings;
  /** At the PE that speaks for its node; null at all others. */
  readonly vote: NodeVote | null;
}

/** A block of the heap for a conveyor's PEs on this node. */
export interface Plot {
  /** Byte offset: zeroed. */
  readonly offset: number;
  /** Byte offset of this PE's links to other nodes. */
  readonly far: number;
  /** Of what lies apart. */
  readonly maxBytes: number;
  /** Of the nodes, see {@link conveyorVote}. */
  readonly vote: NodeVote | null;
}

export function clusterWorks(
  seat: HeapSeat,
  company: Company,
  plan: SitePlan,
  { offset, far, maxBytes, vote }: Plot,
): { readonly works: Works; readonly far: FarWorks } {
  const { heap, bells, members } = seat;
  const { mailbox, nodes, all, rank } = company;
  const seats = new Map(members.map((member, place) => [member, place]));
  const seatOf = (friend: number) => seats.get(all[friend]) ?? -1;
  const near = nearLinks(seat, plan, offset, seatOf);
  const lists = plan.hops.map((hop) => farLinks(hop, all, nodes));
  const perLink = farLinkBytes(plan.buffers);
  const wire = new Wire();
  let at = far;
  const fars = lists.map((list, hop): FarPorter | null => {
    const { friends } = plan.hops[hop];
    const place = { far: list, at };
    at += list.length * perLink;
    return list.length === 0 ? null : new FarPorter(heap, wire, plan.buffers, friends.length, place);
  });
  const porters = near.hops.map((places, hop): Porter & Arrivals => {
    const other = fars[hop];
    if (other !== null && places.order.length === 0) return other;
    const shared = new SharedPorter(heap.i32, bells, plan.buffers, places);
    return other === null ? shared : new JointPorter(shared, other, isFar(lists[hop], places.peers.length));
  });
  const parcels = new JointParcels({
    ...{ heap, wire, seatOf, maxBytes, pes: members.length },
    room: new ParcelRoom(heap, offset / 4 + PARCELS),
    near: new HeapParcels(heap, bells, members, maxBytes, offset / 4 + PARCELS),
    nodeOf: (pe) => nodeOf(nodes, all[pe]),
    newTag: () => mailbox.newTag(),
  });
  wire.begin(mailbox.mpi);
  for (const porter of fars) porter?.begin();
  const said = lists.flatMap((list, hop) =>
    list.map(({ peer, theirs }, place) => ({
      peer,
      hop,
      theirs,
      tag: (fars[hop] as FarPorter).tagOf(place),
    })),
  );
  const greetings = new Greetings(mailbox, company.streams[0], said, (hop, link, tag) =>
    fars[hop]?.know(link, tag),
  );
  const tree = new TreeVote(heap.i32, bells, offset, members, seat.rank, rootedAtFirst(seat.tree), vote);
  return {
    works: {
      ...{ rank, size: all.length, porters, parcels },
      vote: new GreetedVote(tree, greetings),
      scratch: near.scratch,
    },
    far: { wire, porters: fars.filter((porter) => porter !== null), greetings, vote },
  };
}

function isFar(list: readonly FarLink[], links: number): Uint8Array {
  const flags = new Uint8Array(links);
  for (const { link } of list) flags[link] = 1;
  return flags;
}

/** The PE that speaks for each node: the first of it in the list, as the world numbers them; in the order of the list. */
export function speakersOf(all: readonly number[], nodes: Nodes): number[] {
  const speakers = new Map<number, number>();
  for (const member of all) {
    const node = nodeOf(nodes, member);
    if (!speakers.has(node)) speakers.set(node, member);
  }
  return [...speakers.values()];
}

/**
 * The vote of the nodes in which a conveyor is made, and which its sessions go on with; null at PEs that do not speak.
 * @param fail ends the world with an error; gives what is to be thrown
 */
export function conveyorVote(
  { mailbox, nodes, all, rank, streams }: Company,
  { terms }: SitePlan,
  fail: (error: MismatchError) => Error,
): NodeVote | null {
  const speakers = speakersOf(all, nodes);
  const own = speakers.indexOf(all[rank]);
  if (own < 0) return null;
  return new NodeVote({
    ...{ mailbox, stream: streams[1], speakers, own, terms: fnv1a(terms) },
    onMismatch(peer) {
      throw fail(
        new MismatchError(
          `conveyor: PE ${peer} has made its conveyor otherwise than with ${terms}. All PEs of a group make their ` +
            "conveyors in the same order, with the same item and options.",
        ),
      );
    },
  });
}
