/** The words of a heap without room: loaded when there is none. */
import { HeapError } from "../base/errors.ts";
import { linesOf, lock, unlock, unused, WORDS, word } from "./allocator.ts";
import { ALLOCATOR_FREE, ALLOCATOR_TOP, BLOCK_NEXT, BLOCK_SIZE, CONTROL_LINES, LINE } from "./heap-layout.ts";

/** The purpose of a block, as the error says it where there is no room. */
export interface HeapNeed {
  /** Such as `conveyor (u32): 2 links …`. */
  readonly what: string;
  /** Which option to lower, as a sentence, to have room in a piece of so many bytes; "" if there is none. */
  lower(room: number): string;
}

const MAX_BYTES = 2 ** 32;
const PAGE = 65536;
/** Lines of small blocks that come with others. */
const SPARE_LINES = 2;

/** Number of lines of the largest free block, without its header. */
function largestFree(i32: Int32Array): number {
  lock(i32);
  try {
    let lines = word(i32, CONTROL_LINES) - word(i32, ALLOCATOR_TOP);
    for (let line = word(i32, ALLOCATOR_FREE); line !== 0; line = word(i32, line * WORDS + BLOCK_NEXT)) {
      lines = Math.max(lines, word(i32, line * WORDS + BLOCK_SIZE));
    }
    return Math.max(0, lines - 1);
  } finally {
    unlock(i32);
  }
}

/** The free memory, and what to do for a block of `bytes` bytes: lower an option, or enlarge the heap. */
export function describeFree(
  i32: Int32Array,
  bytes: number,
  need: HeapNeed | undefined,
): { readonly free: string; readonly advice: string } {
  const lines = largestFree(i32);
  const wanted = word(i32, ALLOCATOR_TOP) + linesOf(bytes) + SPARE_LINES;
  const enough = Math.ceil((wanted * LINE) / PAGE) * PAGE;
  const lower = need?.lower(Math.max(0, (lines - SPARE_LINES) * LINE)) ?? "";
  const size = enough <= MAX_BYTES ? `: ${enough} bytes have room for this` : "";
  return {
    free: `${unused(i32)} free, ${lines * LINE} in the largest piece`,
    advice: `${lower === "" ? "" : `${lower} `}Make the heap larger (heapBytes, tundish run --heap; at most 4 GiB)${size}, or free arrays.`,
  };
}

/** That a block of `bytes` bytes has no room. */
export function noRoom(i32: Int32Array, bytes: number, need: HeapNeed | undefined): HeapError {
  const { free, advice } = describeFree(i32, bytes, need);
  return new HeapError(
    `Cannot allocate ${bytes} bytes${need === undefined ? "" : ` for ${need.what}`}: the heap of ` +
      `${word(i32, CONTROL_LINES) * LINE} bytes has ${free}. ${advice}`,
  );
}
