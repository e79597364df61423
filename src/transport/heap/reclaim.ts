/**
 * Taking a buffer back before it is filled: a store to each line of it, one right after the other.
 *
 * Why: what another CPU has read is in its cache too, and the first store to such a line waits until that CPU has dropped it. Items
 * go into the buffers of many links in turn, so that one wait would come after the other; stores with nothing between them
 * wait together. Between two cores an item of 8 to 32 bytes takes up to half as long for it, and as long where they share a cache.
 *
 * Only after a buffer that was about full: who sends a few items does not fill the next one either.
 */

/** Bytes of a line of the cache: of the shortest there are. */
const CACHE_LINE = 64;
/** Larger buffers would push out what was taken back first. */
const MOST_BYTES = 131_072;

/** Whether so many bytes fill more than half of a buffer, and the next one is worth taking back. */
export const isLarge = (bytes: number, bufferBytes: number): boolean =>
  bytes > bufferBytes / 2 && bufferBytes <= MOST_BYTES;

/** Takes the buffer at a byte offset back, which nobody reads any more; what was in it is gone. */
export function reclaim(i32: Int32Array, start: number, bytes: number): void {
  const end = (start + bytes) >>> 2;
  for (let word = start >>> 2; word < end; word += CACHE_LINE / 4) i32[word] = 0;
}
