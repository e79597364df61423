/**
 * Bytes that are copied at once. Above about 0.75 MiB the C library's memmove writes past the caches,
 * which is three times slower when the other core's cache has the source (1 MiB: 156 against 45 us).
 */
const PIECE: usize = 128 * 1024;

/** Copies `bytes` bytes from `src` to `dst`; the two may overlap, as in C's memmove. */
export function copy(dst: usize, src: usize, bytes: usize): void {
  if (bytes <= PIECE) {
    memory.copy(dst, src, bytes);
  } else if (dst < src || dst >= src + bytes) {
    let at: usize = 0;
    for (; at + PIECE < bytes; at += PIECE) memory.copy(dst + at, src + at, PIECE);
    memory.copy(dst + at, src + at, bytes - at);
  } else {
    // an overlap with the end of the source: from the back, so that nothing is overwritten unread
    let left = bytes;
    for (; left > PIECE; left -= PIECE) memory.copy(dst + left - PIECE, src + left - PIECE, PIECE);
    memory.copy(dst, src, left);
  }
}

/** Sets `bytes` bytes from `dst` on to `value`, of which the low 8 bits count. */
export function fill(dst: usize, value: u8, bytes: usize): void {
  memory.fill(dst, value, bytes);
}
