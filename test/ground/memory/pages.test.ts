/** The pages of a heap, as /proc/self/smaps shows them: which are to be large. */
import { existsSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addressOf, native } from "../../../src/ground/base/native/native.ts";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";
import { reserveOwn } from "../../../src/ground/memory/own-memory.ts";
import { discardPages, LARGE_BLOCK_BYTES } from "../../../src/ground/memory/pages.ts";
import { testUnless } from "../../support/skip.ts";

const MIB = 2 ** 20;
const hasLargePages = existsSync("/sys/kernel/mm/transparent_hugepage/enabled") && native() !== null;

/** The flags of the mapping that has this byte: `hg` for large pages. */
function flagsAt(buffer: SharedArrayBuffer, offset: number): readonly string[] {
  const address = BigInt(addressOf(new Uint8Array(buffer, offset, 1)));
  const mappings = readFileSync("/proc/self/smaps", "utf8").split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  for (const mapping of mappings) {
    const [begin, end] = (/^\S+/.exec(mapping)?.[0] ?? "").split("-").map((word) => BigInt(`0x${word}`));
    if (begin === undefined || end === undefined || address < begin || address >= end) continue;
    return (/^VmFlags: (.*)$/m.exec(mapping)?.[1] ?? "").split(" ");
  }
  throw new Error(`no mapping has ${address}`);
}

const test = suite("pages");
const reason = hasLargePages ? null : "needs Linux with transparent huge pages, and native code";

testUnless(test, reason, "large blocks of a heap get large pages, small ones do not", () => {
  const heap = newHeap(64 * MIB);
  const small = heap.allocate(LARGE_BLOCK_BYTES - 1);
  assert.not(flagsAt(heap.buffer, small).includes("hg"));
  // from the next large page on, so that the first one has no byte of theirs
  heap.allocate(4 * MIB - LARGE_BLOCK_BYTES);
  const large = heap.allocate(4 * MIB);
  for (const at of [0, 2 * MIB, 4 * MIB - 1]) assert.ok(flagsAt(heap.buffer, large + at).includes("hg"), `at ${at}`);
  assert.not(flagsAt(heap.buffer, large + 8 * MIB).includes("hg"));
});

testUnless(test, reason, "a large block at the end of a heap has its last bytes in it, too", () => {
  const heap = newHeap(8 * MIB);
  const bytes = 7 * MIB;
  const block = heap.allocate(bytes);
  heap.u8.fill(3, block, block + bytes);
  assert.is(heap.u8[block + bytes - 1], 3);
  assert.ok(flagsAt(heap.buffer, block + bytes - 1).includes("hg"));
});

testUnless(test, reason, "memory of its own has large pages; what is discarded is zero again", () => {
  const memory = reserveOwn("test", 8 * MIB, () => "");
  assert.ok(flagsAt(memory, 4 * MIB).includes("hg"));
  const bytes = new Uint8Array(memory).fill(5);
  discardPages(memory);
  assert.is(bytes[4 * MIB], 0);
});

test.run();
