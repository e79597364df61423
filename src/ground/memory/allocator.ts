/**
 * The heap's allocator: first fit over a free list in order of address. A freed block is merged with free neighbours,
 * and the last one with the memory that was never allocated. All its state is in the heap (heap-layout.ts), so every
 * thread may allocate.
 *
 * Blocks are few and large (channels, users' arrays, buffers), so one lock and a linear search are enough. Callers are
 * shielded (ground/base/shield.ts); a thread that dies all the same leaves it held, and others give up with an error.
 *
 * Source: Knuth, The Art of Computer Programming 1, section 2.5, algorithms A and B.
 */

import { HeapError } from "../base/errors.ts";
import { monotonic } from "../base/event-loop/timers.ts";
import {
  ALLOCATOR_FREE,
  ALLOCATOR_LOCK,
  ALLOCATOR_PEAK,
  ALLOCATOR_TOP,
  ALLOCATOR_USED,
  BLOCK_NEXT,
  BLOCK_SIZE,
  BLOCK_STATE,
  CONTROL_LINES,
  FIRST_LINE,
  LINE,
  STATE_FREE,
  STATE_USED,
} from "./heap-layout.ts";

/** Of a line. */
export const WORDS: number = LINE / 4;
const LOCK_TIMEOUT_MS = 5000;

/** A new block: its byte offset, and how many of its first bytes were in use before. */
export interface Block {
  readonly offset: number;
  readonly dirtyBytes: number;
}

/** The unsigned number of a word. */
export const word = (i32: Int32Array, index: number): number => i32[index] >>> 0;

/** The caller is the only one that reads or writes the blocks, until {@link unlock}. */
export function lock(i32: Int32Array): void {
  const until = monotonic() + LOCK_TIMEOUT_MS;
  // pairs with the store and the notify in unlock(): the new owner sees everything that the last owner wrote
  while (Atomics.compareExchange(i32, ALLOCATOR_LOCK, 0, 1) !== 0) {
    Atomics.wait(i32, ALLOCATOR_LOCK, 1, 1);
    if (monotonic() > until) {
      throw new HeapError(
        `The heap's allocator was locked for ${LOCK_TIMEOUT_MS} ms: the thread that held it was probably killed.`,
      );
    }
  }
}

export function unlock(i32: Int32Array): void {
  Atomics.store(i32, ALLOCATOR_LOCK, 0);
  Atomics.notify(i32, ALLOCATOR_LOCK, 1);
}

/** Number of bytes that are in no block, perhaps not contiguous; approximate while others allocate. */
export const unused = (i32: Int32Array): number =>
  (word(i32, CONTROL_LINES) - FIRST_LINE - word(i32, ALLOCATOR_USED)) * LINE;

/** Lines of a block of at least `bytes` bytes, including its header. */
export const linesOf = (bytes: number): number => 1 + Math.max(1, Math.ceil(bytes / LINE));

/** Bytes of the smallest heap with room for blocks of these sizes. */
export const heapBytesFor = (blocks: readonly number[]): number =>
  blocks.reduce((lines, bytes) => lines + linesOf(bytes), FIRST_LINE) * LINE;

/** Allocates a block of at least `bytes` bytes; null if there is none. */
export function allocate(i32: Int32Array, bytes: number): Block | null {
  const size = linesOf(bytes);
  lock(i32);
  try {
    const line = takeFree(i32, size) || takeTop(i32, size);
    if (line === 0) return null;
    i32[line * WORDS + BLOCK_STATE] = STATE_USED;
    i32[ALLOCATOR_USED] = word(i32, ALLOCATOR_USED) + word(i32, line * WORDS + BLOCK_SIZE);
    // memory above the peak was never touched and is still zero
    const end = line + word(i32, line * WORDS + BLOCK_SIZE);
    const dirtyEnd = Math.min(end, word(i32, ALLOCATOR_PEAK));
    if (end > word(i32, ALLOCATOR_PEAK)) i32[ALLOCATOR_PEAK] = end;
    return { offset: (line + 1) * LINE, dirtyBytes: Math.max(0, dirtyEnd - line - 1) * LINE };
  } finally {
    unlock(i32);
  }
}

