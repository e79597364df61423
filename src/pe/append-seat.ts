/** Seats: what the append buffers of a PE's groups need of it. */
import type { Remote } from "../append/remote.ts";
import type { AppendSeat } from "../append/seat.ts";
import type { Seatholder } from "../collectives/team/team.ts";
import { type Nodes, nodeOf } from "../transport/messages/layout.ts";
import type { AsyncWaiter } from "../wait/async.ts";

/** @param members all PEs of the group, by rank in the world @param nodes null if there is one */
export function appendSeat(
  holder: Seatholder,
  waits: AsyncWaiter,
  members: readonly number[],
  nodes: Nodes | null,
  remotes: Set<Remote>,
): AppendSeat {
  const { heap, waiter, wakers, termination, checks } = holder;
  const rank = members.indexOf(holder.rank);
  const places = members.map((member) => (nodes === null ? 0 : nodeOf(nodes, member)));
  const here = places.flatMap((node, one) => (node === places[rank] ? one : []));
  const pes = here.map((one) => members[one] as number);
  const words = pes.map((pe) => wakers.word(pe));
  return {
    ...{ rank, size: members.length, nodeOf: places, here, members, heap, waiter, waits, checks, remotes },
    sideWork: waiter.sideWork,
    posted: (pe) => wakers.posted(words[pe] as number),
    departed: (pe) => wakers.departed(pes[pe] as number),
    checkRunning() {
      if (termination.decided) throw termination.error();
    },
  };
}
