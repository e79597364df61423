import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isLarge, reclaim } from "../../../../src/links/transport/heap/reclaim.ts";

const test = suite("taking buffers back");
const LINE_WORDS = 16;

test("stores to each line of a buffer, and to nothing else", () => {
  for (const [start, bytes] of [
    [0, 64],
    [128, 256],
    [64, 4096],
    [192, 65_536],
  ]) {
    const i32 = new Int32Array(40_000).fill(7);
    reclaim(i32, start, bytes);
    const stored = Array.from(i32.keys()).filter((word) => i32[word] !== 7);
    const expected = Array.from({ length: bytes / 64 }, (_, line) => start / 4 + line * LINE_WORDS);
    assert.equal(stored, expected, `${bytes} bytes at ${start}`);
  }
});

test("after more than half of a buffer, unless it is larger than what a cache keeps", () => {
  assert.not(isLarge(0, 16_384));
  assert.not(isLarge(8192, 16_384));
  assert.ok(isLarge(8193, 16_384));
  assert.ok(isLarge(131_072, 131_072));
  assert.not(isLarge(140_000, 140_000));
});

test.run();
