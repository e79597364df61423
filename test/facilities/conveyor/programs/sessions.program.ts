/** Sessions that begin while other PEs are still in the one before. */

import { conveyor, DONE, elasticConveyor } from "../../../../src/conveyor.ts";
import { ALLOCATOR_USED } from "../../../../src/ground/memory/heap-layout.ts";
import { type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";

/** PE 1 is complete, holds an oversized item, and ends its session only when PE 0 is dormant. */
function oversized(pe: PE): readonly number[] {
  const words = new Int32Array(pe.alloc(Uint8Array, 8).buffer);
  const used = () => {
    pe.barrier();
    const now = Atomics.load(words, ALLOCATOR_USED);
    pe.barrier();
    return now;
  };
  const c = elasticConveyor(pe, { bufferBytes: 64 });
  const before = used();
  c.begin();
  let come = 0;
  for (let sent = pe.rank > 0; c.advance(sent) !== DONE; ) {
    sent ||= c.push(1, new Uint8Array(100_000).fill(7));
    // another pull would give the item back
    if (come === 0 && c.pull()) come++;
  }
  if (pe.rank === 0) c.reset();
  const held = used();
  const kept = pe.rank === 1 ? c.bytes.filter((byte) => byte === 7).length : 100_000;
  if (pe.rank === 1) c.reset();
  return [held - before, kept, used() - before];
}

/** PE 0 is in the next session while PE 1 has not ended this one. */
function ahead(pe: PE): readonly unknown[] {
  const c = conveyor(pe, u32, { buffersPerLink: 1, bufferBytes: 64 }).begin();
  while (c.advance(true));
  const states: unknown[] = [];
  if (pe.rank === 0) {
    c.reset();
    c.begin();
    // there is room as soon as PE 1 is complete
    while (!c.push(1, 5)) c.advance();
    for (let i = 0; i < 100; i++) c.advance(true);
    states.push(c.state);
  }
  pe.barrier();
  if (pe.rank === 1) {
    states.push(c.state, c.pull());
    c.reset();
    c.begin();
  }
  let sum = 0;
  while (c.advance(true)) while (c.pull()) sum += c.item;
  c.reset();
  return [...states, sum];
}

/** PE 0 frees the conveyor while PE 1 still reads what it has sent; another one takes no memory of it. */
function freed(pe: PE): number {
  const c = conveyor(pe, u32, { bufferBytes: 4096 }).begin();
  let i = 0;
  while (i < 1000 && c.push(1, 1)) i++;
  let sum = 0;
  while (c.advance(true)) {
    if (pe.rank === 1) while (c.pull()) sum += c.item;
  }
  if (pe.rank === 0) c.free();
  const d = conveyor(pe, u32, { bufferBytes: 4096, lossy: true }).begin();
  while (d.push(1, 100));
  pe.barrier();
  if (pe.rank === 1) c.free();
  while (d.advance(true)) while (d.pull()) sum += d.item === 100 ? 0 : 1e6;
  d.free();
  return sum;
}

const program: Spmd = spmd((pe) => [oversized(pe), ahead(pe), freed(pe)]);
export default program;
