/** A virtual PE's station: what it has for the seats and the collectives of its groups. */

import { Collectives } from "../../collectives/collectives.ts";
import { DataAlgorithms, explainDecisions, HeapArrays, KeptCalls, NodeBackend } from "../../collectives/data-calls.ts";
import { overNodes } from "../../collectives/hierarchy/backend.ts";
import { Hierarchy } from "../../collectives/hierarchy/hierarchy.ts";
import { Team } from "../../collectives/team/team.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import { LOST } from "../../ground/wait/layout.ts";
import { Kept } from "../../pe/kept.ts";
import type { Seat, Sites } from "../../pe/seat.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";
import { VirtualPayload } from "./heap.ts";
import { NoWaiter, VirtualWaits } from "./waits.ts";
import type { SharedTeam, VirtualWorld } from "./world.ts";

// a simulation begins at once, also in a bundle of the user's
const PARTS = { DataAlgorithms, explainDecisions, HeapArrays, KeptCalls, NodeBackend };
const dataCalls = () => PARTS;

/** Time of a step of a push within a node, ns: some accesses to memory that other PEs have. */
const STEP_NS = 40;

/** That of one PE. */
export class Station {
  readonly world: VirtualWorld;
  readonly pe: VirtualPE;
  readonly payload: VirtualPayload;
  readonly waits: VirtualWaits;
  readonly waiter: NoWaiter = new NoWaiter();
  readonly kept: Kept = new Kept();
  readonly #group: Seat["group"];

  constructor(world: VirtualWorld, pe: VirtualPE, group: Seat["group"]) {
    this.world = world;
    this.#group = group;
    this.pe = pe;
    this.payload = new VirtualPayload(world.heap, world.machine, pe);
    this.waits = new VirtualWaits(world.machine, pe);
  }

  /** Its seat in a group. @param members by rank in the world */
  seat(members: readonly number[], collectives: Collectives, sites: Sites): Seat {
    const { world, pe, waiter, waits, kept } = this;
    const { machine, heap, termination } = world;
    const ofGroup = world.terminationOf(members);
    const pes = members.map((rank) => machine.pes[rank]);
    const nodeOf = pes.map(({ node }) => node);
    const here = nodeOf.flatMap((node, rank) => (node === pe.node ? rank : []));
    const rank = members.indexOf(pe.rank);
    const now = () => Math.max(machine.now, pe.clock);
    const fail = (error: unknown) => {
      termination.decide(LOST, { rank: pe.rank, message: (error as Error).message });
      return error;
    };
    return {
      rank,
      size: members.length,
      members,
      nodeOf,
      here,
      mapped: here,
      collectives,
      group: this.#group,
      sites,
      kept,
      heap,
      heapOf: () => 0,
      block: (bytes) => world.blocks.make(`${members.join()} on ${pe.node}`, pe.rank, bytes),
      window: null,
      checks: true,
      waiter,
      waits,
      watcher: collectives.team,
      fail,
      sessions: pe.sessions,
      sideWork: pe.sessions.sideWork,
      release: (_node, offset) => heap.free(offset),
      stir: () => machine.wake(pe, now()),
      // what it waits for tells it
      posted: (one) => machine.wake(pes[one], now()),
      step: (bytes) => waits.pass(STEP_NS + machine.settings.costs.byte * bytes),
      departed: (one) => pes[one].over,
      hasReturned: (one) => pes[one].over,
      isBetweenRuns: () => false,
      lossOf: (one) => machine.lost.get(pes[one]) ?? null,
      checkWorld() {
        if (termination.decided) throw termination.error();
      },
      checkGroup() {
        if (ofGroup.decided) throw ofGroup.error();
      },
      pairs: {
        pair: (peer, shape, _backend, terms) => world.pairs.make(pe, pes[peer], shape, terms, fail),
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
      rank,
      heap,
      wakers,
      termination,
      world: this.world.termination,
      waiter,
      payload: () => payload,
      medium,
      checks: true,
      channel: "virtual",
    };
    const place = { members, plan: trees, offset, where };
    if (members.length === group.length) {
      return new Collectives(new Team(holder, place), this.waits, dataCalls, undefined, undefined, null);
    }
    const team = new Team(holder, { ...place, seed: fnv1a(group.join()), group });
    const others = { mailbox: mailboxes[rank], nodes: { node, starts }, costs };
    const hierarchy = new Hierarchy(others, group, team, stream);
    return new Collectives(team, this.waits, dataCalls, undefined, undefined, overNodes(hierarchy));
  }
}
