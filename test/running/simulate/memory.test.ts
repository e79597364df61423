/** The memory of virtual machines: a later run takes over that of one before it, and sees nothing of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HeapError } from "../../../src/ground/base/errors.ts";
import { VirtualMemory } from "../../../src/running/simulate/memory.ts";

const BYTES = 2 ** 16;

const memories = suite("the memory of virtual machines");

memories("one that was left is the next one's, and full of zeros", () => {
  const first = new VirtualMemory(BYTES);
  const { u8 } = first.views;
  const offset = first.take(1000);
  u8.fill(7, offset, offset + 1000);
  first.give(offset, 1000);
  first.leave();
  const second = new VirtualMemory(BYTES);
  assert.is(second.views.u8, u8);
  assert.ok(u8.every((byte) => byte === 0));
  assert.is(second.take(1000), offset);
  assert.is(second.used, 1024);
});

memories("one in use is nobody else's, nor is one of another size", () => {
  const first = new VirtualMemory(BYTES);
  first.leave();
  const second = new VirtualMemory(BYTES);
  assert.is.not(new VirtualMemory(BYTES).views.u8, second.views.u8);
  second.leave();
  const third = new VirtualMemory(2 * BYTES);
  assert.is(third.views.u8.length, 2 * BYTES);
});

memories("what was given back is taken again in other sizes; each block is its owner's alone", () => {
  const memory = new VirtualMemory(BYTES);
  const { u8 } = memory.views;
  const blocks = new Map<number, number>();
  let [seed, number] = [1, 0];
  const random = (most: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % most;
  };
  let taken = 0;
  for (let i = 0; i < 20_000; i++) {
    const bytes = 1 + random(6000);
    const [first] = blocks.keys();
    try {
      if (random(5) < 2) throw new HeapError("give one back");
      const { offset, isFresh } = memory.reserve(bytes);
      if (isFresh) assert.ok(u8.subarray(offset, offset + bytes).every((byte) => byte === 0));
      number = (number % 250) + 1;
      u8.fill(number, offset, offset + bytes);
      blocks.set(offset, bytes);
      taken += bytes;
    } catch (error) {
      assert.instance(error, HeapError);
      if (first === undefined) continue;
      const own = u8.subarray(first, first + (blocks.get(first) as number));
      assert.ok(own.every((byte) => byte === own[0]));
      memory.give(first, own.length);
      blocks.delete(first);
    }
  }
  assert.ok(taken > 100 * BYTES);
  for (const [offset, bytes] of blocks) memory.give(offset, bytes);
  assert.equal([memory.used, memory.take(BYTES - 128)], [0, 128]);
  assert.throws(
    () => memory.take(1),
    /expected room for 128, got 0 free, 0 in the largest piece. Make the memory larger/,
  );
});

memories.run();
