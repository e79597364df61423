/**
 * Messages between nodes: what a node keeps in its heap for messages to other nodes. The area is the first block of
 * each heap.
 *
 *     ┌──────────────────────┬──────────────────────┬─────┐
 *     │ mailbox of PE 0      │ mailbox of PE 1      │ …   │
 *     └──────────────────────┴──────────────────────┴─────┘
 *
 *     mailbox   ┌─────────────────────────┬─────────────────────────┬─────────────────────────────────┬─────────────────┐
 *               │ SLOTS_IN messages, in   │ SLOTS_OUT messages, out │ UNEXPECTED_SLOTS contents, kept │ ring, ring, …   │   SLOT_BYTES each
 *               └─────────────────────────┴─────────────────────────┴─────────────────────────────────┴─────────────────┘
 *
 *     message   ┌──────────┬────────────┬───────────┬────────────────┬─────────┬──────────┬───────────┬──────────┬───────────┬──────────┬─────────┐
 *               │ FROM i32 │ STREAM i32 │ BYTES u32 │ RENDEZVOUS i32 │ TAG i32 │ WORD i32 │ COUNT u32 │ ROOT i32 │ EPOCH i32 │ FULL i32 │ bytes … │
 *               └──────────┴────────────┴───────────┴────────────────┴─────────┴──────────┴───────────┴──────────┴───────────┴──────────┴─────────┘
 *
 * There is a ring of RING_SLOTS messages for each PE of the other nodes that have mapped this heap, in the order of
 * their ranks; it writes its messages there (rings.ts). FULL is used in rings only.
 *
 * FROM is the sender's rank in the world. STREAM identifies the group or conveyor that the message is for. TAG, WORD,
 * COUNT and ROOT describe the call that it belongs to (collectives/team/call-log.ts). BYTES of content follow; longer
 * content is sent separately under the tag RENDEZVOUS. If RENDEZVOUS is PROBE, the message is a probe
 * (mismatch-probe.ts), and its content is the call's number. EPOCH is the number of the world: a message that was not
 * received in its world arrives in the next one, and is dropped.
 */
import { FIRST_BLOCK } from "../../../ground/memory/heap-layout.ts";
import { BY_MPI, heapAt, type Nodes, nodeOf } from "../nodes.ts";

export const FROM = 0;
export const STREAM = 1;
export const BYTES = 2;
export const RENDEZVOUS = 3;
export const TAG = 4;
export const WORD = 5;
export const COUNT = 6;
export const ROOT = 7;
export const EPOCH = 8;
export const FULL = 9;
/** In place of a tag: the message is a probe. */
export const PROBE = -1;
/** Offset of the content, bytes. */
export const HEAD_BYTES = 40;

export const SLOTS_IN = 8;
export const SLOTS_OUT = 8;
/** Contents of unexpected messages that are kept here. */
export const UNEXPECTED_SLOTS = 16;
/** Including the head; longer messages use a rendezvous. Below the eager limit of all MPI libraries. */
export const SLOT_BYTES = 2048;
/** Content that fits. */
export const EAGER_BYTES: number = SLOT_BYTES - HEAD_BYTES;

/** Messages that a ring has room for. */
export const RING_SLOTS = 4;

const ownBytes: number = (SLOTS_IN + SLOTS_OUT + UNEXPECTED_SLOTS) * SLOT_BYTES;

/** Bytes of the rings of a PE for so many senders. */
export const ringBytes = (senders: number): number => senders * RING_SLOTS * SLOT_BYTES;

/** The PEs that write into the rings of a node's mailboxes: of the other nodes that have mapped its heap. */
function sendersTo({ starts, heaps }: Nodes, node: number): number[] {
  const pes = starts.slice(0, -1).map((first, one) => ({ one, first, end: starts[one + 1] }));
  return pes.flatMap(({ one, first, end }) =>
    one === node || heaps === undefined || heaps[one] === BY_MPI
      ? []
      : Array.from({ length: end - first }, (_, pe) => first + pe),
  );
}

const mailboxBytes = (nodes: Nodes, node: number): number => ownBytes + ringBytes(sendersTo(nodes, node).length);

/** Bytes of the area of this node. */
export const mailboxesBytes = (nodes: Nodes): number =>
  (nodes.starts[nodes.node + 1] - nodes.starts[nodes.node]) * mailboxBytes(nodes, nodes.node);

/** Byte offset of the mailbox of a PE of this node in an area that begins at byte `offset`. */
export const mailboxAt = (nodes: Nodes, offset: number, rank: number): number =>
  offset + (rank - nodes.starts[nodes.node]) * mailboxBytes(nodes, nodes.node);

/** Byte offsets of the rings of a PE of this node, by sender; its mailbox begins at byte `mailbox`. */
export const ringsIn = (nodes: Nodes, mailbox: number): number[] =>
  sendersTo(nodes, nodes.node).map((_, place) => mailbox + ownBytes + ringBytes(place));

/** Byte offset of the ring that `rank`, of this node, writes into for PE `to`; {@link BY_MPI} if there is none. */
export function ringTo(nodes: Nodes, rank: number, to: number): number {
  const node = nodeOf(nodes, to);
  const heap = heapAt(nodes, node);
  if (heap === BY_MPI) return BY_MPI;
  const mailbox = FIRST_BLOCK + (to - nodes.starts[node]) * mailboxBytes(nodes, node);
  return heap + mailbox + ownBytes + ringBytes(sendersTo(nodes, node).indexOf(rank));
}
