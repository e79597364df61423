/**
 * Layout of the shared-memory porter: a block of the heap for each conveyor.
 *
 *     conveyor   ┌──────┬──────────┬────────┬──────────────────────────────────────────────────────────┬────────┬─────┐
 *                │ LEFT │ tallies  │ routes │ PE 0: links of hop 1, 2 …, scratch, staging, link table  │ PE 1 … │ …   │
 *                └──────┴──────────┴────────┴──────────────────────────────────────────────────────────┴────────┴─────┘
 *
 *     tally      ┌──────────────────┬──────────┐  ┌──────────────────┬──────────┐  ┌──────────┬──────────┐
 *     of a PE    │ UP: bits, round  │ unused   │  │ DOWN: bits,round │ unused   │  │ MARK     │ unused   │
 *                └──────────────────┴──────────┘  └──────────────────┴──────────┘  └──────────┴──────────┘
 *                 written by the PE                written by its parent            written by the PE
 *
 *     link       ┌──────────┬─────────────────────────────────────┬──────────────────────┬───────┐
 *     (a PE's    │ SENT u32 │ start, bytes, count, stamp, session │ the same, buffer 1 … │       │  written by the sender
 *     own, to    ├──────────┼─────────────────────────────────────┴──────────────────────┴───────┤
 *     friend i)  │ BACK u32 │ unused                                                              │  written by the receiver
 *                ├──────────┴─────────────────────────────────────────────────────────────────────┤
 *                │ buffer 0                                                                       │  written by the sender
 *                ├────────────────────────────────────────────────────────────────────────────────┤
 *                │ buffer 1 …                                                                     │
 *                └────────────────────────────────────────────────────────────────────────────────┘
 *
 * The start of a buffer's bytes counts from that of the link: other nodes may see the link at another offset. SENT
 * counts the buffers sent; buffer SENT mod buffersPerLink is the next. BACK is twice the number of released buffers,
 * plus one when the next one was finished, too. Both count modulo 2^31. MARK is the PE's last mark (Site.mark): a PE
 * that leaves the world before it has reached the mark that others need is lost. LEFT counts the PEs that have freed
 * the conveyor, less the PEs of other nodes that still use the block (mpi/mapped-links.ts); the last one frees it.
 * OVERSIZED, the two words after it, count the oversized items of all PEs in the heap (oversized-room.ts).
 */
import { roundUp } from "../../../ground/item/item-type.ts";
import { LINE } from "../../../ground/memory/heap-layout.ts";
import type { Buffers } from "../contract.ts";

// words of a conveyor's first line; LEFT is the first
export const OVERSIZED = 1; // and 2

// words of a link
export const SENT = 0;
/** First of the words that describe buffer 0. */
export const BUFFERS = 1;
export const START = 0;
export const BYTES = 1;
export const COUNT = 2;
export const STAMP = 3;
export const SESSION = 4;
export const BUFFER_WORDS = 5;
export const BACK: number = LINE / 4;
/** Offset of buffer 0 from the start of the link, bytes. */
export const LINK_HEAD: number = 2 * LINE;

/** Counters are modulo this plus one. */
export const COUNTER_MASK = 0x7fffffff;

// words of a tally
export const UP = 0;
export const DOWN: number = LINE / 4;
export const MARK: number = (2 * LINE) / 4;
export const TALLY_BYTES: number = 3 * LINE;

/** Bytes of one link. */
export const linkBytes = ({ bytes, perLink }: Buffers): number => LINK_HEAD + perLink * bytes;

/** Bytes of the memory of one PE: its links, `scratch` buffers of other memory, and its link table. */
export const partBytes = (links: number, scratch: number, buffers: Buffers, tableBytes: number): number =>
  links * linkBytes(buffers) + roundUp(scratch * buffers.bytes, LINE) + roundUp(tableBytes, LINE);

/** Bytes of the memory for the routes. */
export const routeBytes = (routes: Uint32Array | null): number => roundUp(routes?.byteLength ?? 0, LINE);

/** Most bytes of the heap that a conveyor needs for each PE, with the block's own lines and its part of the routes. */
export const shareBytes = (links: number, scratch: number, buffers: Buffers, tableBytes: number): number =>
  3 * LINE + TALLY_BYTES + partBytes(links, scratch, buffers, tableBytes);

/** Byte offset of a PE's tally in the block. */
export const tallyAt = (rank: number): number => LINE + rank * TALLY_BYTES;

/** Byte offset of the routes in the block; without any, of PE 0's links. */
export const routesAt = (pes: number): number => LINE + pes * TALLY_BYTES;
