/** The heap: making and attaching it, and its allocator against a model that is plainly right. */
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HeapError, type TundishError, UsageError } from "../../../src/ground/base/errors.ts";
import { Heap } from "../../../src/ground/memory/heap.ts";
import { LINE } from "../../../src/ground/memory/heap-layout.ts";
import { type WasmMemory, wasm } from "../../../src/ground/memory/kernels/webassembly.ts";
import { DEFAULT_HEAP_BYTES, newHeap } from "../../../src/ground/memory/new-heap.ts";

const PAGE = 65536;
/** Control line and allocator line. */
const OVERHEAD = 2 * LINE;

const memoryOf = (pages: number): WasmMemory => new wasm.Memory({ initial: pages, maximum: pages, shared: true });

/** The error of a class that the body throws. */
function thrown(Class: typeof HeapError | typeof UsageError, body: () => unknown): TundishError {
  try {
    body();
  } catch (error) {
    assert.instance(error, Class);
    return error as TundishError;
  }
  throw new Error("nothing was thrown");
}

const heaps = suite("heap");

heaps("is shared WebAssembly memory of the size asked for, in whole pages", () => {
  for (const [asked, got] of [
    [1, PAGE],
    [PAGE, PAGE],
    [PAGE + 1, 2 * PAGE],
    [10_000_000, 153 * PAGE],
  ]) {
    const heap = newHeap(asked);
    assert.is(heap.buffer.byteLength, got);
    assert.instance(heap.buffer, SharedArrayBuffer);
    for (const view of [heap.u8, heap.i32, heap.f64]) assert.is(view.byteLength, got);
  }
  assert.is(newHeap().buffer.byteLength, DEFAULT_HEAP_BYTES);
});

heaps("sizes out of range are refused with the range", () => {
  for (const bytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 4 * 1024 ** 3 + 1, "1" as never]) {
    assert.match(thrown(UsageError, () => newHeap(bytes)).message, /heapBytes.*1 to 4294967296.*got/);
  }
});

heaps("an attached heap sees the same bytes and the same blocks", () => {
  const heap = newHeap(PAGE);
  const at = heap.allocate(100);
  const other = Heap.attach(heap.memory);
  heap.u8[at] = 7;
  assert.is(other.u8[at], 7);
  const next = other.allocate(100);
  assert.ok(next >= at + 128 || next + 128 <= at);
  other.free(at);
  heap.free(next);
  assert.is(heap.allocate(PAGE - OVERHEAD - LINE), OVERHEAD + LINE, "all is free again");
});

heaps("memory that is no heap, or a heap of another layout, is refused", () => {
  assert.match(thrown(HeapError, () => Heap.attach(memoryOf(1))).message, /Expected a Tundish heap of layout/);
  const heap = newHeap(PAGE);
  heap.i32[1]++;
  assert.match(thrown(HeapError, () => Heap.attach(heap.memory)).message, /npm ls tundish/);
});

heaps("kernels work on the heap's own bytes", () => {
  const heap = newHeap(PAGE);
  const [a, b] = [heap.allocate(80), heap.allocate(80)];
  for (let i = 0; i < 10; i++) {
    heap.f64[a / 8 + i] = i;
    heap.f64[b / 8 + i] = 100 * i;
  }
  heap.kernels.reducer("sum", "f64")(a, b, 10);
  assert.equal([...heap.f64.subarray(a / 8, a / 8 + 10)], [0, 101, 202, 303, 404, 505, 606, 707, 808, 909]);
  assert.is(heap.kernels, heap.kernels, "loaded once");
});

heaps("without WebAssembly there is no heap, and it says why", () => {
  const module = JSON.stringify(new URL("../../../src/ground/memory/new-heap.js", import.meta.url).href);
  const code = `const { newHeap } = await import(${module}); try { newHeap(); } catch (e) { console.log(e.code, e.message); }`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--jitless", "--input-type=module", "-e", code], {
    encoding: "utf8",
  });
  assert.match(stdout, /^ERR_TUNDISH_ENVIRONMENT The heap needs WebAssembly, .*--jitless/, stderr);
});

heaps.run();

const blocks = suite("allocator");

blocks("a block is aligned, and as large as asked for", () => {
  const heap = newHeap(PAGE * 4);
  const taken: [number, number][] = [];
  for (const bytes of [0, 1, 127, 128, 129, 5000, 0]) {
    const at = heap.allocate(bytes);
    assert.is(at % LINE, 0);
    for (const [from, to] of taken) assert.ok(at + bytes <= from || at >= to);
    taken.push([at, at + Math.max(1, bytes)]);
  }
});

blocks("sizes out of range are refused", () => {
  const heap = newHeap(PAGE);
  for (const bytes of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, undefined as never]) {
    assert.match(thrown(UsageError, () => heap.allocate(bytes)).message, /whole number of bytes/);
  }
});

