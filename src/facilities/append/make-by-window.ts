/** Makes append buffers whose pushes go through MPI windows. */

import { EnvironmentError } from "../../ground/base/errors.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { Seat } from "../../pe/seat.ts";
import type { OpenWindow, WantedWindow } from "../../pe/window.ts";
import { ByWindow } from "./by-window.ts";
import type { GroupBuffers } from "./errors.ts";
import { makingBlocks, type NodeBlock, polling } from "./make-parts.ts";
import type { Overflow } from "./region.ts";
import type { Remote } from "./remote.ts";
import { WindowBuffer } from "./window-buffer.ts";
import { SLOTS, windowPlaces } from "./window-layout.ts";

/** @throws EnvironmentError at all PEs if the MPI of a node makes no window; HeapError at all if a heap is full */
export function* makingByWindow(
  seat: Seat,
  { wanted, open }: OpenWindow,
  buffers: GroupBuffers,
  overflow: Overflow,
  counting: boolean,
): Task<{ readonly remote: Remote; readonly own: WindowBuffer }> {
  const { rank, nodeOf, here, heap, fail } = seat;
  const { lengths } = buffers;
  const all = lengths.map((_, one) => one);
  const handle = yield* makingWindow(seat, wanted);
  const { blocks, starts } = yield* makingBlocks(seat, all, lengths, windowPlaces);
  const window = open(handle, SLOTS);
  const places = all.map((one) => ({
    node: nodeOf[one] as number,
    at: starts.get(one) as number,
    length: lengths[one] as number,
  }));
  const block = blocks.find(({ node }) => node === nodeOf[rank]) as NodeBlock;
  const own = new WindowBuffer(heap, starts.get(rank) as number, lengths[rank] as number, window);
  const parts = {
    heap,
    window,
    own,
    places,
    blocks,
    block,
    here: here.length,
    rank,
    truncates: overflow === "truncate",
    counting,
    fail,
    over(isLast: boolean) {
      seat.kept.served.delete(remote);
      if (isLast) seat.release(block.node, block.offset);
    },
  };
  const remote: ByWindow = new ByWindow(parts, seat, buffers);
  seat.kept.served.add(remote);
  return { remote, own };
}

/** @returns its handle in this process */
function* makingWindow({ members, collectives }: Seat, wanted: WantedWindow): Task<number> {
  wanted.want();
  const ready = () => wanted.isSettled;
  const absent = () =>
    "The MPI window of the world is not made: the main thread of each node makes it, and one of them has no free event loop.";
  const whom = "the MPI window of the world";
  if (!ready()) yield polling("the making of an append buffer", ready, { whom, absent });
  const { handle } = wanted;
  const isMade = (yield* collectives.task(
    collectives.backend.allgather(Uint8Array.of(handle === null ? 0 : 1)),
  )) as Uint8Array;
  const one = isMade.indexOf(0);
  if (one < 0) return handle as number;
  const reason = handle === null ? ` (${wanted.reason})` : "";
  throw new EnvironmentError(
    `appendBuffer: transport: "sender" needs memory that all PEs share, or MPI windows, and the MPI library of PE ${members[one]} has made none${reason}. ` +
      'Leave it out, take "receiver" or "conveyor", or another library: MPICH makes windows, Open MPI 4.1 over UCX (mpirun --mca osc ucx) or ' +
      "in shared memory.",
  );
}
