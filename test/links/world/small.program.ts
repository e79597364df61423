/** A little of everything that PEs do together. Small enough to run where a processor is emulated. */

import * as assert from "uvu/assert";
import { biconveyor as biconveyorOf, conveyor as conveyorOf } from "../../../src/conveyor.ts";
import { f64, type PE, type Spmd, spmd, struct, u32 } from "../../../src/index.ts";

const BARRIERS = 100;
const ELEMENTS = 1000;
const ITEMS = 2000;

/** Destination of an item: each PE sends to all, itself included. */
const destOf = (rank: number, i: number, size: number): number => (7 * rank + 3 * i + (i >> 4)) % size;
const numberOf = (rank: number, i: number): number => 10_000 * rank + i + 0.5;

/** Every PE raises its word before each barrier: after it, all have. */
function barriers(pe: PE): void {
  const count = pe.alloc(Int32Array, 1);
  for (let round = 1; round <= BARRIERS; round++) {
    count[0] = round;
    pe.barrier();
    assert.is(pe.allreduce(count[0], "min"), round);
  }
}

async function collectives(pe: PE): Promise<void> {
  const { rank, size } = pe;
  const ranks = Array.from({ length: size }, (_, other) => other);
  const total = ranks.reduce((sum, other) => sum + other + 1, 0);
  for (const root of ranks) {
    for (const array of [new Float64Array(ELEMENTS), pe.alloc(Float64Array, ELEMENTS)]) {
      pe.broadcast(array.fill(rank + 1), root);
      assert.ok(array.every((x) => x === root + 1));
      pe.allreduce(array.fill(rank + 1), "sum");
      assert.ok(array.every((x) => x === total));
    }
    assert.equal(pe.broadcast(rank === root ? { root } : undefined, root), { root });
    assert.is(pe.reduce(rank + 1, "sum", root), rank === root ? total : undefined);
    assert.equal(pe.gather(`${rank}`, root), rank === root ? ranks.map(String) : undefined);
  }
  assert.is(pe.scan(1, "sum"), rank + 1);
  assert.equal(
    [...pe.allgather(Int32Array.of(rank, -rank))],
    ranks.flatMap((other) => [other, -other]),
  );
  assert.equal(
    [...pe.alltoall(Int32Array.from(ranks, (to) => 100 * rank + to))],
    ranks.map((from) => 100 * from + rank),
  );
  const [sum, most] = await Promise.all([pe.allreduceAsync(rank + 1, "sum"), pe.allreduceAsync(rank, "max")]);
  assert.equal([sum, most], [total, size - 1]);
}

/** Every item arrives once, and items of one sender in order. Gives how many came, over all PEs. */
function conveyor(pe: PE, hops: 1 | 2): number {
  const { rank, size } = pe;
  const c = conveyorOf(pe, struct({ index: u32, value: f64 }), { hops, bufferBytes: 256 });
  const expected = Array.from({ length: size }, (_, from) =>
    Array.from({ length: ITEMS }, (_, i) => i).filter((i) => destOf(from, i, size) === rank),
  );
  let pulled = 0;
  for (let session = 0; session < 2; session++) {
    const next = new Int32Array(size);
    let i = 0;
    c.begin();
    while (c.advance(i === ITEMS)) {
      for (; i < ITEMS; i++) if (!c.push(destOf(rank, i, size), i, numberOf(rank, i))) break;
      while (c.pull()) {
        const { index, value } = c.item;
        assert.is(index, expected[c.from][next[c.from]++]);
        assert.is(value, numberOf(c.from, index));
        pulled++;
      }
    }
    assert.equal(
      [...next],
      expected.map(({ length }) => length),
    );
    c.reset();
  }
  c.free();
  return pe.allreduce(pulled, "sum");
}

/** Asks all PEs for numbers of their tables. */
function biconveyor(pe: PE): void {
  const table = Float64Array.from({ length: ITEMS }, (_, i) => numberOf(pe.rank, i));
  const c = biconveyorOf(pe, u32, f64, (index) => table[index]);
  let [asked, told] = [0, 0];
  c.begin();
  while (c.advance(asked === ITEMS)) {
    for (; asked < ITEMS; asked++) if (!c.push(destOf(pe.rank, asked, pe.size), asked)) break;
    for (; c.pull(); told++) assert.is(c.item, numberOf(destOf(pe.rank, told, pe.size), told));
  }
  assert.is(told, ITEMS);
  c.free();
}

const program: Spmd = spmd(async (pe: PE) => {
  barriers(pe);
  await collectives(pe);
  const items = conveyor(pe, 1) + conveyor(pe, 2);
  biconveyor(pe);
  return { rank: pe.rank, items, arch: process.arch };
});

/** Items that arrive at all PEs in one run. */
export const itemsOf = (pes: number): number => pes * ITEMS * 2 * 2;

export default program;
