/** Conveyors, biconveyors and groups of two PEs in a heap that has room for one of them, or for none. */

import { setTimeout as delay } from "node:timers/promises";
import * as assert from "uvu/assert";
import { biconveyor, conveyor, DONE, elasticBiconveyor, elasticConveyor, selector } from "../../../../src/conveyor.ts";
import { ALLOCATOR_USED, LINE } from "../../../../src/ground/memory/heap-layout.ts";
import { bytes, f64, HeapError, type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";

const MIB = 2 ** 20;
/** Two PEs have eight such buffers for a conveyor, and some KiB. */
const LARGE = { bufferBytes: 3 * MIB, buffersPerLink: 1, maxBytes: 64 * MIB } as const;
/** Fits nowhere. */
const HUGE = { ...LARGE, bufferBytes: 6 * MIB, maxBytes: 128 * MIB } as const;

interface Place {
  readonly pe: PE;
  readonly words: Int32Array;
}

/** Bytes in use, when all have come to this point. */
function used({ pe, words }: Place): number {
  pe.barrier();
  const now = Atomics.load(words, ALLOCATOR_USED) * LINE;
  pe.barrier();
  return now;
}

/** A session in which each PE sends a number to all. */
function tryOut(pe: PE, c: ReturnType<typeof conveyor<typeof u32>>): void {
  let sum = 0;
  c.begin();
  for (let i = 0; c.advance(i === pe.size) !== DONE; ) {
    for (; i < pe.size && c.push(i, pe.rank + 1); i++);
    while (c.pull()) sum += c.item;
  }
  c.reset();
  assert.is(sum, (pe.size * (pe.size + 1)) / 2);
}

const isRefused = (error: unknown): boolean => error instanceof HeapError;

/** PE 1 comes later than PE 0, as a rule after it has looked for room. */
const lag = async (pe: PE): Promise<void> => {
  if (pe.rank === 1) await delay(30);
};

const parts: Record<string, (place: Place) => unknown> = {
  /** A PE that is done has the room of its items again, but for the last one, which its receiver may keep. */
  "oversized items after their session"({ pe }) {
    const item = new Uint8Array(14 * MIB);
    // two that are kept: one that is made anew may take the room that an item has given back
    const [one, other] = [elasticConveyor(pe), elasticConveyor(pe)];
    /** PE 1 pulls when its buffers have been there for a while. */
    const send = (c: typeof one, count: number): number => {
      let pulled = 0;
      c.begin();
      for (let i = pe.rank === 0 ? 0 : count; c.advance(i === count) !== DONE; ) {
        while (i < count && c.push(1, item)) i++;
        const begun = performance.now();
        while (pe.rank === 1 && performance.now() - begun < 20);
        if (c.pull()) pulled++;
      }
      c.reset();
      return pulled;
    };
    for (let round = 0; round < 3; round++) {
      pe.barrier();
      assert.is(send(one, 2), 2 * pe.rank);
      assert.is(send(other, 1), pe.rank);
    }
    one.free();
    other.free();
  },
  /** A heap holds one of the items only. */
  "items as large as the heap"({ pe }) {
    const item = new Uint8Array(24 * MIB).fill(7);
    const c = elasticConveyor(pe);
    let pulled = 0;
    for (let session = 0; session < 6; session++) {
      c.begin();
      for (let i = 0; c.advance(i === 1) !== DONE; ) {
        if (i === 0 && c.push(1 - pe.rank, item)) i++;
        while (c.pull()) pulled += c.bytes.length;
      }
      c.reset();
    }
    c.free();
    assert.is(pulled, 6 * item.length);
  },

  /** Looked at by its receiver until the end of the session, and no longer. */
  "an item that was pulled last, and lies apart"(place) {
    const { pe } = place;
    const start = used(place);
    const c = elasticConveyor(pe);
    const before = used(place);
    const session = () => {
      c.begin();
      let pulled = 0;
      for (let i = 0; c.advance(i === 1) !== DONE; ) {
        if (i === 0 && c.push(1 - pe.rank, new Uint8Array(MIB))) i++;
        if (pulled === 0 && c.pull()) pulled++;
      }
      assert.is(pulled, 1);
      assert.is(c.bytes.length, MIB);
    };
    session();
    c.reset();
    assert.is(used(place), before);
    session();
    c.free();
    assert.is(used(place), start);
  },

  async "room that another PE gives back later"({ pe }) {
    const a = conveyor(pe, u32, LARGE);
    tryOut(pe, a);
    await lag(pe);
    a.free();
    const b = conveyor(pe, u32, LARGE);
    tryOut(pe, b);
    await lag(pe);
    b.free();
    const pair = biconveyor(pe, u32, f64, Number, { ...LARGE, bufferBytes: LARGE.bufferBytes / 2 });
    await lag(pe);
    pair.free();
  },

  async "no room: all are told, nothing has changed, and the next one works"(place) {
    const { pe } = place;
    const before = used(place);
    const group = pe.group([1, 0]);
    for (const make of [
      () => conveyor(pe, u32, HUGE),
      () => conveyor(group, u32, HUGE),
      () => elasticConveyor(pe, HUGE),
      () => biconveyor(pe, u32, bytes(8), () => new Uint8Array(8), LARGE),
      () => elasticBiconveyor(pe, (query) => query, LARGE),
      () => selector(pe, { ask: u32, reply: u32 }, LARGE),
    ]) {
      await lag(pe);
      assert.throws(make, isRefused);
      assert.throws(make, isRefused);
      const c = conveyor(pe, u32, LARGE);
      tryOut(pe, c);
      c.free();
    }
    assert.throws(() => biconveyor(pe, u32, f64, null as never), /expected a function/);
    assert.throws(() => biconveyor<typeof u32, typeof f64>(pe, u32, null as never, Number), /expected an item type/);
    group.leave();
    assert.is(used(place), before);
  },

  async "groups, too"(place) {
    const { pe } = place;
    const before = used(place);
    const first = pe.group([0, 1]);
    const each = used(place) - before;
    const rest = (pe.alloc(Uint8Array, 128).buffer.byteLength - used(place) - 8 * LINE - each / 2) / pe.size;
    const full = pe.alloc(Uint8Array, Math.floor(rest / LINE) * LINE - LINE);
    await lag(pe);
    first.leave();
    const second = pe.group([1, 0]);
    second.barrier();
    await lag(pe);
    for (let i = 0; i < 3; i++) assert.throws(() => pe.group([0, 1]), isRefused);
    assert.throws(() => conveyor(second, u32, LARGE), isRefused);
    pe.free(full);
    const third = pe.group([0, 1]);
    third.barrier();
    for (const group of [second, third]) group.leave();
  },
};

const program: Spmd = spmd(async (pe, args) => {
  if (args === "all") {
    // any array of the PE lies in the heap
    const words = new Int32Array(pe.alloc(Uint8Array, 8).buffer);
    for (const part of Object.values(parts)) {
      pe.barrier();
      await part({ pe, words });
    }
    return;
  }
  // what is awaited at PE 0 never comes; it waits for nothing else
  const a = conveyor(pe, u32, LARGE);
  if (pe.rank === 1) return args === "never" ? delay(1e6) : 0;
  a.free();
  conveyor(pe, u32, LARGE);
});

export default program;
