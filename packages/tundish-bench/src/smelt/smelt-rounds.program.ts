/**
 * The PEs of `bench smelt`, part collectives: single operations after two dissemination barriers, as peers/c/rounds.h
 * does them in C. Each PE takes the time from its entry until its return; the longest one is the round's, and the
 * median of the rounds of a batch is a sample. A number stands for the byte and the integer: it is the smallest that
 * there is in JavaScript.
 */

import { distanceProbe, type ProbeWords } from "../../../../microbench/turns/distance.ts";
import { median } from "../../../../src/ground/base/math.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";

export interface SmeltRoundsJob extends ProbeWords {
  readonly batches: number;
  readonly rounds: number;
}

/** ns of an operation, of each batch: of PE 0. */
export interface RoundsSamples {
  readonly what: string;
  readonly batch: number;
  readonly samples: readonly number[];
  readonly probes?: readonly (readonly number[])[];
}

export interface SmeltRoundsAnswer {
  readonly bound: boolean;
  readonly samples: readonly RoundsSamples[];
}

type Round = (i: number) => void;

const program: Spmd = spmd((pe: PE, { batches, rounds, words }: SmeltRoundsJob): SmeltRoundsAnswer => {
  const members = Array.from({ length: pe.size }, (_, rank) => rank);
  const barrier = { kind: "dissemination", latency: 0, order: members } as const;
  const sync = pe.group(members, { trees: { ...pe.trees, barrier } });
  const probe = distanceProbe(pe, words);
  const sum = (i: number) => i * pe.size + (pe.size * (pe.size - 1)) / 2;
  const check = (got: number | undefined, expected: number) => {
    if (got !== expected) throw new Error(`expected ${expected}, got ${got}`);
  };
  const operations: Readonly<Record<string, Round>> = {
    broadcast: (i) => check(pe.broadcast(pe.rank === 0 ? i & 255 : 0, 0), i & 255),
    reduce: (i) => {
      const got = pe.reduce(i + pe.rank, "sum", 0);
      if (pe.rank === 0) check(got, sum(i));
    },
    allreduce: (i) => check(pe.allreduce(i + pe.rank, "sum"), sum(i)),
    barrier: () => pe.barrier(),
  };
  const longest = pe.alloc(Float64Array, rounds);
  const batch = (operation: Round): number => {
    for (let i = 0; i < rounds; i++) {
      sync.barrier();
      sync.barrier();
      const began = performance.now();
      operation(i);
      longest[i] = performance.now() - began;
    }
    pe.allreduce(longest, "max");
    return median(longest) * 1e6;
  };
  const all = Object.entries(operations).map(([what, operation]) => ({
    what,
    operation,
    samples: [] as number[],
    probes: [] as number[][],
  }));
  // the first batch of each is dropped: V8 compiles meanwhile
  for (let b = -1; b < batches; b++) {
    for (const { operation, samples, probes } of all) {
      const before = probe?.() ?? 0;
      const ns = batch(operation);
      if (b < 0) continue;
      samples.push(ns);
      if (probe) probes.push([before, probe()]);
    }
  }
  return {
    bound: pe.cpu !== null,
    samples: all.map(({ what, samples, probes }) => ({
      what,
      batch: rounds,
      samples,
      ...(probe && { probes }),
    })),
  };
});

export default program;
