/**
 * Claiming a buffer before it is filled: a store to each line of it, one right after the other.
 *
 * Why: what another CPU has read is in its cache too, and the first store to such a line waits until that CPU has dropped it. Items
 * go into the buffers of many links in turn, so that one wait would come after the other; stores with nothing between them
 * wait together. Between two cores an item of 8 to 32 bytes takes up to half as long for it, and as long where they share a cache.
 *
 * Only after a buffer that was full: who sends a few items does not fill the next one either.
 */

/** Bytes of a line of the cache: of the shortest there are. */
const CACHE_LINE = 64;
/** More than this would push out what was claimed first. */
const MOST_BYTES = 65_536;

/** Whether a buffer of which so many bytes were sent was about full. */
export const isFull = (bytes: number, bufferBytes: number): boolean => bytes > bufferBytes / 2;

/** Claims the buffer at a byte offset; what was in it is gone. */
export function claim(i32: Int32Array, start: number, bytes: number): void {
  const end = (start + Math.min(bytes, MOST_BYTES)) >>> 2;
  for (let word = start >>> 2; word < end; word += CACHE_LINE / 4) i32[word] = 0;
}
