/** An append buffer behind a window, while a writer holds its word. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { WindowBuffer } from "../../../src/facilities/append/window-buffer.ts";
import { BASE, DONE, HELD, MESSAGES, RESERVED } from "../../../src/facilities/append/window-layout.ts";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";

const test = suite("append buffers behind a window");
const LENGTH = 100;

function made() {
  const heap = newHeap(2 ** 20);
  const at = heap.allocate(1024);
  const words = new BigInt64Array(heap.buffer, at, 16);
  const set = (place: number, value: bigint) => {
    words[place / 8] = value;
  };
  let syncs = 0;
  const window = { sync: () => void syncs++ };
  return { buffer: new WindowBuffer(heap, at, LENGTH, window), set, words, syncs: () => syncs };
}

test("a reset while it is held changes nothing", () => {
  const { buffer, set, words } = made();
  set(RESERVED, 10n);
  set(DONE, 10n);
  set(MESSAGES, 1n);
  assert.equal([buffer.offset, buffer.completed, buffer.messages], [10, 10, 1]);
  set(RESERVED, HELD);
  const before = words.slice();
  assert.is(buffer.reset(), false);
  assert.equal(words, before);
  assert.equal([buffer.offset, buffer.completed, buffer.messages], [10, 10, 1]);
  assert.equal(buffer.pending(), [{ writer: -1, bytes: -1 }]);
  // the writer goes on
  set(RESERVED, 30n);
  assert.equal(buffer.pending(), [{ writer: -1, bytes: 20 }]);
  set(DONE, 30n);
  set(MESSAGES, 2n);
  assert.equal([buffer.completed, buffer.messages, buffer.pending().length], [30, 2, 0]);
  assert.is(buffer.reset(), true);
  assert.is(words[BASE / 8], 30n);
  assert.equal([buffer.offset, buffer.completed, buffer.messages], [0, 0, 0]);
});

test("what is complete is made visible once", () => {
  const { buffer, set, syncs } = made();
  set(RESERVED, 16n);
  set(DONE, 8n);
  assert.is(buffer.completed, 8);
  assert.is(buffer.completed, 8);
  assert.is(syncs(), 1);
  set(DONE, 16n);
  assert.is(buffer.completed, 16);
  assert.is(syncs(), 2);
});

test("beyond its end nothing is shown", () => {
  const { buffer, set } = made();
  set(RESERVED, 250n);
  set(DONE, 250n);
  assert.equal([buffer.offset, buffer.completed], [LENGTH, LENGTH]);
});
test.run();
