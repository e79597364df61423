/** Conveyors and groups over nodes where the heap of one node has no room: the first PE of the last node takes it. */

import { setTimeout as delay } from "node:timers/promises";
import * as assert from "uvu/assert";
import { biconveyor, conveyor, DONE, elasticBiconveyor, elasticConveyor } from "../../../src/conveyor.ts";
import { ALLOCATOR_USED, CONTROL_LINES, LINE } from "../../../src/ground/memory/heap-layout.ts";
import { f64, HeapError, type PE, type Spmd, spmd, u32 } from "../../../src/index.ts";

const MIB = 2 ** 20;
const LARGE = { bufferBytes: 1.25 * MIB, buffersPerLink: 1, maxBytes: 64 * MIB } as const;

const isRefused = (error: unknown): boolean => error instanceof HeapError;

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

async function refusals(pe: PE): Promise<void> {
  const ranks = [...Array(pe.size).keys()];
  const last = pe.nodes - 1;
  // the PEs of the last node, and of no other
  const node = pe.group(ranks.slice(pe.rank - pe.nodeRank, pe.rank - pe.nodeRank + pe.nodeSize));
  const words = new Int32Array(pe.alloc(Uint8Array, 8).buffer);
  const used = () => {
    pe.barrier();
    const now = Atomics.load(words, ALLOCATOR_USED) * LINE;
    pe.barrier();
    return now;
  };
  const rest = (words[CONTROL_LINES] * LINE - used()) / node.size - MIB / 16;
  const filler = pe.node === last ? node.alloc(Uint8Array, Math.floor(rest)) : null;
  const before = used();
  const makes = [
    () => conveyor(pe, u32, LARGE),
    () => elasticConveyor(pe, LARGE),
    () => biconveyor(pe, u32, f64, Number, LARGE),
    () => elasticBiconveyor(pe, (query) => query, LARGE),
    () => pe.group(ranks.toReversed()),
  ];
  for (const make of makes) {
    if (pe.nodeRank === pe.node) await delay(20);
    assert.throws(make, isRefused);
    assert.throws(make, isRefused);
    assert.is(used(), before, "nothing is kept");
  }
  // with other options there is room
  const small = conveyor(pe, u32, { bufferBytes: 64 });
  tryOut(pe, small);
  small.free();
  if (filler !== null) node.free(filler);
  pe.barrier();
  const group = pe.group(ranks.toReversed());
  assert.is(group.allreduce(1, "sum"), pe.size);
  const large = conveyor(pe, u32, LARGE);
  tryOut(pe, large);
  // one that others give back later; two of them have no room
  if (pe.rank !== 0) await delay(20);
  large.free();
  tryOut(pe, conveyor(pe, u32, { ...LARGE, bufferBytes: LARGE.bufferBytes + 4096 }));
}

const program: Spmd = spmd((pe, args) => {
  if (args === "refusals") return refusals(pe);
  // the last PE makes nothing
  if (pe.rank === pe.size - 1) return args === "never" ? delay(1e6) : 0;
  return void conveyor(pe, u32);
});

export default program;
