/**
 * Messages between nodes: which PE of a world is on which node, and what a node keeps in its heap for messages to other
 * nodes.
 *
 *     ┌──────────────────────┬──────────────────────┬─────┐
 *     │ mailbox of PE 0      │ mailbox of PE 1      │ …   │
 *     └──────────────────────┴──────────────────────┴─────┘
 *
 *     mailbox   ┌─────────────────────────┬─────────────────────────┬─────────────────────────────────┐
 *               │ SLOTS_IN messages, in   │ SLOTS_OUT messages, out │ UNEXPECTED_SLOTS contents, kept │   SLOT_BYTES each
 *               └─────────────────────────┴─────────────────────────┴─────────────────────────────────┘
 *
 *     message   ┌──────────┬────────────┬───────────┬────────────────┬─────────┬──────────┬───────────┬──────────┬───────────┬────────┬─────────┐
 *               │ FROM i32 │ STREAM i32 │ BYTES u32 │ RENDEZVOUS i32 │ TAG i32 │ WORD i32 │ COUNT u32 │ ROOT i32 │ EPOCH i32 │ unused │ bytes … │
 *               └──────────┴────────────┴───────────┴────────────────┴─────────┴──────────┴───────────┴──────────┴───────────┴────────┴─────────┘
 *
 * FROM is the sender's rank in the world. STREAM identifies the group or conveyor that the message is for. TAG, WORD,
 * COUNT and ROOT describe the call that it belongs to (collectives/team/call-log.ts). BYTES of content follow; longer
 * content is sent separately under the tag RENDEZVOUS. If RENDEZVOUS is PROBE, the message is a probe
 * (mismatch-probe.ts), and its content is the call's number. EPOCH is the number of the world: a message that was not
 * received in its world arrives in the next one, and is dropped.
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

const mailboxBytes: number = (SLOTS_IN + SLOTS_OUT + UNEXPECTED_SLOTS) * SLOT_BYTES;

/** Bytes of the area for `pes` PEs of the node. */
export const mailboxesBytes = (pes: number): number => pes * mailboxBytes;

/** Byte offset of the mailbox of PE `nodeRank` in an area that begins at byte `offset`. */
export const mailboxAt = (offset: number, nodeRank: number): number => offset + nodeRank * mailboxBytes;

/** The nodes of a world; cloneable. */
export interface Nodes {
  /** This node. */
  readonly node: number;
  /** The first rank of each node; after the last one, the world's size. Ranks are consecutive within a node. */
  readonly starts: readonly number[];
}

/** The node of a rank. */
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
