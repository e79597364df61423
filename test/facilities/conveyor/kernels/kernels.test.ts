/** The kernels of conveyors by themselves, for items of every size, against plain loops. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { conveyorKernels } from "../../../../src/facilities/conveyor/kernels/kernels.ts";
import { viewsOf } from "../../../../src/ground/item/views.ts";
import { type WasmMemory, wasm } from "../../../../src/ground/memory/kernels/webassembly.ts";
import { linkTables, tableBytes } from "../../../../src/route/geometry/link-table.ts";

const memory: WasmMemory = new wasm.Memory({ initial: 16, maximum: 16, shared: true });
const kernels = conveyorKernels(memory);
const views = viewsOf(memory.buffer);
const { u8, u32 } = views;

/** Byte offsets. */
const TABLE = 1024;
const ROUTES = 4096;
const WORD = 8192;
const DESTS = 16_384;
const ROWS = 65_536;
const BUFFERS = 2 ** 19;
/** Bytes of the buffer of a link; its items begin in its first quarter, its tags end there. */
const BUFFER = 2 ** 15;
const BASE = BUFFER / 4;

/** Sizes of items: those with a loop of their own, their neighbours, and some larger ones. */
const STRIDES = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 32, 33, 40, 64, 100, 128, 511, 512, 600];

/** The link of an item, and its tag. */
interface Place {
  readonly link: number;
  readonly tag: number;
}

/** The open buffers of some links, with room for so many items, and the same as plain arrays. */
class Links {
  readonly stride: number;
  readonly room: number;
  /** Of the tags. */
  readonly width: number;
  readonly tables: ReturnType<typeof linkTables>[number];
  readonly items: Uint8Array[][];
  readonly tags: number[][];

  constructor(links: number, stride: number, room: number, width = 0) {
    this.stride = stride;
    this.width = width;
    this.room = room;
    const [table] = linkTables(views, TABLE, [links]);
    assert.ok(tableBytes(links) <= ROUTES - TABLE);
    this.tables = table;
    this.items = Array.from({ length: links }, () => []);
    this.tags = Array.from({ length: links }, () => []);
    for (let link = 0; link < links; link++) {
      const base = BUFFERS + link * BUFFER + BASE;
      u8.fill(0xee, base - BASE, base - BASE + BUFFER);
      table.at[link] = base;
      table.end[link] = base + room * stride;
      table.tagAt[link] = base - width;
    }
  }

  /** How many of `count` items go, one after another: up to one that fills its link, or that has no room. */
  take(count: number, placeOf: (i: number) => Place, itemAt: (i: number) => number): number {
    for (let i = 0; i < count; i++) {
      const { link, tag } = placeOf(i);
      if (this.items[link].length === this.room) return i;
      this.items[link].push(u8.slice(itemAt(i), itemAt(i) + this.stride));
      this.tags[link].push(tag);
      if (this.items[link].length === this.room) return i + 1;
    }
    return count;
  }

  check(): void {
    const { width } = this;
    for (const [link, items] of this.items.entries()) {
      const base = BUFFERS + link * BUFFER + BASE;
      const end = base + items.length * this.stride;
      assert.is(this.tables.at[link], end);
      assert.equal(
        items.map((_, i) => u8.slice(base + i * this.stride, base + (i + 1) * this.stride)),
        items,
      );
      // nothing behind the last item, nothing below the last tag
      assert.is(u8[end], 0xee);
      if (width === 0) continue;
      const view = width === 1 ? u8 : width === 2 ? views.u16 : u32;
      assert.is(this.tables.tagAt[link], base - (items.length + 1) * width);
      assert.equal(
        items.map((_, i) => view[base / width - 1 - i]),
        this.tags[link],
      );
      assert.is(u8[base - items.length * width - 1], 0xee);
    }
  }
}