blocks("a full heap says what is free and what to do; a smaller block may still fit", () => {
  const heap = newHeap(PAGE);
  for (const bytes of [PAGE, 2 ** 32, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
    const { message } = thrown(HeapError, () => heap.allocate(bytes));
    assert.match(
      message,
      new RegExp(`Cannot allocate ${bytes} bytes.*65536 bytes has 65280 free, 65152 in the largest piece.*heapBytes`),
    );
  }
  heap.allocate(40_000);
  assert.match(thrown(HeapError, () => heap.allocate(40_000)).message, /has 25\d\d\d free/);
  heap.allocate(20_000);
});

blocks("a full heap says how large a block it still has, wherever that lies", () => {
  const heap = newHeap(PAGE);
  const [low, , high] = [20_000, 128, 10_000, 128].map((bytes) => heap.allocate(bytes));
  const largest = (): number => {
    const { message } = thrown(HeapError, () => heap.allocate(PAGE));
    return Number(/, (\d+) in the largest piece/.exec(message)?.[1]);
  };
  const top = largest();
  heap.free(high);
  assert.is(largest(), top, "never given out, and larger than what was freed");
  heap.allocate(top);
  assert.is(largest(), Math.ceil(10_000 / LINE) * LINE);
  heap.free(low);
  const freed = largest();
  assert.is(freed, Math.ceil(20_000 / LINE) * LINE);
  heap.allocate(freed);
  heap.allocate(largest());
  assert.match(thrown(HeapError, () => heap.allocate(0)).message, /has 0 free, 0 in the largest piece/);
});

blocks("giving back twice is refused, right away and after neighbours were joined", () => {
  const heap = newHeap(PAGE);
  const [a, b, c, last] = [1, 2, 3, 4].map(() => heap.allocate(100));
  heap.free(b);
  assert.match(thrown(HeapError, () => heap.free(b)).message, /in use, got \d+, which was freed before/);
  heap.free(a);
  heap.free(c);
  for (const at of [a, b, c]) thrown(HeapError, () => heap.free(at));
  heap.free(last);
  for (const at of [a, b, c, last]) thrown(HeapError, () => heap.free(at));
  // nothing of that has harmed the heap
  assert.is(heap.allocate(PAGE - OVERHEAD - LINE), OVERHEAD + LINE);
});

blocks("offsets that no allocation gave are refused", () => {
  const heap = newHeap(PAGE);
  const at = heap.allocate(1000);
  heap.u8.fill(0x55, at, at + 1000);
  const foreign = [at + 1, at + LINE, at - LINE, 0, LINE, -LINE, 1.5, PAGE - LINE, PAGE, 2 ** 33, Number.NaN];
  for (const offset of foreign) thrown(HeapError, () => heap.free(offset));
  heap.free(at);
});

blocks("a larger block than any that was there fits once all is free", () => {
  const heap = newHeap(PAGE);
  const small = [1, 2, 3, 4, 5].map(() => heap.allocate(4096));
  for (const at of [small[4], small[1], small[3], small[0], small[2]]) heap.free(at);
  const most = PAGE - OVERHEAD - LINE;
  for (let i = 0; i < 3; i++) {
    const at = heap.allocate(most);
    assert.ok(heap.u8.subarray(at, at + most).every((byte) => byte === 0));
    heap.u8.fill(0xff, at, at + most);
    thrown(HeapError, () => heap.allocate(0));
    heap.free(at);
  }
});

blocks("a hole is filled before new ground is broken", () => {
  const heap = newHeap(PAGE);
  const [, hole] = [heap.allocate(1000), heap.allocate(1000), heap.allocate(1000)];
  heap.free(hole);
  assert.is(heap.allocate(1000), hole);
});

/** The lines that a correct allocator has free: everything that is not a model block (with its header). */
function largestGap(model: Map<number, number>, bytes: number): number {
  const taken = [...model].map(([at, size]) => [at - LINE, at + size] as const).sort((a, b) => a[0] - b[0]);
  let most = 0;
  let end = OVERHEAD;
  for (const [from, to] of [...taken, [bytes, bytes] as const]) {
    most = Math.max(most, from - end);
    end = to;
  }
  return most;
}

const roundUp = (bytes: number): number => Math.max(1, Math.ceil(bytes / LINE)) * LINE;

blocks("any sequence of calls: no overlap, aligned, zeroed, contents kept, and every gap that fits is found", () => {
  const size = fc.oneof(
    fc.integer({ min: 0, max: 600 }),
    fc.integer({ min: 0, max: PAGE }),
    fc.constantFrom(127, 128, 129, 1024),
  );
  const step = fc.record({ free: fc.boolean(), pick: fc.nat(), bytes: size });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 120 }), (steps) => {
      const heap = newHeap(2 * PAGE);
      // offset -> bytes that are surely its own; a block may be one line longer than asked for
      const model = new Map<number, number>();
      const mark = (at: number): number => (at / LINE) % 255 || 1;
      for (const { free, pick, bytes } of steps) {
        if (free && model.size > 0) {
          const [at, length] = [...model][pick % model.size];
          const own = heap.u8.subarray(at, at + length);
          assert.ok(
            own.every((byte) => byte === mark(at)),
            "nobody wrote into the block",
          );
          heap.free(at);
          model.delete(at);
          continue;
        }
        let at: number;
        try {
          at = heap.allocate(bytes);
        } catch (error) {
          assert.instance(error, HeapError);
          // blocks one line longer than asked for are the only waste
          const waste = model.size * LINE;
          assert.ok(largestGap(model, 2 * PAGE) - LINE < roundUp(bytes) + waste, "it would have fitted");
          continue;
        }
        const length = roundUp(bytes);
        assert.is(at % LINE, 0);
        assert.ok(at >= OVERHEAD + LINE && at + length <= 2 * PAGE);
        for (const [other, taken] of model) assert.ok(at + length <= other - LINE || other + taken <= at - LINE);
        const block = heap.u8.subarray(at, at + length);
        assert.ok(
          block.every((byte) => byte === 0),
          "zero",
        );
        block.fill(mark(at));
        model.set(at, length);
      }
      for (const at of model.keys()) heap.free(at);
      assert.is(heap.allocate(2 * PAGE - OVERHEAD - LINE), OVERHEAD + LINE, "joined to one piece");
    }),
    { numRuns: 300 },
  );
});

blocks.run();
