/**
 * Nodes: which PE of a world lives where, and what a node keeps in its heap for messages to the others.
 *
 *     ┌──────────────────────┬──────────────────────┬─────┐
 *     │ mailbox of PE 0      │ mailbox of PE 1      │ …   │
 *     └──────────────────────┴──────────────────────┴─────┘
 *
 *     mailbox   ┌─────────────────────────┬─────────────────────────┬────────────────────────────┐
 *               │ SLOTS_IN messages, in   │ SLOTS_OUT messages, out │ SHELF_SLOTS contents, kept │   SLOT_BYTES each
 *               └─────────────────────────┴─────────────────────────┴────────────────────────────┘
 *
 *     message   ┌──────────┬────────────┬───────────┬───────────┬─────────┬──────────┬───────────┬──────────┬───────────┬────────┬─────────┐
 *               │ FROM i32 │ STREAM i32 │ BYTES u32 │ APART i32 │ TAG i32 │ WORD i32 │ COUNT u32 │ ROOT i32 │ EPOCH i32 │ unused │ bytes … │
 *               └──────────┴────────────┴───────────┴───────────┴─────────┴──────────┴───────────┴──────────┴───────────┴────────┴─────────┘
 *
 * FROM is the sender's rank in the world; STREAM tells whom the message is for at the receiver; TAG, WORD, COUNT and
 * ROOT are of the call that it belongs to (collectives/team/call-log.ts). BYTES of content follow, or are sent apart under
 * the tag APART where they are too many. Where APART is CLAIM, it is a probe (mismatch-probe.ts), and its content the call's number.
 * EPOCH is the number of the world: what nobody has received in one is still there in the next, and is dropped.
 */
export const FROM = 0;
export const STREAM = 1;
export const BYTES = 2;
export const RENDEZVOUS = 3;
export const TAG = 4;
export const WORD = 5;
export const COUNT = 6;
export const ROOT = 7;
export const EPOCH = 8;
/** No tag of anything. */
export const PROBE = -1;
/** Where the content begins, bytes. */
export const HEAD_BYTES = 40;

export const SLOTS_IN = 8;
export const SLOTS_OUT = 8;
/** Contents that have come and wait to be taken. */
export const UNEXPECTED_SLOTS = 16;
/** With the head; what is longer goes apart. Below the limit up to which all libraries send at once. */
export const SLOT_BYTES = 2048;
/** Content that fits in. */
export const EAGER_BYTES: number = SLOT_BYTES - HEAD_BYTES;

const mailboxBytes: number = (SLOTS_IN + SLOTS_OUT + UNEXPECTED_SLOTS) * SLOT_BYTES;

/** Bytes of the area for `pes` PEs of the node. */
export const clusterBytes = (pes: number): number => pes * mailboxBytes;

/** Byte offset of the mailbox of PE `nodeRank` in an area that begins at byte `offset`. */
export const mailboxAt = (offset: number, nodeRank: number): number => offset + nodeRank * mailboxBytes;

/** The nodes of a world; cloneable. */
export interface Nodes {
  /** The one that looks. */
  readonly node: number;
  /** The first rank of each node; the world's size behind the last. Ranks are consecutive within a node. */
  readonly starts: readonly number[];
}

/** Number of the node on which a rank lives. */
export function nodeOf({ starts }: Nodes, rank: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= rank) low = middle;
    else high = middle;
  }
  return low;
}
