/** The ground of all groups of a PE: the heap, how it waits and wakes others, and how its world and its groups end. */
import { HeapMedium } from "../collectives/team/heap-medium.ts";
import type { Payload } from "../collectives/team/payload.ts";
import type { Seatholder } from "../collectives/team/team.ts";
import { Heap } from "../ground/memory/heap.ts";
import { GroupTermination } from "../ground/wait/group-termination.ts";
import { LateWaits } from "../ground/wait/late-waits.ts";
import { chooseStrategy, turnsStrategy } from "../ground/wait/strategy.ts";
import { Termination } from "../ground/wait/termination.ts";
import { ParkingWaiter } from "../ground/wait/waiter.ts";
import { Wakers } from "../ground/wait/wakers.ts";
import { PEStatus } from "../links/status/status.ts";
import type { PEDescriptor } from "../links/world/layout.ts";
import { dataCalls } from "./late-calls.ts";

/** Longest sleep of a PE that drives conveyors, ms. The event loop may run other tasks between two turns. */
const CONVEYOR_SLICE_MS = 1;

export interface Held {
  readonly holder: Seatholder;
  /** The same for a group, whose termination is its own where losses are survived. @param members ranks in the world */
  readonly holderFor: (members: readonly number[]) => Seatholder;
  /** How it waits where it drives conveyors, and where it awaits. */
  readonly turns: ParkingWaiter;
  readonly async: LateWaits;
  readonly status: PEStatus;
  /** Number of nodes in the world. */
  readonly nodes: number;
  /** All ranks of the world. */
  readonly ranks: readonly number[];
}

/** That of the PE of a seat. */
export function holderOf(seat: PEDescriptor): Held {
  const heap = Heap.attach(seat.memory);
  const wakers = new Wakers(heap.i32, seat.waitOffset, seat.size);
  const termination = new Termination(heap.i32, heap.u8, seat.waitOffset);
  const strategy = chooseStrategy(seat.spins);
  const waiter = new ParkingWaiter(seat.rank, wakers, termination, strategy);
  const nodes = (seat.job?.nodes.starts.length ?? 2) - 1;
  const slice = turnsStrategy(strategy, CONVEYOR_SLICE_MS, nodes);
  const turns = new ParkingWaiter(seat.rank, wakers, termination, slice);
  if (seat.waitTimeout !== null) {
    waiter.timeout = seat.waitTimeout;
    turns.timeout = seat.waitTimeout;
  }
  const status = new PEStatus(heap.i32, heap.u8, seat.statusOffset, seat.rank - seat.first);
  waiter.reports = status.waits;
  termination.onEnd = () => status.noteCaller();
  let made: Payload | undefined;
  const payload = () => {
    made ??= new (dataCalls().Payload)(heap);
    return made;
  };
  const { checks, channel } = seat;
  const medium = new HeapMedium({ heap, wakers, waiter, channel, late: dataCalls });
  const shared = { heap, wakers, termination, world: termination, waiter, payload, medium };
  const holder: Seatholder = { rank: seat.rank, ...shared, checks, channel };
  const place = { i32: heap.i32, u8: heap.u8, offset: seat.waitOffset };
  const { losses } = wakers;
  const holderFor = (members: readonly number[]): Seatholder => {
    if (!losses.areSurvived) return holder;
    const ending = new GroupTermination(place, losses, members);
    ending.onEnd = termination.onEnd;
    return { ...holder, termination: ending };
  };
  const async = new LateWaits(seat.rank, heap.i32, wakers, termination, seat.spins);
  async.reports = status.waits;
  const ranks = Array.from({ length: seat.size }, (_, rank) => rank);
  return { holder, holderFor, turns, async, status, nodes, ranks };
}
