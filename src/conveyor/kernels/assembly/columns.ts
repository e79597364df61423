/*
 * Columns: a field of many items, one after another, from where it lies in the items, and back.
 */
import { Bytes, Move, Word } from "./move";

/** Copies a field of `bytes` bytes of `count` items, `stride` bytes apart from `from` on, to a column at `to`. */
export function gather(to: usize, from: usize, bytes: u32, stride: u32, count: u32): void {
  copy(to, from, bytes, bytes, stride, count);
}

/** The reverse: copies a column at `from` into the field of items `stride` bytes apart from `to` on. */
export function weave(to: usize, from: usize, bytes: u32, stride: u32, count: u32): void {
  copy(to, from, bytes, stride, bytes, count);
}

function copy(to: usize, from: usize, bytes: u32, toStride: u32, fromStride: u32, count: u32): void {
  if (bytes === toStride && bytes === fromStride) memory.copy(to, from, bytes * count);
  else if (bytes === 8) each<Word<u64>>(to, from, 8, toStride, fromStride, count);
  else if (bytes === 4) each<Word<u32>>(to, from, 4, toStride, fromStride, count);
  else if (bytes === 2) each<Word<u16>>(to, from, 2, toStride, fromStride, count);
  else if (bytes === 1) each<Word<u8>>(to, from, 1, toStride, fromStride, count);
  else each<Bytes>(to, from, bytes, toStride, fromStride, count);
}

function each<M extends Move>(
  to: usize,
  from: usize,
  bytes: u32,
  toStride: u32,
  fromStride: u32,
  count: u32,
): void {
  const field = changetype<M>(0);
  // four at a time, whose addresses do not wait for each other
  for (; count >= 4; count -= 4) {
    field.move(to, from, bytes);
    field.move(to + toStride, from + fromStride, bytes);
    field.move(to + 2 * toStride, from + 2 * fromStride, bytes);
    field.move(to + 3 * toStride, from + 3 * fromStride, bytes);
    to += 4 * toStride;
    from += 4 * fromStride;
  }
  for (; count > 0; count--) {
    field.move(to, from, bytes);
    to += toStride;
    from += fromStride;
  }
}
