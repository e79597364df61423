/** A PE's links to other nodes: its mailbox, and a stream in it for each group. */

import type { OverNodes } from "../collectives/collectives.ts";
import { type Delegation, reserveOverNodes } from "../collectives/hierarchy/agreement.ts";
import { overNodes } from "../collectives/hierarchy/backend.ts";
import { Hierarchy, type OtherNodes } from "../collectives/hierarchy/hierarchy.ts";
import type { Reservation } from "../collectives/team/registry.ts";
import type { Reserver } from "../collectives/team/reservation.ts";
import type { Team } from "../collectives/team/team.ts";
import { sleep } from "../ground/base/event-loop/timers.ts";
import { fnv1a } from "../ground/base/hash.ts";
import type { Heap } from "../ground/memory/heap.ts";
import { FIRST_BLOCK } from "../ground/memory/heap-layout.ts";
import { PEMailbox } from "../links/transport/messages/mailbox.ts";
import { leadersOf } from "../links/transport/mpi/assemble.ts";
import type { NodesSite } from "../links/transport/mpi/site.ts";
import { NodeVote } from "../links/transport/mpi/vote.ts";
import type { Nodes } from "../links/transport/nodes.ts";
import type { JobDescriptor } from "../links/world/layout.ts";
import { WindowBoard } from "../links/world/nodes/window-board.ts";
import type { NodeCosts } from "../machine/model/node-costs.ts";
import type { RemoteCosts } from "../machine/model/remote-costs.ts";
import { Mpi } from "../machine/mpi/mpi.ts";
import { Window } from "../machine/mpi/window.ts";
import { Draining } from "./pairs/draining.ts";
import type { OpenWindow } from "./window.ts";

/** Interval between two checks that all messages were sent, ms. */
const POLL_MS = 1;

/** One PE's links to other nodes. */
export class NodeLinks implements OtherNodes {
  readonly nodes: Nodes;
  readonly costs: RemoteCosts;
  /** By node: what it has measured that plans of conveyors need. */
  readonly measured: readonly NodeCosts[];
  readonly mailbox: PEMailbox;
  readonly draining: Draining;
  /** The window over the heaps of all nodes. */
  readonly window: OpenWindow;
  /** Conveyors over several nodes that were not freed yet. */
  readonly sites: Set<NodesSite> = new Set();
  /** Groups over several nodes that this PE is in. */
  readonly #hierarchies = new Set<Hierarchy>();
  /** Number of streams made so far for the same members. */
  readonly #instances = new Map<string, number>();

  readonly #rank: number;

  /** @throws NoMpiError if the main thread has not opened MPI */
  constructor({ nodes, costs, measured, window, ...place }: JobDescriptor, heap: Heap, rank: number) {
    this.nodes = nodes;
    this.costs = costs;
    this.measured = measured;
    this.#rank = rank;
    this.mailbox = new PEMailbox({ mpi: Mpi.join(), heap, nodes, rank, offset: FIRST_BLOCK, ...place });
    this.draining = new Draining(this.mailbox);
    const { mpi } = this.mailbox;
    this.window = {
      wanted: new WindowBoard(window),
      open: (handle, slots) => new Window(mpi, handle, heap.u8, slots),
    };
  }

  /** The additions to the collectives of a group over several nodes. */
  overNodes(members: readonly number[], team: Team): OverNodes {
    const name = members.toSorted((a, b) => a - b).join();
    const hierarchy = new Hierarchy(this, members, team, this.#stream(name), () => {
      this.#hierarchies.delete(hierarchy);
    });
    this.#hierarchies.add(hierarchy);
    return overNodes(hierarchy);
  }

  /** Streams for the messages of a new conveyor among these PEs: one for handshakes, one for votes. */
  conveyorStreams(members: readonly number[]): [number, number] {
    const name = members.join();
    return [this.#stream(`handshakes ${name}`), this.#stream(`votes ${name}`)];
  }

  /** The same for a channel between two PEs: one for parts of messages, one for words. */
  pairStreams(both: readonly number[]): [number, number] {
    const name = both.join();
    return [this.#stream(`parts ${name}`), this.#stream(`words ${name}`)];
  }

  /**
   * The PEs that make a group with PEs of several nodes.
   * @param members of the group
   * @param here the members on this node
   */
  makers(members: readonly number[], here: readonly number[]): Delegation {
    const { mailbox, nodes } = this;
    const sorted = members.toSorted((a, b) => a - b);
    const stream = this.#stream(`making ${sorted.join()}`);
    const leaders = leadersOf(sorted, nodes);
    const own = leaders.findIndex((leader) => here.includes(leader));
    const leader = leaders[own] as number;
    if (leader !== this.#rank) return { here, leader, vote: null };
    // no terms are compared: a mismatch is detected in the group's first call
    const place = { mailbox, stream, leaders, own, terms: 0, onMismatch: mustAgree };
    return { here, leader, vote: new NodeVote(place) };
  }

  /** As {@link reserve} of one node, for a group with PEs of other nodes. @param makers as {@link makers} */
  reserve(reserver: Reserver, makers: Delegation, what: Reservation): number {
    return reserveOverNodes(reserver, makers, what);
  }

  /** A 32-bit hash of the order of a group's ranks. */
  orderOf(members: readonly number[]): number {
    return fnv1a(members.join());
  }

  /** Resolves with whether all messages were sent, or with false when `inVain` is true. */
  async sent(inVain: () => boolean): Promise<boolean> {
    while (!this.mailbox.isSent()) {
      if (inVain()) return false;
      this.mailbox.poll();
      await sleep(POLL_MS);
    }
    return true;
  }

  /** Waits until all was sent, or `inVain`; receives nothing then. @returns whether conveyors sent everything */
  async close(inVain: () => boolean): Promise<boolean> {
    // conveyors that were not freed
    const closed = [...this.sites].map((site) => site.close());
    for (const { mpi, team } of this.#hierarchies) mpi.leave(team.isRunning);
    await this.sent(inVain);
    this.mailbox.close();
    return closed.every(Boolean);
  }

  /** A number that is the same at all members: a hash of the members and of how many streams they made before. */
  #stream(name: string): number {
    const instance = this.#instances.get(name) ?? 0;
    this.#instances.set(name, instance + 1);
    // two streams in use at the same time have the same number with a probability of 1 in 4 10^9
    return fnv1a(`${name}#${instance}`);
  }
}

function mustAgree(peer: number): never {
  throw new Error(`PE ${peer} sent terms where none are expected`);
}