const scene = fc.record({
  stride: fc.constantFrom(...STRIDES),
  links: fc.integer({ min: 1, max: 9 }),
  room: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 12, max: 40 })),
  count: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 40, max: 200 })),
  seed: fc.integer({ min: 1, max: 2 ** 30 }),
  width: fc.constantFrom(1, 2, 4),
  next: fc.constantFrom(1, 2, 4),
});

/** Numbers below a limit, and bytes, from a seed. */
function fill(seed: number, count: number, stride: number, limit: number): Uint32Array {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 16;
  };
  for (let at = ROWS; at < ROWS + count * stride; at++) u8[at] = random();
  return Uint32Array.from({ length: count }, () => random() % limit);
}

const test = suite("kernels of conveyors");

test("scatter: each row to the link of its destination, in order, up to one that fills its link", () => {
  fc.assert(
    fc.property(scene, ({ stride, links, room, count, seed }) => {
      const dests = fill(seed, count, stride, links);
      u32.set(dests, DESTS / 4);
      const to = new Links(links, stride, room);
      const want = to.take(
        count,
        (i) => ({ link: dests[i], tag: 0 }),
        (i) => ROWS + i * stride,
      );
      assert.is(kernels.scatter(DESTS, ROWS, 0, count, stride, links, TABLE, links), want);
      to.check();
    }),
  );
});

test("scatter: stops at a destination that is none, and goes on from any row", () => {
  const dests = Uint32Array.of(0, 1, 2, 1, 0);
  fill(7, 5, 8, 3);
  u32.set(dests, DESTS / 4);
  const to = new Links(2, 8, 10);
  assert.is(kernels.scatter(DESTS, ROWS, 1, 5, 8, 2, TABLE, 2), 2);
  assert.is(kernels.scatter(DESTS, ROWS, 2, 5, 8, 2, TABLE, 2), 2);
  assert.is(kernels.scatter(DESTS, ROWS, 3, 5, 8, 2, TABLE, 2), 5);
  // the address of a row 0 that does not exist may lie before the memory
  assert.is(kernels.scatter(DESTS - 400, ROWS - 8 * 200_000, 100, 100, 8, 2, TABLE, 2), 100);
  to.items[1].push(u8.slice(ROWS + 8, ROWS + 16), u8.slice(ROWS + 24, ROWS + 32));
  to.items[0].push(u8.slice(ROWS + 32, ROWS + 40));
  to.check();
});

test("scatter: stops at a destination that is none, wherever it is among those with room", () => {
  for (let wrong = 0; wrong < 24; wrong++) {
    const dests = fill(wrong + 1, 24, 8, 2);
    const to = new Links(2, 8, 40);
    to.take(
      wrong,
      (i) => ({ link: dests[i], tag: 0 }),
      (i) => ROWS + i * 8,
    );
    dests[wrong] = 2 ** 31 * (wrong % 2) + 2;
    u32.set(dests, DESTS / 4);
    assert.is(kernels.scatter(DESTS, ROWS, 0, 24, 8, 2, TABLE, 2), wrong);
    to.check();
  }
});

test("scatterTagged: by routes, with the tag of the destination", () => {
  fc.assert(
    fc.property(scene, ({ stride, links, room, count, seed, width }) => {
      const size = 3 * links;
      const dests = fill(seed, count, stride, size);
      u32.set(dests, DESTS / 4);
      const place = (dest: number): Place => ({
        link: dest % links,
        tag: (dest * 37) % 2 ** Math.min(31, 8 * width),
      });
      for (let dest = 0; dest < size; dest++) {
        u32[ROUTES / 4 + dest] = place(dest).link;
        u32[ROUTES / 4 + size + dest] = place(dest).tag;
      }
      const to = new Links(links, stride, room, width);
      const want = to.take(
        count,
        (i) => place(dests[i]),
        (i) => ROWS + i * stride,
      );
      const got = kernels.scatterTagged(DESTS, ROWS, 0, count, stride, size, TABLE, links, ROUTES, width);
      assert.is(got, want);
      to.check();
    }),
  );
});

