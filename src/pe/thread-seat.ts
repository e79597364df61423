/** The seats of a PE that is a thread. */
import type { Collectives } from "../collectives/collectives.ts";
import type { Seatholder } from "../collectives/team/team.ts";
import { release } from "../ground/memory/allocator.ts";
import type { LateWaits } from "../ground/wait/late-waits.ts";
import { BY_MPI, heapAt, nodeOf } from "../links/transport/nodes.ts";
import type { Sessions } from "../links/transport/underway.ts";
import type { Kept } from "./kept.ts";
import type { PairParts, Seat, ThreadSiteParts } from "./seat.ts";

/** The parts of a PE for the seats of all its groups. */
export interface SeatParts extends PairParts {
  readonly waits: LateWaits;
  readonly kept: Kept;
  readonly sessions: Sessions;
}

/** A group of a PE. */
export interface Seated {
  /** With the termination of the group. */
  readonly holder: Seatholder;
  /** All PEs of the group, by rank in the world. */
  readonly members: readonly number[];
  readonly collectives: Collectives;
  readonly sites: ThreadSiteParts;
}

/** The seat of a PE in one of its groups. */
export function threadSeat(parts: SeatParts, { holder, members, collectives, sites }: Seated): Omit<Seat, "group"> {
  const { waits, links, kept, sessions } = parts;
  const { heap, waiter, wakers, checks, termination } = holder;
  const world = parts.holder.termination;
  const nodes = links?.nodes ?? null;
  const rank = members.indexOf(holder.rank);
  const places = members.map((member) => (nodes === null ? 0 : nodeOf(nodes, member)));
  const own = places[rank] as number;
  const ranksOn = (isOn: (node: number) => boolean) => places.flatMap((node, one) => (isOn(node) ? one : []));
  const here = ranksOn((node) => node === own);
  const mapped = nodes === null ? here : ranksOn((node) => node === own || heapAt(nodes, node) !== BY_MPI);
  const heapOf = (node: number) => (nodes === null || node === own ? 0 : heapAt(nodes, node));
  const words = new Map(here.map((one) => [one, wakers.word(members[one] as number)]));
  const inWorld = (one: number) => members[one] as number;
  const fail = (error: unknown) => {
    if (world.decideBy(holder.rank, error as Error)) wakers.notifyAll();
    return error;
  };
  return {
    rank,
    size: members.length,
    members,
    nodeOf: places,
    here,
    mapped,
    collectives,
    sites,
    kept,
    pairs: parts,
    heap,
    heapOf,
    window: links?.window ?? null,
    checks,
    waiter,
    waits,
    watcher: collectives.team,
    sessions,
    sideWork: sessions.sideWork,
    fail,
    release(node, offset) {
      if (node === own) heap.free(offset);
      else release(heap.i32.subarray(heapOf(node) / 4), offset);
    },
    // threads look by themselves
    stir() {},
    posted(one, awaited) {
      if (wakers.look(awaited) === 0) return;
      const word = words.get(one);
      if (word !== undefined) wakers.check(word);
    },
    departed: (one) => wakers.departed(inWorld(one)),
    hasReturned: (one) => wakers.hasReturned(inWorld(one)),
    isBetweenRuns: (one) => wakers.isBetweenRuns(inWorld(one)),
    lossOf: (one) => (wakers.losses.isLost(inWorld(one)) ? wakers.losses.errorOf(inWorld(one)) : null),
    checkWorld() {
      if (world.decided) throw world.error();
    },
    checkGroup() {
      if (termination.decided) throw termination.error();
    },
  };
}
