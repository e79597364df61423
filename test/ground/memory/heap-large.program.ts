/** Collectives on arrays, and conveyors, that lie above 2 GiB in the heap, one of them longer than 2 GiB if it may be. */

import * as assert from "uvu/assert";
import { conveyor, type ItemArguments } from "../../../src/conveyor.ts";
import { bytes, type PE, type Spmd, spmd, struct, u32 } from "../../../src/index.ts";

const GIB = 1024 ** 3;

/** Items of which each way to write them has some: word by word, as a string, in a struct. */
function conveyors(pe: PE): void {
  for (const item of [bytes(16), bytes(1000), struct({ rank: u32, name: bytes(13) })] as const) {
    const c = conveyor(pe, item, { bufferBytes: 4096 });
    const name = new Uint8Array(item.kind === "bytes" ? item.bytes : 13).fill(pe.rank + 1);
    let sum = 0;
    let i = 0;
    c.begin();
    while (c.advance(i === 100)) {
      const values: ItemArguments<typeof item> = item.kind === "bytes" ? [name] : [pe.rank, name];
      for (; i < 100; i++) if (!c.push(i % pe.size, ...values)) break;
      while (c.pull()) {
        const got = c.item as Uint8Array | { readonly name: Uint8Array };
        sum += ("name" in got ? got.name : got).at(-1) as number;
      }
    }
    c.free();
    assert.is(pe.allreduce(sum, "sum"), (100 * pe.size * (pe.size + 1)) / 2);
  }
}

const program: Spmd = spmd((pe) => {
  const huge = pe.alloc(Uint8Array, Math.floor((2.5 * GIB) / pe.size));
  if (pe.size === 1) assert.is(pe.broadcast(huge), huge);
  const last = pe.size - 1;
  // the far end of the last PE's block, and arrays beyond all of it: 3 elements and several blocks of them
  const tail = huge.subarray(-50_000);
  const far = pe.alloc(Float64Array, 12_345);
  assert.ok(far.byteOffset > 2.5 * GIB - 1000);
  for (const x of [tail, tail.subarray(-7), far, far.subarray(-3)]) {
    x.fill(pe.rank + 1);
    pe.broadcast(x, last);
    assert.ok(x.every((value) => value === pe.size));
    x.fill(pe.rank + 1);
    pe.allreduce(x, "sum");
    const sum = (pe.size * (pe.size + 1)) / 2;
    assert.ok(x.every((value) => value === sum));
    x.fill(pe.rank + 1);
    const got = pe.reduce(x, (a: number, b: number) => Math.max(a, b), last);
    assert.is(got, pe.rank === last ? x : undefined);
    assert.ok(x.every((value) => value === pe.rank + 1));
  }
  conveyors(pe);
  // used memory above 2 GiB comes back zeroed
  pe.free(far);
  const again = pe.alloc(Float64Array, 12_345);
  assert.is(again.byteOffset, far.byteOffset);
  assert.ok(again.every((value) => value === 0));
  return "ok";
});

export default program;
