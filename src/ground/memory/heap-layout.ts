/**
 * Layout of a node's heap: two control lines, then blocks.
 *
 *     byte 0     ┌───────────┬─────────┬───────────┬────────┬────────┬────────┐
 *                │ MAGIC i32 │ VERSION │ LINES u32 │ unused │ SECRET │ unused │  control line
 *     byte 128   ├───────────┼─────────┴─┬─────────┴─┬───────────┬────────────┤
 *                │ LOCK i32  │ FREE u32  │ TOP u32   │ PEAK u32  │ USED u32   │  allocator line
 *     byte 256   ├───────────┴───────────┴───────────┴───────────┴────────────┤
 *                │ block: one header line, then its payload                   │
 *                ├────────────────────────────────────────────────────────────┤
 *                │ block …                                                    │
 *     TOP        ├────────────────────────────────────────────────────────────┤
 *                │ never allocated, never touched                             │
 *     LINES      └────────────────────────────────────────────────────────────┘
 *
 *     block header   ┌───────────┬───────────┬───────────┬──────────────────┐
 *                    │ STATE i32 │ SIZE u32  │ NEXT u32  │ unused           │
 *                    └───────────┴───────────┴───────────┴──────────────────┘
 *
 * FREE, TOP, PEAK, USED, SIZE and NEXT count lines of 128 bytes from the start of the heap, so that 4 GiB fit in a
 * word. SECRET tells other nodes of the machine which heap it is (links/world/nodes/mapped-heaps.ts). NEXT links the
 * free blocks in order of address; 0 ends the chain.
 *
 * A line is 128 bytes, not 64: Intel's and AMD's prefetchers load lines in pairs, and Apple's lines are 128 bytes, so
 * words that different PEs write are kept that far apart.
 */

/** Bytes between words that different PEs write, and the alignment of every block. */
export const LINE = 128;

/** Marks the memory as a Tundish heap ("TUND"). */
export const MAGIC = 0x54_55_4e_44;
/** Version of this layout; two copies of the package with different versions reject each other's heaps. */
export const VERSION = 1;

// control line, in words from the start of the heap
export const CONTROL_MAGIC = 0;
export const CONTROL_VERSION = 1;
export const CONTROL_LINES = 2;

/** Byte offset and length of the secret. */
export const SECRET_AT = 64;
export const SECRET_BYTES = 16;

// allocator line, in words from the start of the heap
export const ALLOCATOR_LOCK = 32;
export const ALLOCATOR_FREE = 33;
export const ALLOCATOR_TOP = 34;
export const ALLOCATOR_PEAK = 35;
export const ALLOCATOR_USED = 36;

/** First line that a block may occupy. */
export const FIRST_LINE = 2;
/** Byte offset of the block that is allocated first. */
export const FIRST_BLOCK: number = (FIRST_LINE + 1) * LINE;

// block header, in words from the start of the block
export const BLOCK_STATE = 0;
export const BLOCK_SIZE = 1;
export const BLOCK_NEXT = 2;

export const STATE_USED = 0x55_53_45_44;
export const STATE_FREE = 0x46_52_45_45;
