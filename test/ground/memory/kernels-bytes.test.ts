/** The kernels copy and fill. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadKernels } from "../../../src/ground/memory/kernels/kernels.ts";
import { equalBytes, PAGE, sharedMemory } from "./kernels-common.ts";
import { randomSource, samples } from "./kernels-reference.ts";

const test = suite("memory/kernels copy and fill");

const GUARD = 64;
const LONGEST = 300;
const DST = 4096;
const SRC = 16384;

const memory = sharedMemory(1);
const heap = new Uint8Array(memory.buffer);
const kernels = loadKernels(memory);

test("copy: every length and misalignment", () => {
  const random = randomSource(1);
  const a = samples("u8", LONGEST, random);
  const guard = new Uint8Array(GUARD).fill(0x5a);
  for (let bytes = 0; bytes <= LONGEST; bytes++) {
    for (let place = 0; place < 256; place++) {
      const [dst, src] = [DST + (place & 15), SRC + (place >> 4)];
      heap.set(guard, dst - GUARD);
      heap.fill(0x5a, dst, dst + bytes + GUARD);
      heap.set(a.subarray(0, bytes), src);
      kernels.copy(dst, src, bytes);
      const what = () => `copy of ${bytes} bytes, dst ${dst}, src ${src}`;
      equalBytes(heap.subarray(dst, dst + bytes), a.subarray(0, bytes), what);
      equalBytes(heap.subarray(dst - GUARD, dst), guard, what);
      equalBytes(heap.subarray(dst + bytes, dst + bytes + GUARD), guard, what);
    }
  }
});

test("copy: ranges that overlap, as memmove", () => {
  const a = samples("u8", 1024, randomSource(2));
  for (let bytes = 0; bytes <= LONGEST; bytes += 13) {
    for (let shift = -70; shift <= 70; shift++) {
      heap.set(a, DST);
      kernels.copy(DST + 200 + shift, DST + 200, bytes);
      const expected = Uint8Array.from(a);
      for (let i = 0; i < bytes; i++) expected[200 + shift + i] = a[200 + i] as number;
      equalBytes(heap.subarray(DST, DST + 1024), expected, () => `${bytes} bytes by ${shift}`);
    }
  }
});

test("fill: every length and misalignment, low 8 bits of the value", () => {
  for (let bytes = 0; bytes <= LONGEST; bytes++) {
    for (let place = 0; place < 16; place++) {
      const dst = DST + place;
      heap.fill(7, dst - GUARD, dst + bytes + GUARD);
      kernels.fill(dst, 0x1200 - bytes, bytes);
      const expected = new Uint8Array(bytes + 2 * GUARD).fill(7);
      for (let i = 0; i < bytes; i++) expected[GUARD + i] = -bytes & 255;
      equalBytes(heap.subarray(dst - GUARD, dst + bytes + GUARD), expected, () => `${bytes} bytes at ${dst}`);
    }
  }
});

test("a range may end at the last byte of the memory, and no further", () => {
  kernels.copy(PAGE - 10, 0, 10);
  kernels.fill(PAGE - 10, 0, 10);
  assert.throws(() => kernels.copy(0, PAGE - 9, 10), /out of bounds/);
  assert.throws(() => kernels.fill(PAGE - 9, 0, 10), /out of bounds/);
});

test.run();
