/** A virtual PE's station: what it has for the collectives, append buffers and channels of its groups. */

import { Collectives } from "../../collectives/collectives.ts";
import { Hierarchy } from "../../collectives/hierarchy/hierarchy.ts";
import { Team } from "../../collectives/team/team.ts";
import { type AppendSeat, OwnAppends } from "../../facilities/append/seat.ts";
import type { OpenChannel, PairSeat } from "../../facilities/messages/seat.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import { LOST } from "../../ground/wait/layout.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";
import { VirtualPayload } from "./heap.ts";
import { NoWaiter, VirtualWaits } from "./waits.ts";
import type { SharedTeam, VirtualWorld } from "./world.ts";

/** Time of a step of a push within a node, ns: some accesses to memory that other PEs have. */
const STEP_NS = 40;

/** That of one PE. */
export class Station {
  readonly world: VirtualWorld;
  readonly pe: VirtualPE;
  readonly payload: VirtualPayload;
  readonly waits: VirtualWaits;
  readonly waiter: NoWaiter = new NoWaiter();
  /** Append buffers over nodes that may still be pushed into. */
  readonly appends: OwnAppends = new OwnAppends();
  /** Channels that may still be used. */
  readonly channels: Set<OpenChannel> = new Set();

  constructor(world: VirtualWorld, pe: VirtualPE) {
    this.world = world;
    this.pe = pe;
    this.payload = new VirtualPayload(world.heap, world.machine, pe);
    this.waits = new VirtualWaits(world.machine, pe);
  }

  /** What append buffers of a group need. */
  appendSeat(members: readonly number[]): AppendSeat {
    const { world, pe, waiter, waits } = this;
    const { machine, heap } = world;
    const termination = world.terminationOf(members);
    const pes = members.map((rank) => machine.pes[rank]);
    const nodeOf = pes.map(({ node }) => node);
    const here = nodeOf.flatMap((node, rank) => (node === pe.node ? rank : []));
    const rank = members.indexOf(pe.rank);
    return {
      ...{ rank, size: members.length, nodeOf, here, members, heap, waiter, waits },
      ...{ checks: true, appends: this.appends, sideWork: pe.sessions.sideWork },
      ...{ mapped: here, heapOf: () => 0, window: null },
      release: (_node, offset) => heap.free(offset),
      // what it waits for tells it
      posted: (one) => machine.wake(pes[one], Math.max(machine.now, pe.clock)),
      departed: (one) => pes[one].over,
      checkRunning() {
        if (termination.decided) throw termination.error();
      },
      step: (bytes) => waits.pass(STEP_NS + machine.settings.costs.byte * bytes),
    };
  }

  /** What channels of a group need. */
  pairSeat(members: readonly number[]): PairSeat {
    const { world, pe, waiter, waits, channels } = this;
    const { machine, heap, termination } = world;
    const fail = (error: unknown) => {
      termination.decide(LOST, { rank: pe.rank, message: (error as Error).message });
      return error;
    };
    return {
      ...{
        rank: members.indexOf(pe.rank),
        size: members.length,
        members,
        heap,
        waiter,
        waits,
        channels,
        fail,
        sideWork: pe.sessions.sideWork,
        nodeOf: members.map((one) => machine.pes[one].node),
      },
      stir: () => machine.wake(pe, Math.max(machine.now, pe.clock)),
      pair: (peer, shape, _backend, terms) =>
        world.pairs.make(pe, machine.pes[members[peer]], shape, terms, fail),
      isBetweenRuns: () => false,
      hasReturned: (peer) => machine.pes[members[peer]].over,
      lossOf: (peer) => machine.lost.get(machine.pes[members[peer]]) ?? null,
      checkRunning() {
        if (termination.decided) throw termination.error();
      },
    };
  }

  collectives({ group, members, trees, offset, medium, stream }: SharedTeam, where: string): Collectives {
    const { heap, mailboxes, starts, costs } = this.world;
    const termination = this.world.terminationOf(group);
    const { payload, waiter } = this;
    // the end of the world wakes all PEs
    const wakers = { notifyAll() {} };
    const { rank, node } = this.pe;
    const holder = {
      ...{ rank, heap, wakers, termination, world: this.world.termination, waiter, payload, medium },
      ...{ checks: true, channel: "virtual" },
    };
    if (members.length === group.length) {
      return new Collectives(
        new Team(holder, members, trees, offset, where),
        this.waits,
        undefined,
        undefined,
        null,
      );
    }
    const team = new Team(holder, members, trees, offset, where, fnv1a(group.join()), group);
    const others = { mailbox: mailboxes[rank], nodes: { node, starts }, costs };
    const hierarchy = new Hierarchy(others, group, team, stream);
    return new Collectives(team, this.waits, undefined, undefined, hierarchy);
  }
}
