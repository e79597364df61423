/**
 * Barrier, broadcast and sum of a number between nodes, by messages and by the MPI library's own collectives: a contest
 * between the two, in turns, with one PE of each node.
 *
 * They are timed as groups run them, on a heap, a mailbox and hierarchies of their own.
 */

import { CallEngine } from "../../src/collectives/calls/engine.ts";
import { HierarchyEngine } from "../../src/collectives/hierarchy/engine.ts";
import { Hierarchy } from "../../src/collectives/hierarchy/hierarchy.ts";
import { ScalarCalls } from "../../src/collectives/hierarchy/scalar-calls.ts";
import { HeapMedium } from "../../src/collectives/team/heap-medium.ts";
import { Payload } from "../../src/collectives/team/payload.ts";
import { Team } from "../../src/collectives/team/team.ts";
import { teamBytes } from "../../src/collectives/team/team-block.ts";
import { newHeap } from "../../src/ground/memory/new-heap.ts";
import { waitAreaBytes } from "../../src/ground/wait/layout.ts";
import { chooseStrategy } from "../../src/ground/wait/strategy.ts";
import { Termination } from "../../src/ground/wait/termination.ts";
import { ParkingWaiter } from "../../src/ground/wait/waiter.ts";
import { Wakers } from "../../src/ground/wait/wakers.ts";
import { mailboxesBytes } from "../../src/links/transport/messages/layout.ts";
import { PEMailbox } from "../../src/links/transport/messages/mailbox.ts";
import type { MpiTime, MpiTimes } from "../../src/machine/model/internode.ts";
import type { Mpi } from "../../src/machine/mpi/mpi.ts";
import { dataCalls } from "../../src/pe/late-calls.ts";
import { type Operations, timeBatches } from "../../src/running/contest/batches.ts";
import { decide } from "../../src/running/contest/decision.ts";
import type { CollectivePlan, Tree } from "../../trees/model/tree.ts";
import { now } from "../pairs/clock.ts";

const HEAP_BYTES = 2 ** 22;
const PATIENCE_MS = 30_000;
const TURNS = 7;
/** Batches of each in a turn. */
const PER_TURN = 3;
const BATCH_MS = 0.5;

/** The calls, in the order of their times. */
export const CALLS = ["barrier", "broadcast", "allreduce"] as const;
const WAYS = ["messages", "mpi"] as const;

const ALONE: Tree = { algorithm: "sequential", root: 0, children: {}, latency: 0 };
const PLAN: CollectivePlan = {
  broadcast: ALONE,
  reduce: ALONE,
  barrier: { kind: "dissemination", latency: 0, order: [0] },
};

/** Measures; all nodes call it. What rank 0 has measured counts. @throws TimeoutError, MpiError */
export function timeCollectives(mpi: Mpi, oversubscribed: boolean): MpiTimes {
  const heap = newHeap(HEAP_BYTES);
  const { rank, size } = mpi;
  const waitOffset = heap.allocate(waitAreaBytes(size));
  const wakers = new Wakers(heap.i32, waitOffset, size);
  const termination = new Termination(heap.i32, heap.u8, waitOffset);
  const waiter = new ParkingWaiter(rank, wakers, termination, chooseStrategy(!oversubscribed));
  waiter.timeout = PATIENCE_MS;
  const holder = {
    rank,
    heap,
    wakers,
    termination,
    waiter,
    payload: () => new Payload(heap),
    medium: new HeapMedium({ heap, wakers, waiter, channel: "ump", late: dataCalls }),
    checks: false,
    channel: "ump" as const,
  };
  const nodes = { node: rank, starts: Array.from({ length: size + 1 }, (_, node) => node) };
  const offset = heap.allocate(mailboxesBytes(nodes));
  const tagsUsed = new Int32Array(new SharedArrayBuffer(4));
  const mailbox = new PEMailbox({ mpi, heap, nodes, rank, offset, epoch: 0, tagsUsed });
  const members = nodes.starts.slice(0, size);
  const made = WAYS.map((faster, i) => {
    const team = new Team(holder, { members: [rank], plan: PLAN, offset: heap.allocate(teamBytes(PLAN, 1)) });
    const time: MpiTime = { messages: 1, mpi: 1, faster };
    const times = { nodes: size, barrier: time, broadcast: time, allreduce: time };
    const costs = { alpha: 0, overhead: 0, near: 0, mpi: times };
    const hierarchy = new Hierarchy({ mailbox, nodes, costs }, members, team, i + 1);
    const calls = new ScalarCalls(new HierarchyEngine(hierarchy, new CallEngine(team, () => {}, dataCalls)));
    return { hierarchy, calls };
  });
  const [{ calls: byMessages }] = made as [(typeof made)[number]];
  const clock = {
    barrier: () => byMessages.barrier(0),
    broadcast: (x: number, root: number) => byMessages.broadcast(0, x, root),
    get now() {
      return now();
    },
  };
  const operations = CALLS.flatMap((call) =>
    made.map(({ calls }, i): [string, Operations] => [`${call} ${WAYS[i]}`, LOOPS[call](calls, size)]),
  );
  const samples = timeBatches(clock, operations, { batches: TURNS * PER_TURN, batchMs: BATCH_MS });
  clock.barrier();
  for (const { hierarchy } of made) hierarchy.leave();
  mailbox.close();
  const timeOf = (call: (typeof CALLS)[number]): MpiTime => {
    const at = 2 * CALLS.indexOf(call);
    const { winner, all } = decide([samples[at].samples, samples[at + 1].samples], PER_TURN);
    const [messages, own] = all.map(({ measured }) => Math.round(measured));
    return { messages, mpi: own, faster: WAYS[winner] };
  };
  return {
    nodes: size,
    barrier: timeOf("barrier"),
    broadcast: timeOf("broadcast"),
    allreduce: timeOf("allreduce"),
  };
}

/** The first node and the last are the root in turn, so that none runs ahead. */
const LOOPS: Readonly<Record<(typeof CALLS)[number], (calls: ScalarCalls, size: number) => Operations>> = {
  barrier: (calls) => (count) => {
    for (let i = 0; i < count; i++) calls.barrier(0);
  },
  broadcast: (calls, size) => (count) => {
    for (let i = 0; i < count; i++) calls.broadcast(0, i, i & 1 ? size - 1 : 0);
  },
  allreduce: (calls) => (count) => {
    const word = calls.sumWord;
    for (let i = 0; i < count; i++) calls.allreduce(word, 0, i, add);
  },
};

const add = (a: number, b: number): number => a + b;