/** First fit: splits the end off a larger free block, or unlinks one that fits. 0 if none does. */
function takeFree(i32: Int32Array, size: number): number {
  let link = ALLOCATOR_FREE;
  for (let line = word(i32, link); line !== 0; line = word(i32, link)) {
    const at = line * WORDS;
    const have = word(i32, at + BLOCK_SIZE);
    if (have === size || have === size + 1) {
      i32[link] = i32[at + BLOCK_NEXT];
      return line;
    }
    if (have > size) {
      const rest = have - size;
      i32[at + BLOCK_SIZE] = rest;
      i32[(line + rest) * WORDS + BLOCK_SIZE] = size;
      return line + rest;
    }
    link = at + BLOCK_NEXT;
  }
  return 0;
}

function takeTop(i32: Int32Array, size: number): number {
  const line = word(i32, ALLOCATOR_TOP);
  if (line + size > word(i32, CONTROL_LINES)) return 0;
  i32[ALLOCATOR_TOP] = line + size;
  i32[line * WORDS + BLOCK_SIZE] = size;
  return line;
}

/** Frees the block whose payload begins at byte `offset`. @throws HeapError if there is none */
export function release(i32: Int32Array, offset: number): void {
  lock(i32);
  try {
    const line = offset / LINE - 1;
    const top = word(i32, ALLOCATOR_TOP);
    const inside = Number.isInteger(line) && line >= FIRST_LINE && line < word(i32, CONTROL_LINES);
    const state = inside ? i32[line * WORDS + BLOCK_STATE] : 0;
    if (line >= top || state !== STATE_USED) {
      // only a hint: in a block that was allocated again, a user's data may look like a header
      const freed = state === STATE_FREE;
      throw new HeapError(
        `free: expected the offset of a block in use, got ${offset}${freed ? ", which was freed before" : ""}.`,
      );
    }
    const size = word(i32, line * WORDS + BLOCK_SIZE);
    i32[ALLOCATOR_USED] = word(i32, ALLOCATOR_USED) - size;
    insertFree(i32, line);
  } finally {
    unlock(i32);
  }
}

function insertFree(i32: Int32Array, line: number): void {
  const at = line * WORDS;
  const size = word(i32, at + BLOCK_SIZE);
  let before = 0;
  let linkToBefore = 0;
  let link = ALLOCATOR_FREE;
  let next = word(i32, link);
  while (next !== 0 && next < line) {
    before = next;
    linkToBefore = link;
    link = next * WORDS + BLOCK_NEXT;
    next = word(i32, link);
  }
  const follows = before !== 0 && before + word(i32, before * WORDS + BLOCK_SIZE) === line;
  i32[at + BLOCK_STATE] = STATE_FREE;
  if (line + size === word(i32, ALLOCATOR_TOP)) {
    // the last block: TOP is lowered, so that a larger block may begin here
    i32[ALLOCATOR_TOP] = follows ? before : line;
    if (follows) i32[linkToBefore] = 0;
    return;
  }
  i32[at + BLOCK_NEXT] = next;
  i32[link] = line;
  if (next !== 0 && line + size === next) join(i32, line, next);
  if (follows) join(i32, before, line);
}

function join(i32: Int32Array, low: number, high: number): void {
  const at = low * WORDS;
  i32[at + BLOCK_SIZE] = word(i32, at + BLOCK_SIZE) + word(i32, high * WORDS + BLOCK_SIZE);
  i32[at + BLOCK_NEXT] = i32[high * WORDS + BLOCK_NEXT];
  // the merged header is now data; a second free of it must not find a block
  i32[high * WORDS + BLOCK_STATE] = 0;
}
