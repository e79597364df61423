/** Conveyors that send under a discipline, at real PEs: what they do beside the contract. */

import * as assert from "uvu/assert";
import { conveyor, DONE } from "../../../../src/conveyor.ts";
import { ALLOCATOR_USED } from "../../../../src/ground/memory/heap-layout.ts";
import { bytes, type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";
import type { ConveyorDiscipline } from "../../../../src/route/geometry/options.ts";
import { playInTurn } from "../../../support/in-turn.ts";

export interface Args {
  readonly part: "sessions" | "elsewhere" | "steady" | "awaited" | "groups" | "never";
  readonly discipline: ConveyorDiscipline;
  readonly sessions: number;
  /** Of "never": ms. */
  readonly timeout?: number;
}

const TIMEOUT_MS = 20_000;

/** Each PE sends its rank to all, in sessions without anything between them. */
function sessions(pe: PE, { discipline, sessions: count }: Args): number {
  const c = conveyor(pe, u32, { discipline, bufferBytes: 64, timeout: TIMEOUT_MS });
  for (let session = 0; session < count; session++) {
    c.begin();
    const each = session % 40;
    const came = new Int32Array(pe.size);
    for (let i = 0; c.advance(i === each * pe.size) !== DONE; ) {
      for (; i < each * pe.size && c.push(i % pe.size, session); i++);
      while (c.pull()) {
        assert.is(c.item, session);
        came[c.from]++;
      }
    }
    assert.equal(Array.from(came), Array(pe.size).fill(each));
    c.reset();
  }
  c.free();
  return count;
}

/** PE 0 and 1 talk while the last PE, whose part in the discipline both need, waits in a barrier. An item fills a buffer. */
function elsewhere(pe: PE, { discipline, sessions: count }: Args): number {
  const c = conveyor(pe, u32, { discipline, bufferBytes: 4, timeout: TIMEOUT_MS });
  const other = pe.size - 1;
  let came = 0;
  for (let session = 0; session < count; session++) {
    c.begin();
    if (pe.rank !== other) {
      let pushed = 0;
      let pulled = 0;
      // what was handed over goes on its way in the barrier
      while (pulled < 3 || c.stats().buffers < 3) {
        if (pushed < 3 && pushed <= pulled && c.push(1 - pe.rank, 1)) pushed++;
        c.advance();
        while (c.pull()) pulled++;
      }
      came += pulled;
    }
    pe.barrier();
    if (pe.rank === other) came += 3;
    while (c.advance(true) !== DONE) while (c.pull());
    c.reset();
  }
  c.free();
  return came;
}

/** What is pushed arrives though no PE is ever done: all say so only when everything is there. */
function steady(pe: PE, { discipline, sessions: count }: Args): number {
  const c = conveyor(pe, u32, { discipline, steady: true, timeout: TIMEOUT_MS });
  let came = 0;
  for (let session = 0; session < count; session++) {
    c.begin();
    const got = new Set<number>();
    for (let dest = 0; got.size < pe.size || dest < pe.size; ) {
      if (dest < pe.size && c.push(dest, pe.rank)) dest++;
      c.advance();
      while (c.pull()) got.add(c.from);
    }
    came += got.size - 1;
    while (c.advance(true) !== DONE);
    c.reset();
  }
  c.free();
  return came;
}

async function awaited(pe: PE, { discipline, sessions: count }: Args): Promise<number> {
  const c = conveyor(pe, u32, { discipline, bufferBytes: 64, timeout: TIMEOUT_MS });
  let came = 0;
  for (let session = 0; session < count; session++) {
    for await (const batch of c.batches(async (push) => {
      for (let i = 0; i < 10 * pe.size; i++) await push(i % pe.size, i);
    })) {
      came += batch.count;
    }
  }
  c.free();
  return came / pe.size;
}

/** Groups have conveyors of their own, and nothing stays in the heap. */
function groups(pe: PE, { discipline, sessions: count }: Args): number {
  const words = new Int32Array(pe.alloc(Int32Array, 1).buffer as ArrayBuffer);
  const used = () => {
    pe.barrier();
    const now = Atomics.load(words, ALLOCATOR_USED);
    pe.barrier();
    return now;
  };
  using group = pe.group(pe.rank % 2 === 0 ? [0, 2] : [3, 1]);
  const before = used();
  let came = 0;
  for (let session = 0; session < count; session++) {
    const c = conveyor(group, bytes(8), { discipline, hops: 1, timeout: TIMEOUT_MS }).begin();
    const item = new Uint8Array(8).fill(pe.rank);
    for (let i = 0; c.advance(i === group.size) !== DONE; ) {
      for (; i < group.size && c.push(i, item); i++);
      while (c.pull()) came++;
    }
    c.reset();
    c.free();
  }
  assert.is(used(), before);
  return came;
}

/** The others wait for PE 0, in vain. What goes around meanwhile is no progress. */
function never(pe: PE, { discipline, timeout }: Args): number {
  const c = conveyor(pe, u32, { discipline, timeout }).begin();
  while (c.advance(pe.rank > 0) !== DONE) while (c.pull());
  return 0;
}

const PARTS = { sessions, elsewhere, steady, awaited, groups, never };

const program: Spmd = spmd((pe, args: Args | readonly Args[]) =>
  playInTurn(args, (step: Args) => PARTS[step.part](pe, step)),
);

export default program;
