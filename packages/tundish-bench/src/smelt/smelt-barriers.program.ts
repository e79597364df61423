/**
 * The PEs of `bench smelt`, part barriers: our barriers in a tight loop, and the overhead of one by EPCC's method.
 *
 * EPCC, as c/epcc.c does it in C: the reference is a loop of delays at PE 0, the test the same loop with a barrier
 * after each delay, at all PEs. The delay is the same loop of additions of doubles, as long as takes 100 ns here.
 */

import { distanceProbe, type ProbeWords } from "../../../../microbench/turns/distance.ts";
import { median } from "../../../../src/ground/base/math.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import {
  type BatchVolume,
  type Operations,
  type Samples,
  timeBatches,
} from "../../../../src/running/contest/batches.ts";
import type { Trees } from "../../../../trees/model/tree.ts";

export interface SmeltBarriersJob extends ProbeWords {
  readonly volume: BatchVolume;
  /** Barriers of groups of all PEs, by name; the world has its own. */
  readonly kinds: readonly (readonly [name: string, trees: Trees])[];
  /** Outer repetitions, and the time of one, ms. */
  readonly epcc: { readonly repetitions: number; readonly ms: number };
}

/** ns of the overhead of a barrier, of each outer repetition. */
export interface EpccSamples {
  /** Inner repetitions. */
  readonly batch: number;
  readonly samples: readonly number[];
  /** ns of one delay by the reference, and the turns of its loop. */
  readonly delay: number;
  readonly length: number;
}

export interface SmeltBarriersAnswer {
  readonly bound: boolean;
  /** By name, those of PE 0. */
  readonly loops: readonly (Samples & { readonly name: string })[];
  readonly epcc: EpccSamples;
}

const DELAY_NS = 100;
const REFERENCES = 20;
const TRIES = 8;
const PER_TRY = 1000;
const WARM_MS = 20;
const OURS = "tundish";

const program: Spmd = spmd((pe: PE, { volume, kinds, epcc, words }: SmeltBarriersJob): SmeltBarriersAnswer => {
  const probe = distanceProbe(pe, words);
  const members = Array.from({ length: pe.size }, (_, rank) => rank);
  const loops: (readonly [string, Operations])[] = [
    [
      OURS,
      (count) => {
        for (let i = 0; i < count; i++) pe.barrier();
      },
    ],
    ...kinds.map(([name, trees]) => {
      const group = pe.group(members, { trees });
      const loop: Operations = (count) => {
        for (let i = 0; i < count; i++) group.barrier();
      };
      return [`${OURS}, ${name}`, loop] as const;
    }),
  ];
  const timed = timeBatches(pe, loops, volume, 2, probe);
  return {
    bound: pe.cpu !== null,
    loops: timed.map((one) => ({ ...one, name: one.what, what: "barrier" })),
    epcc: overhead(pe, epcc.repetitions, epcc.ms * 1e6),
  };
});

/** Additions, each of which needs the one before. */
function delay(length: number): void {
  let a = 0;
  for (let i = 0; i < length; i++) a += i;
  if (a < 0) throw new Error("a sum of positive numbers is negative");
}

function delays(length: number, inner: number): number {
  const began = performance.now();
  for (let i = 0; i < inner; i++) delay(length);
  return (performance.now() - began) * 1e6;
}

/** The turns that take DELAY_NS. */
function findLength(): number {
  // V8 compiles it meanwhile
  for (const until = performance.now() + WARM_MS; performance.now() < until; ) delays(100, 1000);
  let length = 1;
  while (delayNs(length) < DELAY_NS) length = Math.floor(length * 1.1) + 1;
  return length;
}

/** The least of several tries, as interrupts only add. */
function delayNs(length: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES; i++) least = Math.min(least, delays(length, PER_TRY) / PER_TRY);
  return least;
}

/** ns, by the clock of this PE. */
function test(pe: PE, length: number, inner: number): number {
  pe.barrier();
  const began = performance.now();
  for (let i = 0; i < inner; i++) {
    delay(length);
    pe.barrier();
  }
  return (performance.now() - began) * 1e6;
}

function overhead(pe: PE, repetitions: number, wanted: number): EpccSamples {
  const isFirst = pe.rank === 0;
  const length = pe.broadcast(isFirst ? findLength() : 0, 0);
  let inner = 64;
  // twice, as V8 compiles the first time
  test(pe, length, inner);
  while (pe.broadcast(test(pe, length, inner), 0) < wanted) inner *= 2;
  const reference = isFirst ? median(Array.from({ length: REFERENCES }, () => delays(length, inner))) : 0;
  test(pe, length, inner);
  const samples: number[] = [];
  for (let k = 0; k < repetitions; k++) samples.push((test(pe, length, inner) - reference) / inner);
  return { batch: inner, samples, delay: reference / inner, length };
}

export default program;
