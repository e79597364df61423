/** The reduction kernels, in every shape, against a reference that reads bytes. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { type ElementType, loadKernels, type ReduceOp } from "../../../src/ground/memory/kernels/kernels.ts";
import { equalBytes, PAGE, sharedMemory } from "./kernels-common.ts";
import { bytesOf, canonical, PAIRS, randomSource, reference, samples } from "./kernels-reference.ts";

const test = suite("memory/kernels");

const GUARD = 64;
const LONGEST = 300;
// where the tests put dst and src, each with room for the longest array, misalignment and guards
const DST = 4096;
const SRC = 16384;

const memory = sharedMemory(1);
const heap = new Uint8Array(memory.buffer);
const kernels = loadKernels(memory);

/** Lays out dst and src with guards around dst, reduces, and compares everything with `expected`. */
function check(
  [op, type]: readonly [ReduceOp, ElementType],
  [dst, src]: readonly [number, number],
  [a, b, expected]: readonly [Uint8Array, Uint8Array, Uint8Array],
): void {
  const what = () => `${op} ${type} of ${a.length} bytes, dst ${dst}, src ${src}`;
  const guard = new Uint8Array(GUARD).fill(0xa5);
  const end = dst + a.length;
  heap.set(guard, dst - GUARD);
  heap.set(guard, end);
  heap.set(b, src);
  heap.set(a, dst);
  kernels.reducer(op, type)(dst, src, a.length / bytesOf(type));
  equalBytes(canonical(type, heap.subarray(dst, end)), expected, what);
  equalBytes(heap.subarray(dst - GUARD, dst), guard, () => `before dst: ${what()}`);
  equalBytes(heap.subarray(end, end + GUARD), guard, () => `behind dst: ${what()}`);
  if (src !== dst) equalBytes(heap.subarray(src, src + b.length), b, () => `src: ${what()}`);
}

for (const pair of PAIRS) {
  const [op, type] = pair;
  const size = bytesOf(type);
  const random = randomSource(op.length * 1000 + size);
  const a = samples(type, LONGEST, random);
  const b = samples(type, LONGEST, random);
  const expected = reference(op, type, a, b);
  const doubled = reference(op, type, a, a);

  const arrays = (elements: number) => {
    // the end of the samples, so that the tail of the array differs from one length to the next
    const from = (LONGEST - elements) * size;
    return [a.subarray(from), b.subarray(from), expected.subarray(from)] as const;
  };

  test(`${op} ${type}: every length`, () => {
    for (let elements = 0; elements <= LONGEST; elements++) {
      for (const [dst, src] of [
        [0, 0],
        [1, 0],
        [elements % 16, (elements * 7 + 3) % 16],
      ] as const) {
        check(pair, [DST + dst, SRC + src], arrays(elements));
      }
    }
  });

  test(`${op} ${type}: every misalignment`, () => {
    for (let dst = 0; dst < 16; dst++) {
      for (let src = 0; src < 16; src++) {
        for (const elements of [1, 19, 64, 135]) check(pair, [DST + dst, SRC + src], arrays(elements));
      }
    }
  });

  test(`${op} ${type}: an array with itself`, () => {
    for (let elements = 0; elements <= LONGEST; elements += 7) {
      const bytes = elements * size;
      const own = a.subarray(0, bytes);
      check(pair, [DST + 5, DST + 5], [own, own, doubled.subarray(0, bytes)]);
    }
  });
}

test("any bits, length and place", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...PAIRS),
      fc.nat(LONGEST),
      fc.nat(0xffffffff),
      fc.tuple(fc.nat(4000), fc.nat(4000)),
      ([op, type], elements, seed, [dst, src]) => {
        const random = randomSource(seed);
        const [a, b] = [samples(type, elements, random), samples(type, elements, random)];
        check([op, type], [DST + dst, SRC + src], [a, b, reference(op, type, a, b)]);
      },
    ),
    { numRuns: 500 },
  );
});

test("a range may end at the last byte of the memory, and no further", () => {
  for (const [op, type] of PAIRS) {
    const size = bytesOf(type);
    for (const elements of [1, 3, 16, 70]) {
      const reduce = kernels.reducer(op, type);
      reduce(PAGE - elements * size, 0, elements);
      reduce(0, PAGE - elements * size, elements);
      for (const [dst, src] of [
        [PAGE - elements * size + 1, 0],
        [0, PAGE - elements * size + 1],
      ] as const) {
        assert.throws(() => reduce(dst, src, elements), /out of bounds/);
      }
    }
  }
});

test("reducer refuses what does not exist and names what does", () => {
  const usage = (run: () => unknown, pattern: RegExp) => {
    assert.throws(run, (error: unknown) => error instanceof UsageError && pattern.test(error.message));
  };
  usage(() => kernels.reducer("xor", "f64"), /f64 \(sum, prod, min, max\), got "xor"/);
  usage(() => kernels.reducer("and", "f32"), /f32 \(sum, prod, min, max\), got "and"/);
  usage(() => kernels.reducer("mean" as ReduceOp, "i8"), /\(sum, prod, min, max, and, or, xor\), got "mean"/);
  usage(() => kernels.reducer("sum", "i128" as ElementType), /i8, .*f64\), got "i128"/);
  usage(() => loadKernels({ buffer: new ArrayBuffer(PAGE) }), /expected a shared memory, got one that is not shared/);
});
test.run();
