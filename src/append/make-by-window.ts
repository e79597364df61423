/** Makes append buffers whose pushes go through MPI windows. */
import { EnvironmentError, MpiError } from "../base/errors.ts";
import type { CollectivesBackend } from "../collectives/calls/backend.ts";
import type { Call } from "../collectives/calls/call.ts";
import { ByWindow } from "./by-window.ts";
import { makingBlocks } from "./make-parts.ts";
import type { Overflow } from "./region.ts";
import type { Buffers, Remote } from "./remote.ts";
import type { AppendSeat, AppendWindows } from "./seat.ts";
import { WindowBuffer } from "./window-buffer.ts";
import { SLOTS, windowPlaces } from "./window-layout.ts";

/** @throws EnvironmentError at all PEs if the MPI of a node makes no window; HeapError at all PEs if the heap of a node is full */
export function* makingByWindow(
  seat: AppendSeat,
  windows: AppendWindows,
  backend: CollectivesBackend,
  buffers: Buffers,
  overflow: Overflow,
  counting: boolean,
): Generator<Call<unknown>, { readonly remote: Remote; readonly own: WindowBuffer }, unknown> {
  const { rank, nodeOf, here, heap } = seat;
  const { lengths } = buffers;
  const all = lengths.map((_, one) => one);
  const handle = yield* makingWindow(seat, windows, backend);
  const { blocks, starts } = yield* makingBlocks(seat, backend, all, lengths, windowPlaces);
  const window = windows.open(handle, SLOTS);
  // in the order of the window
  const sorted = blocks.toSorted((a, b) => a.node - b.node);
  const ofNode = new Map(sorted.map(({ node }, i) => [node, i]));
  const places = all.map((one) => ({
    node: ofNode.get(nodeOf[one] as number) as number,
    at: starts.get(one) as number,
    length: lengths[one] as number,
  }));
  const node = ofNode.get(nodeOf[rank] as number) as number;
  const block = sorted[node] as (typeof blocks)[number];
  const own = new WindowBuffer(heap, starts.get(rank) as number, lengths[rank] as number, window);
  const parts = {
    ...{ heap, window, own, places, blocks: sorted.map(({ offset }) => offset), node, here: here.length },
    ...{ rank, truncates: overflow === "truncate", counting, fail: windows.fail },
    over(isLast: boolean) {
      seat.remotes.delete(remote);
      if (isLast) seat.release(block.node, block.offset);
    },
  };
  const remote: ByWindow = new ByWindow(parts, seat, buffers);
  seat.remotes.add(remote);
  return { remote, own };
}

/** The handle of the window in this process: the first PE of each node, by its rank in the world, makes it, and the others learn it. */
function* makingWindow(
  { rank, nodeOf, members }: AppendSeat,
  windows: AppendWindows,
  backend: CollectivesBackend,
): Generator<Call<unknown>, number, unknown> {
  const nodes = [...new Set(nodeOf)];
  const sorted = members.toSorted((a, b) => a - b).map((member) => members.indexOf(member));
  // the same for all groups of these members, as windows are kept for them
  const leaders = nodes.map((node) => sorted.find((one) => nodeOf[one] === node) as number);
  const leader = leaders[nodes.indexOf(nodeOf[rank] as number)] as number;
  let [made, reason] = [0, ""];
  if (rank === leader) {
    try {
      made = windows.make(members, nodes);
    } catch (error) {
      if (!(error instanceof MpiError)) throw error;
      reason = ` (${error.message})`;
    }
  }
  const handles = (yield backend.allgather(Float64Array.of(made))) as Float64Array;
  for (const one of leaders) {
    if (handles[one] !== 0) continue;
    throw new EnvironmentError(
      `appendBuffer: transport: "sender" needs memory that all PEs share, or MPI windows, and the MPI library of PE ${one} has made none${reason}. ` +
        'Leave it out, take "receiver" or "conveyor", or another library: MPICH makes windows, Open MPI 4.1 over UCX (mpirun --mca osc ucx) or ' +
        "in shared memory.",
    );
  }
  return handles[leader] as number;
}
