/** Where pushed columns are, and what is copied of those that are not in the heap. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ColumnSource } from "../../../../src/facilities/conveyor/belts/column-source.ts";
import { type ColumnArray, lanesOf, pairsOf } from "../../../../src/ground/item/columns.ts";
import { viewsOf } from "../../../../src/ground/item/views.ts";
import { type WasmMemory, wasm } from "../../../../src/ground/memory/kernels/webassembly.ts";
import { f64, struct, u8, u16, u32 } from "../../../../src/index.ts";

const memory: WasmMemory = new wasm.Memory({ initial: 2, maximum: 2, shared: true });
const views = viewsOf(memory.buffer);
const heap = views.u8;

const PLACE = 32_768;

/** Node has them, the types of ES2022 do not. */
type Resizable = ArrayBuffer & { resize(bytes: number): void };

const test = suite("columns that are pushed");

test("short and long parts of arrays of every alignment are copied, and nothing beside them", () => {
  const source = new ColumnSource(views);
  const buffer = new ArrayBuffer(40_000);
  new Uint8Array(buffer).forEach((_, i, bytes) => {
    bytes[i] = i * 7 + (i >>> 8);
  });
  const arrays: ColumnArray[] = [
    new Uint8Array(buffer, 3),
    new Uint16Array(buffer, 6, 9000),
    new Uint32Array(buffer, 4, 9000),
    new Float64Array(buffer),
  ];
  for (const array of arrays) {
    source.take(array);
    assert.is(source.at, -1);
    for (const [from, to] of [
      [0, 8],
      [8, 4000],
      [16, 5000],
      [24, 17_000],
    ]) {
      heap.fill(0xee);
      const start = source.stage(PLACE, from, to);
      assert.ok(start >= PLACE && start < PLACE + 16);
      const want = new Uint8Array(buffer, array.byteOffset + from, to - from);
      assert.equal(heap.slice(start, start + to - from), want.slice());
      assert.is(heap[start - 1], 0xee);
      assert.is(heap[start + to - from], 0xee);
    }
  }
});

test("an array in the heap is read where it is; each array is looked at anew", () => {
  const source = new ColumnSource(views);
  const elsewhere = Uint32Array.of(1, 2, 3);
  source.take(elsewhere);
  assert.is(source.at, -1);
  source.take(views.u32.subarray(100, 103));
  assert.is(source.at, 400);
  source.take(elsewhere);
  assert.is(source.at, -1);
  elsewhere[1] = 9;
  const start = source.stage(PLACE, 4, 8);
  assert.is(heap[start], 9);
});

test("the same array after its buffer has grown is as long as it is now", () => {
  const source = new ColumnSource(views);
  const buffer = Reflect.construct(ArrayBuffer, [8, { maxByteLength: 64 }]) as Resizable;
  const array = new Uint32Array(buffer);
  source.take(array);
  buffer.resize(40);
  array.set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  source.take(array);
  const start = source.stage(PLACE, 8, 40);
  assert.equal([...new Uint32Array(heap.slice(start, start + 32).buffer)], [3, 4, 5, 6, 7, 8, 9, 10]);
});

test("pairs: fields of one width, 4 or 8 bytes, side by side", () => {
  const pairs = (fields: Parameters<typeof struct>[0]) => pairsOf(lanesOf(struct(fields)));
  assert.equal(pairs({ a: f64, b: f64, c: f64 }), [[0, 1], [2]]);
  assert.equal(pairs({ a: u32, b: f64, c: f64 }), [[0], [1, 2]]);
  assert.equal(pairs({ a: u32, b: u32, c: f64, d: u8, e: u8 }), [[0, 1], [2], [3], [4]]);
  assert.equal(pairs({ a: u16, b: u16 }), [[0], [1]]);
  // side by side, though one is in a struct within
  assert.equal(pairs({ a: f64, b: struct({ c: f64 }) }), [[0, 1]]);
});

test.run();
