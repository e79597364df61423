/**
 * Layout of a queue pair between two PEs of a node: one block of the heap, with a channel in each direction, and blocks
 * for parts of messages that are too long for a slot of it.
 *
 *     control line   ┌───────────────┬────────────────┬───────────┬────────┐
 *                    │ CLOSED of the │ CLOSED of the  │ FREED i32 │ unused │
 *                    │ first PE, i32 │ second PE, i32 │           │        │
 *                    ├───────────────┴────────────────┴───────────┴────────┤
 *                    │ channel from the first PE to the second             │  ground/channel/layout.ts
 *                    ├─────────────────────────────────────────────────────┤
 *                    │ the same from the second to the first               │
 *                    ├─────────────────────────────────────────────────────┤
 *                    │ block, block, …, from the first to the second       │  blockBytes each, one for each slot
 *                    ├─────────────────────────────────────────────────────┤
 *                    │ the same from the second to the first               │
 *                    └─────────────────────────────────────────────────────┘
 *
 * The first PE is that of the lower rank. CLOSED is 1 once the PE has freed its end, 2 if its main has returned without
 * that. FREED counts those that have: the second one frees the block.
 *
 * A part of a message of up to PAYLOAD_BYTES lies in its slot; a longer one in the block of the slot: so blocks are
 * touched only if there are such messages. The tag of a slot is the number of its bytes, doubled, and 1 more in the
 * last part of a message.
 */
import { channelBytes } from "../../ground/channel/layout.ts";
import { roundUp } from "../../ground/item/item-type.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";

// words of the control line
export const CLOSED = 0;
export const FREED = 2;

/** The terms that both PEs must agree about. */
export interface PairShape {
  /** Parts in flight in each direction: a power of two. */
  readonly slots: number;
  /** Bytes of the longest part: a multiple of 128, or 0 if no part is longer than a slot. */
  readonly blockBytes: number;
}

/** Byte offsets in the block, by the direction: 0 from the first PE, 1 from the second. */
export function pairPlaces({ slots, blockBytes }: PairShape): {
  readonly channels: readonly [number, number];
  readonly blocks: readonly [number, number];
  readonly bytes: number;
} {
  const channel = roundUp(channelBytes(slots), LINE);
  const all = slots * blockBytes;
  const blocks = LINE + 2 * channel;
  return { channels: [LINE, LINE + channel], blocks: [blocks, blocks + all], bytes: blocks + 2 * all };
}

export const tagOf = (bytes: number, isLast: boolean): number => bytes * 2 + (isLast ? 1 : 0);
export const bytesIn = (tag: number): number => tag >>> 1;
export const isLastIn = (tag: number): boolean => (tag & 1) === 1;
