/** Assembles the porters, votes and memory of a site on several nodes (site.ts). */

import { MismatchError } from "../../../ground/base/errors.ts";
import { fnv1a } from "../../../ground/base/hash.ts";
import type { Arrivals, Porter, SitePlan } from "../contract.ts";
import { OVERSIZED } from "../heap/layout.ts";
import { nearLinks } from "../heap/link-offsets.ts";
import { HeapOversized } from "../heap/oversized.ts";
import { OversizedRoom } from "../heap/oversized-room.ts";
import { SharedPorter } from "../heap/porter.ts";
import type { HeapSiteSetup, SiteParts } from "../heap/site.ts";
import { TreeVote } from "../heap/vote.ts";
import type { PEMailbox } from "../messages/mailbox.ts";
import { BY_MPI, heapAt, type Nodes, nodeOf } from "../nodes.ts";
import { SessionWord } from "../session-word.ts";
import { JointPorter } from "./joint-porter.ts";
import { remoteLinkBytes } from "./layout.ts";
import { LinkHandshakes } from "./link-handshake.ts";
import { MappedLinks } from "./mapped-links.ts";
import { JointOversized } from "./oversized.ts";
import { Wire } from "./pending.ts";
import { RemotePorter } from "./porter.ts";
import { type RemoteLink, remoteLinks } from "./remote-links.ts";
import { HandshakeVote, NodeVote, rootedAtFirst } from "./vote.ts";

/** The PEs of a conveyor over several nodes, as seen by one of them. */
export interface NodePeers {
  readonly mailbox: PEMailbox;
  readonly nodes: Nodes;
  /** The ranks in the world of all PEs of the conveyor, and this PE's rank among them. */
  readonly all: readonly number[];
  readonly rank: number;
  /** The conveyor's own streams of the mailbox: one for handshakes, one for votes. */
  readonly streams: readonly [number, number];
}

/** The parts of a site that communicate between nodes. */
export interface RemoteSiteParts {
  readonly wire: Wire;
  /** The porters of the hops between nodes, by MPI. */
  readonly porters: readonly RemotePorter[];
  readonly mapped: MappedLinks;
  readonly handshakes: LinkHandshakes;
  /** At the leader of its node; null at all other PEs. */
  readonly vote: NodeVote | null;
}

/** A block of the heap for a conveyor's PEs on this node. */
export interface SiteMemory {
  /** Byte offset of the zeroed block. */
  readonly offset: number;
  /** Byte offset of this PE's links to other nodes. */
  readonly remote: number;
  /** Limit of the memory for oversized items. */
  readonly maxBytes: number;
  /** The vote of the nodes, see {@link conveyorVote}. */
  readonly vote: NodeVote | null;
}

