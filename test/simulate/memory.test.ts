/** The memory of virtual machines: a later run takes over that of one before it, and sees nothing of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { VirtualMemory } from "../../src/simulate/memory.ts";

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

memories.run();
