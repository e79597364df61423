/**
 * The steps of a push, one by one: what others see of it before it reserves, while it writes, and who is woken when it
 * is complete.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type AppendBuffer, makeBuffer } from "../../../src/facilities/append/append-buffer.ts";
import { answering } from "../../../src/facilities/append/by-conveyor.ts";
import { BYTE } from "../../../src/facilities/append/errors.ts";
import { appendKernels } from "../../../src/facilities/append/kernels/kernels.ts";
import {
  COUNTS,
  headBytes,
  ORDERS,
  partPlaces,
  STAGE_BYTES,
  TRUNCATES,
} from "../../../src/facilities/append/layout.ts";
import { BufferRegion } from "../../../src/facilities/append/region.ts";
import { LINE } from "../../../src/ground/memory/heap-layout.ts";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";
import type { Seat } from "../../../src/pe/seat.ts";

const test = suite("append: steps");
const LENGTH = 4096;
const OWNER = 0;
const WRITER = 1;

/** Two PEs with their buffers in one heap. */
function made() {
  const heap = newHeap(2 ** 20);
  const places = partPlaces([LENGTH, LENGTH], 2);
  const at = heap.allocate(places.at(-1) as number);
  const parts = [0, 1].map((pe) => ({ at: at + (places[pe] as number), length: LENGTH }));
  const regions = [OWNER, WRITER].map((pe) => new BufferRegion(heap, parts, pe, "error", true));
  return { heap, parts, owner: regions[OWNER] as BufferRegion, writer: regions[WRITER] as BufferRegion };
}

const kinds: [name: string, reserve: (k: ReturnType<typeof appendKernels>, ...at: number[]) => number][] = [
  ["reserve", (k, control = 0, slot = 0) => k.reserve(control, slot, LENGTH, 10)],
  ["reserveAny", (k, control = 0, slot = 0) => k.reserveAny(control, slot, 10)],
  ...[0, TRUNCATES, COUNTS, TRUNCATES | COUNTS | ORDERS].map(
    (flags) =>
      [
        `push, flags ${flags}`,
        (k: ReturnType<typeof appendKernels>, control = 0, slot = 0, start = 0) =>
          k.push(control, slot, start, LENGTH, 10, flags),
      ] as (typeof kinds)[number],
  ),
];
for (const [name, call] of kinds) {
  test(`${name}: a writer says that it begins before it reserves`, () => {
    const { heap, parts, owner } = made();
    const slot = (parts[OWNER] as { at: number }).at + (1 + WRITER) * LINE;
    // the reservation fails, as its counter lies behind the memory: what the writer has done before is there
    assert.throws(() => call(appendKernels(heap.memory), heap.buffer.byteLength, slot, 0), /out of bounds/);
    assert.equal(owner.pending(), [{ writer: WRITER, bytes: 10 }]);
    assert.is(owner.offset, 0);
  });
}

for (const flags of [0, COUNTS, ORDERS, TRUNCATES]) {
  test(`push, flags ${flags}: it is complete after the copy, not before`, () => {
    const { heap, parts, owner } = made();
    const { at } = parts[OWNER] as { at: number };
    const slot = at + (1 + WRITER) * LINE;
    const k = appendKernels(heap.memory);
    k.push(at, slot, at + headBytes(2), LENGTH, 7, flags);
    // the copy fails, as the buffer lies behind the memory
    const behind = heap.buffer.byteLength;
    assert.throws(() => k.push(at, slot, behind, LENGTH, 10, flags), /out of bounds/);
    assert.equal(owner.pending(), [{ writer: WRITER, bytes: 10 }]);
    assert.equal([owner.offset, owner.completed], [17, 7]);
    assert.is(owner.messages, (flags & COUNTS) === 0 ? 0 : 1);
  });
}

test("an owner that waits tells each writer", () => {
  const { heap, owner, writer } = made();
  for (const isWaiting of [true, false]) {
    owner.await(isWaiting);
    for (const region of [owner, writer]) assert.is(heap.i32[region.awaited(OWNER)], isWaiting ? 1 : 0);
    for (const region of [owner, writer]) assert.is(heap.i32[region.awaited(WRITER)], 0);
  }
});

/** A writer's buffer, and of each call of its seat that wakes: whom, by which word, and what the owner sees then. */
function spied(step?: Seat["step"]) {
  const { heap, owner, writer } = made();
  const woken: unknown[] = [];
  const seat = {
    ...{ rank: WRITER, size: 2, members: [0, 1], heap, step, waiter: { mayBlock: true } },
    posted: (rank: number, awaited: number) =>
      woken.push([rank, awaited === writer.awaited(OWNER), owner.completed, owner.messages]),
    checkGroup() {},
  } as unknown as Seat;
  const near = [OWNER, WRITER];
  const buffers = { lengths: [LENGTH, LENGTH], name: "", members: [0, 1], unit: BYTE };
  const a = makeBuffer({
    ...{ seat, own: writer, region: writer, near, buffers, counting: true, free() {}, remote: null },
  });
  return { a, woken };
}

/** Sizes on both sides of what one kernel does alone. */
const sizes = [0, 1, STAGE_BYTES - 1, STAGE_BYTES, STAGE_BYTES + 1, 1000];
const ways: readonly [name: string, push: (a: AppendBuffer, data: Uint8Array) => unknown][] = [
  ["push", (a, data) => a.push(OWNER, data)],
  ["push of another view", (a, data) => a.push(OWNER, new DataView(data.buffer))],
  ["pushStart", (a, data) => a.pushStart(OWNER, data)],
  ["pushAsync", (a, data) => a.pushAsync(OWNER, data)],
];
for (const hasSteps of [false, true]) {
  for (const [name, push] of ways) {
    test(`${name}${hasSteps ? ", by steps" : ""}: the owner is woken when it is complete, once`, async () => {
      const { a, woken } = spied(hasSteps ? async () => {} : undefined);
      let bytes = 0;
      for (const [i, size] of sizes.entries()) {
        await push(a, new Uint8Array(size));
        bytes += size;
        assert.equal(woken.splice(0), [[OWNER, true, bytes, i + 1]], `${size} bytes`);
      }
    });
  }
}

test("a push amid another one by steps: the owner is woken for each", async () => {
  const { a, woken } = spied(async () => {
    if (woken.length === 0) a.push(OWNER, new Uint8Array(5));
  });
  await a.pushAsync(OWNER, new Uint8Array(100));
  assert.is(woken.length, 2);
});

test("what comes from another node: the owner is woken when it is complete", () => {
  const { heap, owner } = made();
  const seen: unknown[] = [];
  const query = heap.u8.subarray(64, 164);
  answering(owner, OWNER, () => seen.push([owner.completed, owner.messages]))(query);
  assert.equal(seen, [[100, 1]]);
});

test.run();
