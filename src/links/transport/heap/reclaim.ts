/**
 * Reclaims a buffer before it is filled: a store to each of its lines, one right after another.
 *
 * Why: a line that another CPU has read is in its cache, too, and the first store to such a line waits until that CPU
 * has invalidated it. Items are written to the buffers of many links in turn, so these waits would follow one another;
 * consecutive stores wait together. Between two cores an item of 8 to 32 bytes takes down to half the time; between
 * threads that share a cache the time is the same.
 *
 * It is done only after a buffer that was about full: a PE that sends few items does not fill the next buffer either.
 */

/** Bytes of a cache line: the smallest in use. */
const CACHE_LINE = 64;
/** In larger buffers the lines reclaimed first would be evicted again. */
const MOST_BYTES = 131_072;

/** Whether `bytes` bytes fill more than half of a buffer, so that the next one is worth reclaiming. */
export const isLarge = (bytes: number, bufferBytes: number): boolean =>
  bytes > bufferBytes / 2 && bufferBytes <= MOST_BYTES;

/** Reclaims the buffer at a byte offset, which no PE reads any more; its content is lost. */
export function reclaim(i32: Int32Array, start: number, bytes: number): void {
  const end = (start + bytes) >>> 2;
  for (let word = start >>> 2; word < end; word += CACHE_LINE / 4) i32[word] = 0;
}
