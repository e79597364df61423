/*
 * Columns: a field of many items, one after another, from where it lies in the items, and back.
 */
import { ByteMove, Move, Word } from "./move";

/** Copies a field of `bytes` bytes of `count` items, `stride` bytes apart from `from` on, to a column at `to`. */
export function gather(to: usize, from: usize, bytes: u32, stride: u32, count: u32): void {
  copy(to, from, bytes, bytes, stride, count);
}

/** The reverse: copies a column at `from` into the field of items `stride` bytes apart from `to` on. */
export function weave(to: usize, from: usize, bytes: u32, stride: u32, count: u32): void {
  copy(to, from, bytes, stride, bytes, count);
}

/**
 * As {@link gather}, of two fields of 4 or 8 bytes that lie side by side, to columns at `a` and `b`: both in less time
 * than one by one, as a store is as fast with 16 bytes as with 8.
 */
export function gatherPair(a: usize, b: usize, from: usize, bytes: u32, stride: u32, count: u32): void {
  for (; count >= 2; count -= 2) {
    if (bytes === 8) {
      const first = v128.load(from);
      const second = v128.load(from + stride);
      v128.store(a, i64x2.shuffle(first, second, 0, 2));
      v128.store(b, i64x2.shuffle(first, second, 1, 3));
    } else {
      const items = v128.load_lane<u64>(from + stride, v128.load64_zero(from), 1);
      const columns = i32x4.shuffle(items, items, 0, 2, 1, 3);
      v128.store_lane<u64>(a, columns, 0);
      v128.store_lane<u64>(b, columns, 1);
    }
    from += 2 * stride;
    a += 2 * bytes;
    b += 2 * bytes;
  }
  if (count === 0) return;
  gather(a, from, bytes, stride, 1);
  gather(b, from + bytes, bytes, stride, 1);
}

/** The reverse of {@link gatherPair}. */
export function weavePair(to: usize, a: usize, b: usize, bytes: u32, stride: u32, count: u32): void {
  for (; count >= 2; count -= 2) {
    if (bytes === 8) {
      const first = v128.load(a);
      const second = v128.load(b);
      v128.store(to, i64x2.shuffle(first, second, 0, 2));
      v128.store(to + stride, i64x2.shuffle(first, second, 1, 3));
    } else {
      const columns = v128.load_lane<u64>(b, v128.load64_zero(a), 1);
      const items = i32x4.shuffle(columns, columns, 0, 2, 1, 3);
      v128.store_lane<u64>(to, items, 0);
      v128.store_lane<u64>(to + stride, items, 1);
    }
    to += 2 * stride;
    a += 2 * bytes;
    b += 2 * bytes;
  }
  if (count === 0) return;
  weave(to, a, bytes, stride, 1);
  weave(to + bytes, b, bytes, stride, 1);
}

function copy(to: usize, from: usize, bytes: u32, toStride: u32, fromStride: u32, count: u32): void {
  if (bytes === toStride && bytes === fromStride) memory.copy(to, from, bytes * count);
  else if (bytes === 8) each<Word<u64>>(to, from, 8, toStride, fromStride, count);
  else if (bytes === 4) each<Word<u32>>(to, from, 4, toStride, fromStride, count);
  else if (bytes === 2) each<Word<u16>>(to, from, 2, toStride, fromStride, count);
  else if (bytes === 1) each<Word<u8>>(to, from, 1, toStride, fromStride, count);
  else each<ByteMove>(to, from, bytes, toStride, fromStride, count);
}

function each<M extends Move>(to: usize, from: usize, bytes: u32, toStride: u32, fromStride: u32, count: u32): void {
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
