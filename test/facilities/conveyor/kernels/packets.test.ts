/** The kernels of packets where memory ends: nothing behind the last buffer is written, nothing behind the memory is read. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { conveyorKernels } from "../../../../src/facilities/conveyor/kernels/kernels.ts";
import { viewsOf } from "../../../../src/ground/item/views.ts";
import { type WasmMemory, wasm } from "../../../../src/ground/memory/kernels/webassembly.ts";
import { linkTables } from "../../../../src/route/geometry/link-table.ts";

const memory: WasmMemory = new wasm.Memory({ initial: 1, maximum: 1, shared: true });
const kernels = conveyorKernels(memory);
const views = viewsOf(memory.buffer);
const { u8, u32 } = views;
const END = u8.length;

/** Byte offsets. */
const TABLE = 1024;
const DESTS = 2048;
const OFFSETS = 3072;
const BUFFER = 8192;
const COLUMNS = 16_384;

const packets = suite("kernels of packets");

for (const length of [0, 1, 7, 8, 24, 31, 32, 33, 100]) {
  packets(`items of ${length} bytes, from the end of the memory and back to it`, () => {
    const count = 3;
    u8.fill(0xee);
    const bytes = END - count * length;
    for (let i = 0; i < count * length; i++) u8[bytes + i] = i & 0x7f;
    const items = u8.slice(bytes);
    u32.fill(0, DESTS / 4, DESTS / 4 + count);
    for (let i = 0; i <= count; i++) u32[OFFSETS / 4 + i] = i * length;
    const [table] = linkTables(views, TABLE, [1]);
    const size = 8 + Math.ceil(length / 8) * 8;
    const limit = BUFFER + count * size;
    table.at[0] = BUFFER;
    table.end[0] = limit;
    table.packets[0] = 0;
    const pushed = kernels.pushPackets(
      ...([DESTS, OFFSETS, bytes, 0, count, 0, count * length, 1, 1000, 0, TABLE, 1, 8] as const),
    );
    assert.equal([pushed, table.at[0], table.packets[0]], [count, limit, count]);
    assert.ok(
      u8.subarray(limit, limit + 64).every((byte) => byte === 0xee),
      "behind the buffer",
    );

    // from a buffer that ends where the memory does
    const received = END - count * size;
    u8.copyWithin(received, BUFFER, limit);
    assert.is(kernels.countPackets(received, END, 2 ** 16), count);
    const end = COLUMNS + 64 + count * length;
    const last = kernels.pullPackets(...([received, count, COLUMNS, COLUMNS + 64, end, 0, 0, 0, 0, 0] as const));
    assert.is(last, END - size);
    assert.equal([...u32.subarray(COLUMNS / 4, COLUMNS / 4 + count + 1)], [0, length, 2 * length, 3 * length]);
    assert.equal(u8.slice(COLUMNS + 64, end), items);
    assert.ok(
      u8.subarray(end, end + 64).every((byte) => byte === 0xee),
      "behind the columns",
    );
  });
}

packets("no more packets than there is room for columns, and none that holds a reference", () => {
  // three of five bytes, then one with a reference
  for (let i = 0; i < 4; i++) u32.set([0, i < 3 ? 10 : 11, 0, 0], BUFFER / 4 + 4 * i);
  const all = 4 + 3 * (8 + 5);
  for (const [room, count] of [
    [1000, 3],
    [all, 3],
    [all - 1, 2],
    [4, 0],
  ] as const) {
    assert.is(kernels.countPackets(BUFFER, BUFFER + 64, room), count);
  }
  assert.is(kernels.countPackets(BUFFER + 48, BUFFER + 64, 1000), 0);
});

packets.run();
