/**
 * Reservations over several nodes: every node has room for its block, or all PEs get a HeapError.
 *
 * What: on each node the PEs reserve a block of its heap (team/reservation.ts). Then the leaders of all nodes vote
 * whether any node has no room, and each writes the result to a line behind the block:
 *
 *     ┌─────────┬─────────────┬──────────┐
 *     │ block   │ VERDICT i32 │ LEFT i32 │
 *     └─────────┴─────────────┴──────────┘
 *
 * VERDICT is 0 as long as there is none. LEFT counts the PEs that have read REFUSED; the last one frees the block.
 */

import { HeapError } from "../../ground/base/errors.ts";
import { roundUp } from "../../ground/item/item-type.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";
import type { NodeVote } from "../../links/transport/mpi/vote.ts";
import type { Reservation } from "../team/registry.ts";
import { type Reserver, reserve, waitFor } from "../team/reservation.ts";

const VERDICT = 0;
const LEFT = 1;

const GRANTED = 1;
const REFUSED = 2;

/** Cast by a leader whose node has no room. */
const NO_ROOM = 1;

/** Longest sleep of a leader, whom nobody notifies for what comes from another node, ms. */
const POLL_MS = 0.1;

/** The PEs of one node, and who leads for them. */
export interface Delegation {
  readonly here: readonly number[];
  readonly leader: number;
  /** The vote of the nodes; null at all but the leader. */
  readonly vote: NodeVote | null;
}

/**
 * The byte offset of a zeroed block of this node's heap, when there is one on each node. It waits for the leaders of
 * all nodes.
 * @throws HeapError at all PEs of all nodes when one has no room; else as {@link reserve}
 */
export function reserveOverNodes(reserver: Reserver, delegation: Delegation, what: Reservation): number {
  try {
    return attempt(reserver, delegation, what);
  } catch (error) {
    if (!(error instanceof HeapError)) throw error;
  }
  // all PEs of all nodes have come since: those of other nodes have left what they still used of this heap
  // (mapped-links.ts)
  try {
    return attempt(reserver, delegation, what);
  } catch (error) {
    if (error instanceof HeapError) delegation.vote?.close();
    throw error;
  }
}

function attempt(reserver: Reserver, { here, leader, vote }: Delegation, what: Reservation): number {
  const { heap, wakers, rank } = reserver.holder;
  const bytes = roundUp(what.bytes, LINE);
  let offset = 0;
  let refusal: HeapError | null = null;
  try {
    offset = reserve(reserver, here, { ...what, bytes: bytes + LINE });
  } catch (error) {
    if (!(error instanceof HeapError)) throw error;
    refusal = error;
  }
  const line = (offset + bytes) / 4;
  let isRefused = refusal !== null;
  if (vote !== null) {
    isRefused = ask(reserver, vote, isRefused, what.making);
    if (refusal === null) {
      wakers.publish(line + VERDICT, isRefused ? REFUSED : GRANTED); // pairs with the load below
      for (const pe of here) if (pe !== rank) wakers.notify(pe);
    }
  } else if (refusal === null) {
    const verdict = () => Atomics.load(heap.i32, line + VERDICT); // pairs with the store of the leader
    const isSettled = () => verdict() !== 0;
    waitFor(reserver, { making: what.making, isSettled, missing: () => [leader] });
    isRefused = verdict() === REFUSED;
  }
  if (!isRefused) return offset;
  if (refusal !== null) throw refusal;
  // pairs with itself at the other PEs: the last one finds that nobody reads the verdict any more
  if (Atomics.add(heap.i32, line + LEFT, 1) + 1 === here.length) heap.free(offset);
  throw new HeapError(
    `Cannot allocate ${what.bytes} bytes or about as many on each node for ${what.need.what}: the heap of another node has no ` +
      "room; the error there says more. Make the heaps larger (heapBytes, tundish run --heap; at most 4 GiB), or free arrays.",
  );
}

/** Whether any node has no room. */
function ask(reserver: Reserver, vote: NodeVote, isRefused: boolean, making: string): boolean {
  vote.cast(isRefused ? NO_ROOM : 0);
  let result = -1;
  const isSettled = () => {
    result = vote.poll();
    return result >= 0;
  };
  const missing = () => (vote.awaited < 0 ? [] : [vote.awaited]);
  waitFor(reserver, { making, isSettled, missing, pollMs: POLL_MS });
  return result !== 0;
}