export function remoteSiteParts(
  seat: HeapSiteSetup,
  nodePeers: NodePeers,
  plan: SitePlan,
  { offset, remote, maxBytes, vote }: SiteMemory,
): { readonly parts: SiteParts; readonly remote: RemoteSiteParts } {
  const { heap, wakers, members } = seat;
  const { mailbox, nodes, all, rank } = nodePeers;
  const seats = new Map(members.map((member, place) => [member, place]));
  const seatOf = (friend: number) => seats.get(all[friend]) ?? -1;
  const near = nearLinks(seat, plan, offset, seatOf);
  const isMapped = ({ node }: RemoteLink) => heapAt(nodes, node) !== BY_MPI;
  const remoteOf = plan.hops.map((hop) => remoteLinks(hop, all, nodes));
  const lists = remoteOf.map((list) => list.filter((link) => !isMapped(link)));
  const mapped = new MappedLinks(
    heap.i32,
    nodes,
    all,
    remoteOf.map((list) => list.filter(isMapped)),
    plan.hopsOf,
  );
  const perLink = remoteLinkBytes(plan.buffers);
  const wire = new Wire();
  const session = new SessionWord();
  let at = remote;
  const remotes = lists.map((list, hop): RemotePorter | null => {
    const { friends } = plan.hops[hop];
    const place = { remote: list, at };
    at += list.length * perLink;
    return list.length === 0 ? null : new RemotePorter(heap, wire, session, plan.buffers, friends.length, place);
  });
  const porters = near.hops.map((ownNode, hop): Porter & Arrivals => {
    const other = remotes[hop];
    const places = mapped.add(hop, ownNode, () => {
      at += perLink;
      return at - perLink;
    });
    if (other !== null && places.order.length === 0) return other;
    const shared = new SharedPorter(heap.i32, wakers, session, plan.buffers, places);
    mapped.serve(hop, shared);
    return other === null ? shared : new JointPorter(shared, other, isRemote(lists[hop], places.peers.length));
  });
  const oversized = new JointOversized({
    heap,
    wire,
    mapped,
    seatOf,
    maxBytes,
    pes: members.length,
    room: new OversizedRoom(heap, offset / 4 + OVERSIZED),
    near: new HeapOversized(heap, wakers, members, maxBytes, offset / 4 + OVERSIZED),
    nodeOf: (pe) => nodeOf(nodes, all[pe]),
    newTag: () => mailbox.newTag(),
  });
  wire.begin(mailbox.mpi);
  for (const porter of remotes) porter?.begin();
  const said = lists.flatMap((list, hop) =>
    list.map(({ peer, theirs }, place) => ({
      peer,
      hop,
      theirs,
      block: offset,
      place: (remotes[hop] as RemotePorter).tagOf(place),
    })),
  );
  const handshakes = new LinkHandshakes(
    mailbox,
    nodePeers.streams[0],
    [...said, ...mapped.handshakes(offset)],
    (hop, link, place, block) => {
      if (!mapped.know(hop, link, place, block)) remotes[hop]?.know(link, place);
    },
  );
  const tree = new TreeVote(heap.i32, wakers, {
    offset,
    members,
    rank: seat.rank,
    tree: rootedAtFirst(seat.tree),
    above: vote,
  });
  return {
    parts: {
      rank,
      size: all.length,
      session,
      porters,
      oversized,
      vote: new HandshakeVote(tree, handshakes, () => mapped.hold()),
      places: near.places,
    },
    remote: { wire, porters: remotes.filter((porter) => porter !== null), mapped, handshakes, vote },
  };
}

function isRemote(list: readonly RemoteLink[], links: number): Uint8Array {
  const flags = new Uint8Array(links);
  for (const { link } of list) flags[link] = 1;
  return flags;
}

/** The leader of each node: its first PE in the list, by rank in the world; in the order of the list. */
export function leadersOf(all: readonly number[], nodes: Nodes): number[] {
  const leaders = new Map<number, number>();
  for (const member of all) {
    const node = nodeOf(nodes, member);
    if (!leaders.has(node)) leaders.set(node, member);
  }
  return [...leaders.values()];
}

/**
 * The vote of the nodes in which a conveyor is made, and which its sessions continue; null at PEs that are not leaders.
 * @param fail ends the world with an error; returns the error to be thrown
 */
export function conveyorVote(
  { mailbox, nodes, all, rank, streams }: NodePeers,
  { terms }: SitePlan,
  fail: (error: MismatchError) => Error,
): NodeVote | null {
  const leaders = leadersOf(all, nodes);
  const own = leaders.indexOf(all[rank]);
  if (own < 0) return null;
  return new NodeVote({
    mailbox,
    stream: streams[1],
    leaders,
    own,
    terms: fnv1a(terms),
    onMismatch(peer) {
      throw fail(
        new MismatchError(
          `PE ${peer} has made a conveyor or an exchange otherwise than with ${terms}. All PEs of a group must make theirs ` +
            "in the same order, with the same item and options.",
        ),
      );
    },
  });
}
