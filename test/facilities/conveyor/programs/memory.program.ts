/** How much of the heap conveyors take, and give back. Allocations are counted as the heap counts them. */

import * as assert from "uvu/assert";
import { biconveyor, conveyor, DONE, elasticConveyor } from "../../../../src/conveyor.ts";
import { ALLOCATOR_PEAK, ALLOCATOR_USED, LINE } from "../../../../src/ground/memory/heap-layout.ts";
import { bytes, type PE, type Spmd, spmd, u32, u64 } from "../../../../src/index.ts";

export type Part = "made and freed" | "no growth" | "budget" | "oversized" | "item by item";

/** Bytes in use, and at most, when all PEs have come to this point. */
function heapNow(pe: PE, words: Int32Array): { readonly used: number; readonly peak: number } {
  pe.barrier();
  const used = Atomics.load(words, ALLOCATOR_USED) * LINE;
  const peak = Atomics.load(words, ALLOCATOR_PEAK) * LINE;
  pe.barrier();
  return { used, peak };
}

const parts: Record<Part, (pe: PE, words: Int32Array) => void> = {
  "made and freed"(pe, words) {
    const { used } = heapNow(pe, words);
    for (let i = 0; i < 300; i++) {
      const options = { bufferBytes: 128, hops: 2, groupSize: 2 } as const;
      const c = i % 3 === 0 ? elasticConveyor(pe, options) : conveyor(pe, u32, options);
      // freed when dormant; when it is complete; after a session
      if (i % 25 === 0) {
        c.begin();
        while (c.advance(true) !== DONE) c.pull();
        if (i % 50 === 0) c.reset();
      }
      c.free();
      if (i % 20 === 0) biconveyor(pe, u32, u64, BigInt, options).free();
    }
    assert.is(heapNow(pe, words).used, used);
  },

  "no growth"(pe, words) {
    const c = conveyor(pe, u32, { bufferBytes: 256, hops: 2, groupSize: 2, compress: true });
    const { used, peak } = heapNow(pe, words);
    for (let k = 0; k < 20; k++) {
      c.begin(k % 2 === 0 ? u32 : bytes(24));
      const push = c.push.bind(c) as (dest: number, value: unknown) => boolean;
      const value = k % 2 === 0 ? 7 : new Uint8Array(24);
      for (let i = 0; c.advance(i === 500) !== DONE; ) {
        for (; i < 500 && push(i % pe.size, value); i++);
        while (c.pull());
      }
      c.reset();
    }
    assert.equal(heapNow(pe, words), { used, peak });
    c.free();
  },

  budget(pe, words) {
    for (const maxBytes of [20_000, 50_000, 200_000, 1e6]) {
      for (const more of [
        {},
        { hops: 2, groupSize: 2 },
        { type: "simple" },
        { buffersPerLink: 4 },
        { hops: 2, groupSize: 2, compress: true },
      ] as const) {
        const before = heapNow(pe, words);
        const c = conveyor(pe, u64, { ...more, maxBytes });
        const made = heapNow(pe, words).used - before.used;
        assert.ok(
          made <= pe.size * maxBytes,
          `${made} bytes for ${pe.size} PEs with ${maxBytes}: ${JSON.stringify(more)}`,
        );
        // and it is made use of
        if (maxBytes === 50_000) assert.ok(made > (pe.size * maxBytes) / 4, `${made} bytes: ${JSON.stringify(more)}`);
        c.free();
        assert.is(heapNow(pe, words).used, before.used);
        const pair = biconveyor(pe, u64, u64, (x) => x, { ...more, maxBytes });
        assert.ok(heapNow(pe, words).used - before.used <= pe.size * maxBytes);
        pair.free();
      }
    }
    for (const type of ["tensor", "simple", "trivial"] as const) {
      assert.throws(() => conveyor(pe, bytes(1000), { type, maxBytes: 2000 }), /maxBytes: expected at least \d+/);
    }
    heapNow(pe, words);
  },

  oversized(pe, words) {
    const maxBytes = 100_000;
    const { used } = heapNow(pe, words);
    const c = elasticConveyor(pe, { maxBytes, bufferBytes: 1024 });
    const next = (pe.rank + 1) % pe.size;
    const size = 20_000;
    let most = 0;
    c.begin();
    for (let i = 0; c.advance(i === 100) !== DONE; ) {
      for (; i < 100 && c.push(next, new Uint8Array(size)); i++) {
        most = Math.max(most, Atomics.load(words, ALLOCATOR_USED) * LINE - used);
      }
      while (c.pull());
    }
    assert.ok(most <= pe.size * maxBytes, `${most} bytes for ${pe.size} PEs with ${maxBytes}`);
    assert.ok(most > 2 * size, `${most} bytes`);
    // one that is larger than the budget goes alone
    c.reset();
    c.begin();
    for (let i = 0; c.advance(i === 5) !== DONE; ) {
      for (; i < 5 && c.push(next, new Uint8Array(2 * maxBytes)); i++);
      while (c.pull());
    }
    // whoever frees first leaves his last oversized items to those who look at them still
    c.free();
    assert.is(heapNow(pe, words).used, used);
  },

  /** What the collector sees: a million items leave nothing behind. */
  "item by item"(pe) {
    const c = conveyor(pe, u32, { bufferBytes: 4096 });
    const session = (count: number) => {
      c.begin();
      let sum = 0;
      for (let i = 0; c.advance(i === count) !== DONE; ) {
        for (; i < count && c.push(i % pe.size, i); i++);
        while (c.pull()) sum += c.item;
      }
      c.reset();
      return sum;
    };
    session(100_000);
    const { gc } = globalThis as { gc?: () => void };
    gc?.();
    const before = process.memoryUsage().arrayBuffers;
    session(300_000);
    assert.ok(process.memoryUsage().arrayBuffers - before < 1e6);
  },
};

const program: Spmd = spmd((pe, args) => {
  // any array of the PE lies in the heap
  const words = new Int32Array(pe.alloc(Uint8Array, 8).buffer);
  for (const part of args as readonly Part[]) {
    try {
      parts[part](pe, words);
    } catch (error) {
      (error as Error).message = `${part}: ${(error as Error).message}`;
      throw error;
    }
  }
});

export default program;
