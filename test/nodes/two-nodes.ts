/** A world of two nodes with a PE each, all within one thread: over MPI that is played (network.ts). */

import { CallEngine } from "../../src/collectives/calls/engine.ts";
import { Hierarchy } from "../../src/collectives/hierarchy/hierarchy.ts";
import { ScalarExecutor } from "../../src/collectives/hierarchy/scalar-executor.ts";
import { HeapMedium } from "../../src/collectives/team/heap-medium.ts";
import { Payload } from "../../src/collectives/team/payload.ts";
import { Team } from "../../src/collectives/team/team.ts";
import { teamBytes } from "../../src/collectives/team/team-block.ts";
import type { Heap } from "../../src/ground/memory/heap.ts";
import { newHeap } from "../../src/ground/memory/new-heap.ts";
import { AsyncWaiter } from "../../src/ground/wait/async.ts";
import { waitAreaBytes } from "../../src/ground/wait/layout.ts";
import { Termination } from "../../src/ground/wait/termination.ts";
import { ParkingWaiter } from "../../src/ground/wait/waiter.ts";
import { Wakers } from "../../src/ground/wait/wakers.ts";
import { statusBytes } from "../../src/links/status/layout.ts";
import { PEStatus } from "../../src/links/status/status.ts";
import type { Buffers, SitePlan } from "../../src/links/transport/contract.ts";
import { Idler } from "../../src/links/transport/heap/idler.ts";
import { mailboxesBytes } from "../../src/links/transport/messages/layout.ts";
import { PEMailbox } from "../../src/links/transport/messages/mailbox.ts";
import { conveyorVote } from "../../src/links/transport/mpi/assemble.ts";
import { remotePlaces } from "../../src/links/transport/mpi/remote-links.ts";
import type { NodesSite } from "../../src/links/transport/mpi/site.ts";
import { NodesSite as Site } from "../../src/links/transport/mpi/site.ts";
import type { Nodes } from "../../src/links/transport/nodes.ts";
import { CONVEYOR_WORDS, Sessions } from "../../src/links/transport/underway.ts";
import { dataCalls } from "../../src/pe/late-calls.ts";
import { treesOf } from "../collectives/support/plans.ts";
import { Network } from "./network.ts";

const PES = 2;
const HEAP_BYTES = 2 ** 22;
const STREAMS = { collectives: 1, handshakes: 2, votes: 3 } as const;

/** One of the two PEs: of the same number as its node. */
export class RemotePE {
  readonly rank: number;
  readonly heap: Heap = newHeap(HEAP_BYTES);
  readonly wakers: Wakers;
  readonly termination: Termination;
  readonly mailbox: PEMailbox;
  readonly async: AsyncWaiter;
  readonly scalars: ScalarExecutor;
  readonly #nodes: Nodes;
  readonly #waiter: ParkingWaiter;
  readonly #status: PEStatus;

  constructor(network: Network, rank: number, epoch: number, tagsUsed: Int32Array) {
    const { heap } = this;
    const nodes = { node: rank, starts: [0, 1, PES] };
    const waitOffset = heap.allocate(waitAreaBytes(PES));
    const offset = heap.allocate(mailboxesBytes(nodes));
    const plan = treesOf(1, "binary");
    this.rank = rank;
    this.wakers = new Wakers(heap.i32, waitOffset, PES);
    this.termination = new Termination(heap.i32, heap.u8, waitOffset);
    this.async = new AsyncWaiter(rank, heap.i32, this.wakers, this.termination);
    const strategy = { looks: 4, spins: 0, yields: 8, sliceMs: 1 };
    this.#waiter = new ParkingWaiter(rank, this.wakers, this.termination, strategy);
    this.#nodes = nodes;
    this.#status = new PEStatus(heap.i32, heap.u8, heap.allocate(statusBytes(1)), 0);
    this.mailbox = new PEMailbox({ mpi: network.mpi(rank), heap, nodes, rank, offset, epoch, tagsUsed });
    const payload = new Payload(heap);
    const { wakers, termination } = this;
    const holder = {
      rank,
      heap,
      wakers,
      termination,
      waiter: this.#waiter,
      payload: () => payload,
      medium: new HeapMedium({ heap, wakers, waiter: this.#waiter, channel: "ump", late: dataCalls }),
      checks: false,
      channel: "ump" as const,
    };
    const team = new Team(holder, { members: [rank], plan, offset: heap.allocate(teamBytes(plan, 1)) });
    const costs = { alpha: 1000, overhead: 100, near: 100, mpi: null };
    const place = { mailbox: this.mailbox, nodes, costs };
    const hierarchy = new Hierarchy(place, [0, 1], team, STREAMS.collectives);
    this.scalars = new ScalarExecutor(new CallEngine(team, () => {}, dataCalls), hierarchy);
  }

  /** Makes a conveyor with the other PE. */
  site(
    streams: readonly [number, number] = [STREAMS.handshakes, STREAMS.votes],
    perLink: Buffers["perLink"] = 2,
  ): NodesSite {
    const { heap, wakers, termination, async, mailbox, rank } = this;
    const hopsOf = (self: number) => [{ friends: Int32Array.of(0, 1), self }];
    const plan: SitePlan = {
      hops: hopsOf(rank),
      hopsOf,
      buffers: { bytes: 1024, perLink },
      scratch: 1,
      stagingBytes: 0,
      tableBytes: 0,
      routes: null,
      name: "u32",
      words: CONVEYOR_WORDS,
      terms: "u32",
    };
    const tree = { root: 0, children: {} };
    const idler = new Idler(this.#waiter);
    const seat = {
      ...{ heap, wakers, termination, idler, async, status: this.#status, tree, sessions: new Sessions() },
      members: [rank],
      rank: 0,
    };
    const company = { mailbox, nodes: this.#nodes, all: [0, 1], rank, streams };
    const places = remotePlaces(plan, [rank], [0, 1], this.#nodes);
    const offset = heap.allocate(places[1] as number);
    const vote = conveyorVote(company, plan, (error) => error);
    const memory = { offset, remote: offset + (places[0] as number), maxBytes: 2 ** 20, vote };
    return new Site({ ...seat, problems: () => [] }, company, plan, memory, () => {});
  }
}

/** The PEs of the worlds of a job, one world after the other. */
export class TwoNodes {
  readonly network: Network = new Network(PES);
  readonly #tagsUsed = [0, 1].map(() => new Int32Array(new SharedArrayBuffer(4)));

  world(epoch = 0): [RemotePE, RemotePE] {
    const [a, b] = this.#tagsUsed.map((used, rank) => new RemotePE(this.network, rank, epoch, used));
    return [a as RemotePE, b as RemotePE];
  }
}
