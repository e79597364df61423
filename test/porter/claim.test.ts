import { suite } from "uvu";
import * as assert from "uvu/assert";
import { claim, isFull } from "../../src/porter/claim.ts";

const test = suite("claim");
const LINE_WORDS = 16;

test("stores to each line of a buffer, and to nothing else", () => {
  for (const [start, bytes] of [
    [0, 64],
    [128, 256],
    [64, 4096],
    [192, 65_536],
  ]) {
    const i32 = new Int32Array(40_000).fill(7);
    claim(i32, start, bytes);
    const stored = Array.from(i32.keys()).filter((word) => i32[word] !== 7);
    const expected = Array.from({ length: bytes / 64 }, (_, line) => start / 4 + line * LINE_WORDS);
    assert.equal(stored, expected, `${bytes} bytes at ${start}`);
  }
});

test("of a large buffer only the beginning", () => {
  const i32 = new Int32Array(100_000).fill(7);
  claim(i32, 256, 300_000);
  assert.is(i32.filter((word) => word !== 7).length, 65_536 / 64);
});

test("a full buffer is one that is more than half full", () => {
  assert.not(isFull(0, 16_384));
  assert.not(isFull(8192, 16_384));
  assert.ok(isFull(8193, 16_384));
});

test.run();
