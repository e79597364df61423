/** What PEs of nodes that have mapped each other's heaps find, or do not find, where they have not. */

import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { conveyor, DONE, elasticConveyor } from "../../../src/conveyor.ts";
import { f64, type PE, type Spmd, spmd } from "../../../src/index.ts";

const MIB = 2 ** 20;

/** Number of heaps that are mapped in this process. */
const mapped = (): number =>
  readFileSync("/proc/self/maps", "utf8")
    .split("\n")
    .filter((line) => line.includes("memfd:tundish")).length;

/** A session with `count` items for each PE; the last ones are checked. */
function session(pe: PE, c: ReturnType<typeof conveyor<typeof f64>>, count: number): void {
  let sum = 0;
  let come = 0;
  c.begin();
  for (let i = 0; c.advance(i === count * pe.size) !== DONE; ) {
    for (; i < count * pe.size && c.push(i % pe.size, i); i++);
    for (; c.pull(); come++) sum += c.item;
  }
  c.reset();
  assert.is(come, count * pe.size);
  let expected = 0;
  for (let i = pe.rank; i < count * pe.size; i += pe.size) expected += i;
  assert.is(sum, pe.size * expected);
}

/**
 * Oversized items from PE 0 to PE 3, which with three hops has no link to PE 0's node: some, and then one that is larger than
 * the heap. Gives the code of its error.
 */
function oversized(pe: PE): string {
  // for the sender time passes ten times as fast: it waits for room for a while, in which all PEs look for items
  if (pe.rank === 0) Object.assign(globalThis, { timeIsFast: true });
  const c = elasticConveyor(pe, { hops: 3, bufferBytes: 256, maxBytes: 64 * MIB });
  let code = "";
  for (const [count, bytes] of [
    [3, 10_000],
    [1, 60 * MIB],
  ]) {
    let left = pe.rank === 0 ? count : 0;
    let come = 0;
    c.begin();
    while (c.advance(left === 0) !== DONE) {
      try {
        while (left > 0 && c.push(3, new Uint8Array(bytes).fill(left))) left--;
      } catch (error) {
        code = (error as { code?: string }).code ?? String(error);
        left = 0;
      }
      for (; c.pull(); come++) assert.equal([c.bytes.length, c.bytes[bytes - 1]], [bytes, count - come]);
    }
    c.reset();
    assert.is(come, pe.rank === 3 && count === 3 ? 3 : 0);
  }
  c.free();
  return code;
}

const main: Spmd = spmd((pe: PE, args: unknown): number | string => {
  if (args === "oversized") return oversized(pe);
  const found = mapped();
  for (let i = 0; i < 100; i++) {
    assert.is(pe.allreduce(i + pe.rank, "sum"), i * pe.size + (pe.size * (pe.size - 1)) / 2);
    assert.is(pe.broadcast(i + pe.rank, i % pe.size), i + (i % pe.size));
  }
  for (const hops of [1, 2] as const) {
    const c = conveyor(pe, f64, { hops, bufferBytes: 512 });
    for (const count of [0, 1, 5000]) session(pe, c, count);
    c.free();
  }
  if (args !== "tight") return found;
  // each takes most of the heap: it can be made only if the one before has been given back, by whoever used it last
  for (let i = 0; i < 20; i++) {
    const c = conveyor(pe, f64, { bufferBytes: 2.5 * MIB, buffersPerLink: 1, maxBytes: 64 * MIB });
    session(pe, c, 3);
    c.free();
  }
  return found;
});

export default main;