test("pivot: items to the link that their tag says, with the tag of the next hop", () => {
  fc.assert(
    fc.property(scene, ({ stride, links, room, count, seed, width, next }) => {
      const numbers = fill(seed, count, stride, links);
      // tags lie below their base, the first one right below it
      const base = DESTS + 4096;
      const view = width === 1 ? u8 : width === 2 ? views.u16 : u32;
      for (const [i, link] of numbers.entries()) view[base / width - 1 - i] = link | ((i % 4) << 4);
      const mark = 5 << 4;
      const to = new Links(links, stride, room, next);
      const want = to.take(
        count,
        (i) => ({ link: numbers[i], tag: mark | (i % 4) }),
        (i) => ROWS + i * stride,
      );
      const widths = width | (next << 8);
      const left = kernels.pivot(ROWS, base, count, stride, widths, mark, 0, 15, 4, 3, TABLE, links, WORD);
      assert.is(left, count - want);
      to.check();
      // the link that is full
      const full = u32[WORD / 4];
      if (left > 0) assert.is(to.tables.at[full], to.tables.end[full]);
    }),
  );
});

test("gather and weave: fields of every width, out of items and into them", () => {
  for (const bytes of [1, 2, 3, 4, 8, 12, 16, 40]) {
    for (const stride of [bytes, bytes + 1, 64]) {
      for (const count of [0, 1, 3, 4, 5, 9]) {
        fill(count + 1, count, stride, 1);
        u8.fill(0xee, DESTS, DESTS + count * bytes + 1);
        kernels.gather(DESTS, ROWS, bytes, stride, count);
        for (let i = 0; i < count; i++) {
          const want = u8.slice(ROWS + i * stride, ROWS + i * stride + bytes);
          assert.equal(u8.slice(DESTS + i * bytes, DESTS + (i + 1) * bytes), want);
        }
        assert.is(u8[DESTS + count * bytes], 0xee);
        u8.fill(0xee, BUFFERS, BUFFERS + (count + 1) * stride);
        kernels.weave(BUFFERS, DESTS, bytes, stride, count);
        for (let i = 0; i < count; i++) {
          const want = u8.slice(ROWS + i * stride, ROWS + i * stride + bytes);
          assert.equal(u8.slice(BUFFERS + i * stride, BUFFERS + i * stride + bytes), want);
          if (stride > bytes) assert.is(u8[BUFFERS + i * stride + bytes], 0xee);
        }
      }
    }
  }
});

test("gatherPair and weavePair: as two fields side by side, one by one", () => {
  for (const bytes of [4, 8]) {
    for (const stride of [2 * bytes, 2 * bytes + 3, 64]) {
      for (const count of [0, 1, 2, 5, 8]) {
        fill(count + 1, count, stride, 1);
        const [a, b] = [DESTS, DESTS + 4096];
        u8.fill(0xee, DESTS, DESTS + 8192);
        kernels.gatherPair(a, b, ROWS, bytes, stride, count);
        for (let i = 0; i < count; i++) {
          const item = ROWS + i * stride;
          assert.equal(u8.slice(a + i * bytes, a + (i + 1) * bytes), u8.slice(item, item + bytes));
          assert.equal(u8.slice(b + i * bytes, b + (i + 1) * bytes), u8.slice(item + bytes, item + 2 * bytes));
        }
        assert.is(u8[a + count * bytes], 0xee);
        assert.is(u8[b + count * bytes], 0xee);
        u8.fill(0xee, BUFFERS, BUFFERS + (count + 1) * stride);
        kernels.weavePair(BUFFERS, a, b, bytes, stride, count);
        for (let i = 0; i < count; i++) {
          const [from, to] = [ROWS + i * stride, BUFFERS + i * stride];
          assert.equal(u8.slice(to, to + 2 * bytes), u8.slice(from, from + 2 * bytes));
          if (stride > 2 * bytes) assert.is(u8[to + 2 * bytes], 0xee);
        }
      }
    }
  }
});

test.run();
