/** A team whose PEs are all in this thread, to be played step by step. */

import { HeapMedium } from "../../../src/collectives/team/heap-medium.ts";
import { Payload } from "../../../src/collectives/team/payload.ts";
import { Team } from "../../../src/collectives/team/team.ts";
import { teamBytes } from "../../../src/collectives/team/team-block.ts";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";
import { waitAreaBytes } from "../../../src/ground/wait/layout.ts";
import { chooseStrategy } from "../../../src/ground/wait/strategy.ts";
import { Termination } from "../../../src/ground/wait/termination.ts";
import { ParkingWaiter } from "../../../src/ground/wait/waiter.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { dataCalls } from "../../../src/pe/late-calls.ts";
import { treesOf } from "./plans.ts";

/** The team as each of its PEs sees it. */
export function teamsInOneThread(pes: number, heapBytes: number): Team[] {
  const ranks = Array.from({ length: pes }, (_, rank) => rank);
  const plan = treesOf(pes, "binary");
  const heap = newHeap(heapBytes);
  const waitOffset = heap.allocate(waitAreaBytes(pes));
  const wakers = new Wakers(heap.i32, waitOffset, pes, null);
  const termination = new Termination(heap.i32, heap.u8, waitOffset);
  const offset = heap.allocate(teamBytes(plan, pes));
  return ranks.map((rank) => {
    const waiter = new ParkingWaiter(rank, wakers, termination, chooseStrategy(false));
    const holder = {
      rank,
      heap,
      wakers,
      termination,
      waiter,
      payload: () => new Payload(heap),
      medium: new HeapMedium({ heap, wakers, waiter, channel: "ump", late: dataCalls }),
      checks: true,
      channel: "ump" as const,
    };
    const team = new Team(holder, { members: ranks, plan, offset });
    team.open();
    return team;
  });
}
