/** The program of the PEs that measure buffers (buffers.ts). */

import { conveyor as conveyorOf } from "../../src/facilities/conveyor/conveyors.ts";
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import { randomNumbers } from "../../src/ground/base/random.ts";
import { f64 } from "../../src/ground/item/item-type.ts";
import type { PE } from "../../src/pe/pe.ts";
import { type Spmd, spmd } from "../../src/pe/spmd.ts";
import { type BufferJob, type BufferSample, SMALL_BYTES } from "./buffer-job.ts";

const LARGE_BYTES = 16_384;
/** Sessions of a sample. */
const SESSIONS = 4;

const program: Spmd = spmd((pe: PE, args: unknown): BufferSample[] => {
  const { items, warmMs, rounds } = args as BufferJob;
  const conveyor = (bufferBytes: number, buffersPerLink: 1 | 4) =>
    conveyorOf(pe, f64, { type: "tensor", hops: 1, bufferBytes, buffersPerLink });
  const small = conveyor(SMALL_BYTES, 4);
  const lone = conveyor(SMALL_BYTES, 1);
  const large = conveyor(LARGE_BYTES, 4);
  const destsOf = (rank: number): Uint32Array => {
    const random = randomNumbers(1 + rank);
    return Uint32Array.from({ length: items }, () => Math.floor(random() * pe.size));
  };
  const all = Array.from({ length: pe.size }, (_, rank) => destsOf(rank));
  const dests = all[pe.rank] as Uint32Array;
  const expected = all.reduce((sum, one) => sum + one.filter((rank) => rank === pe.rank).length, 0);
  const values = new Float64Array(items);
  const session = (c: typeof small): void => {
    let pulled = 0;
    c.begin();
    for (let i = 0; c.advance(i === items); ) {
      i = c.pushAll(dests, values, i);
      for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) pulled += batch.count;
    }
    c.reset();
    if (pulled !== expected) throw new Error(`PE ${pe.rank}: expected ${expected} items, got ${pulled}`);
  };
  const time = (c: typeof small, sessions: number): number => {
    pe.barrier();
    const started = monotonic();
    for (let i = 0; i < sessions; i++) session(c);
    pe.barrier();
    return (1e6 * (monotonic() - started)) / sessions;
  };
  const sample = (sessions: number): BufferSample => ({
    small: time(small, sessions),
    lone: time(lone, sessions),
    large: time(large, sessions),
  });
  const begun = monotonic();
  do sample(1);
  while (pe.broadcast(Number(monotonic() - begun < warmMs), 0));
  return Array.from({ length: rounds }, () => sample(SESSIONS));
});

export default program;
