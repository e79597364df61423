/**
 * Copies of bytes between the heap and arrays outside it. `set` copies from and to shared memory word by word;
 * `Buffer.prototype.copy` copies a part of an array by memmove (a whole one by `set`), from Node 22 on.
 */
import { Buffer } from "node:buffer";

/** From here on `copy` is faster: it costs more to call. */
const LONG_BYTES = 2048;

type Copy = (this: Uint8Array, to: Uint8Array, at: number, start: number, end: number) => number;
const copy = Buffer.prototype.copy as Copy;

/** Copies all of `from` to byte `at` of the heap. */
export function copyIn(heap: Uint8Array, from: Uint8Array, at: number): void {
  const last = from.length - 1;
  if (last < LONG_BYTES) {
    heap.set(from, at);
    return;
  }
  // all but the last byte: a part
  copy.call(from, heap, at, 0, last);
  heap[at + last] = from[last];
}

/** Copies from byte `at` of the heap until `to` is full. */
export function copyOut(heap: Uint8Array, at: number, to: Uint8Array): void {
  if (to.length < LONG_BYTES) to.set(heap.subarray(at, at + to.length));
  else copy.call(heap, to, 0, at, at + to.length);
}
