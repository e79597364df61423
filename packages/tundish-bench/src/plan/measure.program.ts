/**
 * The program of the PEs in `bench plan --measure`: sessions of one load with every choice of a grid, in turn.
 *
 * All conveyors are of one world, so that they are measured in the same state of the machine and with compiled code. A
 * sample is a few sessions between barriers, by the clock of rank 0. In each round every choice has one, in an order
 * that is drawn anew. Choices that are slow in the first rounds are given up, except those that a tuning would try.
 */

import { type Conveyor, conveyor } from "../../../../src/conveyor.ts";
import { median } from "../../../../src/ground/base/math.ts";
import { randomNumbers } from "../../../../src/ground/base/random.ts";
import { bytes, type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { seatOf } from "../../../../src/pe/seat-of.ts";
import { candidatesFor } from "../../../../src/plan/model/candidates.ts";
import { type Candidate, optionsFor } from "../../../../src/plan/model/cost-model.ts";
import { type Prediction, predict } from "../../../../src/plan/model/predict.ts";
import { shapeCosts } from "../../../../src/plan/model/shape.ts";
import { fairBytes } from "../../../../src/route/geometry/conveyor-choice.ts";
import { worldCosts } from "../../../../src/running/tune/costs.ts";
import { promising } from "../../../../src/running/tune/promising.ts";
import { areSame } from "../../../../src/running/tune/sessions.ts";
import { shuffled } from "../../../../src/running/tune/tune.ts";
import type { MeasuredCase } from "./measure-cases.ts";

/** One load, and how long it is measured. */
export interface MeasureJob extends MeasuredCase {
  readonly rounds: number;
  /** Time before the first round, ms: V8 compiles. */
  readonly warmMs: number;
  /** Time of a sample, ms, at least. */
  readonly sampleMs: number;
}

/** One choice; the predicted ones first, the plan as the first of them. */
export interface MeasuredGridChoice {
  readonly prediction: Prediction;
  /** Whether a tuning would try it. */
  readonly isPromising: boolean;
  /** Time of a session in each round, ns; fewer than all if it was given up. */
  readonly times: readonly number[];
}

export interface MeasureAnswer {
  readonly pes: number;
  readonly nodes: number;
  readonly choices: readonly MeasuredGridChoice[];
}

const GRID = [1024, 8192, 65_536];
const PROMISING = 6;
/** After so many rounds, choices that take so many times as long as the best are given up. */
const TRIED = 3;
const PATIENCE = 1.6;
const MOST_SESSIONS = 1000;

type Load = Conveyor<ReturnType<typeof bytes>>;

const program: Spmd = spmd((pe: PE, args: unknown): MeasureAnswer | undefined => {
  const job = args as MeasureJob;
  const { rounds, warmMs, sampleMs, load, itemBytes } = job;
  const choices = choicesOf(pe, job);
  const item = bytes(itemBytes);
  const random = randomNumbers(1 + pe.rank);
  const dests = Uint32Array.from({ length: load }, () => Math.floor(random() * pe.size));
  const column = new Uint8Array(load * itemBytes);
  const all = choices.map(({ prediction, isPromising }) => {
    const c = conveyor(pe, item, optionsFor(prediction));
    return { c, prediction, isPromising, times: [] as number[] };
  });
  const sample = (c: Load, sessions: number): number => {
    pe.barrier();
    const started = performance.now();
    for (let i = 0; i < sessions; i++) session(pe, c, dests, column);
    pe.barrier();
    return (1e6 * (performance.now() - started)) / sessions;
  };
  const begun = performance.now();
  let fastest = Number.POSITIVE_INFINITY;
  do for (const { c } of all) fastest = Math.min(fastest, sample(c, 1));
  while (pe.broadcast(Number(performance.now() - begun < warmMs), 0));
  // PEs that share a CPU take turns, which last milliseconds
  const turns = Math.max(1, pe.nodeSize / new Set(seatOf(pe, "bench").model?.pes.map(({ cpu }) => cpu)).size) ** 2;
  const wanted = Math.ceil((1e6 * sampleMs * turns) / fastest);
  const sessions = pe.broadcast(Math.min(MOST_SESSIONS, wanted), 0);
  const order = randomNumbers(1);
  let open = all;
  for (let round = 0; round < rounds; round++) {
    for (const one of shuffled(open, order)) one.times.push(sample(one.c, sessions));
    if (round + 1 !== TRIED) continue;
    const best = Math.min(...open.map(({ times }) => median(times)));
    const isOpen = open.map(({ isPromising, times }) => isPromising || median(times) < PATIENCE * best);
    const agreed = pe.broadcast(isOpen, 0);
    open = open.filter((_, i) => agreed[i]);
  }
  if (pe.rank > 0) return undefined;
  return { pes: pe.size, nodes: pe.nodes, choices: all.map(({ c: _, ...measured }) => measured) };
});

/** Pushes all items, and checks that as many came as were sent. */
function session(pe: PE, c: Load, dests: Uint32Array, column: Uint8Array): void {
  let pulled = 0;
  c.begin();
  for (let i = 0; c.advance(i === dests.length); ) {
    i = c.pushAll(dests, column, i);
    for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) pulled += batch.count;
  }
  c.reset();
  // the number that each gets is always the same: what a message more would cost is not to be measured
  const known = expected.get(c) ?? pulled;
  expected.set(c, known);
  if (pulled !== known) throw new Error(`PE ${pe.rank}: expected ${known} items, got ${pulled}`);
}

const expected = new WeakMap<Load, number>();

/** The promising ones, then the grid. The same at all PEs. */
function choicesOf(pe: PE, { itemBytes, load }: MeasuredCase): Omit<MeasuredGridChoice, "times">[] {
  const costs = worldCosts(pe, itemBytes);
  const workload = { itemBytes, load };
  const best = promising(costs, workload, {}, PROMISING);
  const hops = shapeCosts(costs);
  const limits = { pes: pe.size, itemBytes, maxBytes: fairBytes(pe.size), buffers: GRID };
  const grid = candidatesFor({ ...limits, forced: { buffersPerLink: 2 } })
    .map((one) => predict(costs, workload, one, hops(one)))
    .filter((one, i, all) => !best.some(isSame(one)) && !all.slice(0, i).some(isTwin(one)));
  return [
    ...best.map((prediction) => ({ prediction, isPromising: true })),
    ...grid.map((prediction) => ({ prediction, isPromising: false })),
  ];
}

const isSame = (one: Candidate) => (other: Candidate) => areSame(one, other);

/** Whether both send the same buffers: those of neither are ever full. */
const isTwin = (one: Prediction) => (other: Prediction) =>
  areSame({ ...one, bufferBytes: other.bufferBytes }, other) &&
  one.hopsTaken.every(({ buffers }, hop) => buffers === other.hopsTaken[hop]?.buffers);

export default program;
