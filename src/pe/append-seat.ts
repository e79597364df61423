/** Seats: what the append buffers of a PE's groups need of it. */

import type { Seatholder } from "../collectives/team/team.ts";
import type { AppendSeat, OwnAppends } from "../facilities/append/seat.ts";
import { release } from "../ground/memory/allocator.ts";
import type { AsyncWaiter } from "../ground/wait/async.ts";
import { BY_MPI, heapAt, nodeOf } from "../links/transport/messages/layout.ts";
import { failing } from "./fail.ts";
import type { NodeLinks } from "./node-links.ts";

/** @param members all PEs of the group, by rank in the world @param links null if there is one node */
export function appendSeat(
  holder: Seatholder,
  waits: AsyncWaiter,
  members: readonly number[],
  links: NodeLinks | null,
  appends: OwnAppends,
): AppendSeat {
  const { heap, waiter, wakers, termination, checks } = holder;
  const nodes = links?.nodes ?? null;
  const rank = members.indexOf(holder.rank);
  const places = members.map((member) => (nodes === null ? 0 : nodeOf(nodes, member)));
  const own = places[rank] as number;
  const ranksOn = (isOn: (node: number) => boolean) => places.flatMap((node, one) => (isOn(node) ? one : []));
  const here = ranksOn((node) => node === own);
  const mapped = nodes === null ? here : ranksOn((node) => node === own || heapAt(nodes, node) !== BY_MPI);
  const heapOf = (node: number) => (nodes === null || node === own ? 0 : heapAt(nodes, node));
  const fail = failing(holder);
  const words = new Map(here.map((one) => [one, wakers.word(members[one] as number)]));
  return {
    ...{ rank, size: members.length, nodeOf: places, here, mapped, heapOf, members, heap, waiter, waits },
    ...{ checks, appends, sideWork: waiter.sideWork },
    window: links === null ? null : { ...links.window, fail },
    release(node, offset) {
      if (node === own) heap.free(offset);
      else release(heap.i32.subarray(heapOf(node) / 4), offset);
    },
    posted(one, awaited) {
      if (wakers.look(awaited) === 0) return;
      const word = words.get(one);
      if (word !== undefined) wakers.check(word);
    },
    departed: (one) => wakers.departed(members[one] as number),
    checkRunning() {
      if (termination.decided) throw termination.error();
    },
  };
}
