/**
 * The program of the PEs in `bench traffic --measure`: phases of one pattern under every discipline, in turn.
 *
 * All exchanges are of one world, so that they are measured in the same state of the machine and its connections. A
 * sample is one phase, or several short ones, by the clock of rank 0; a phase ends at all PEs together. In each round
 * every contender has one sample, in an order that is drawn anew. The first round warms up and does not count.
 *
 * The receiver copies what comes to where the block belongs, as a program does.
 */
import { type Exchange, exchange } from "../../../../src/exchange.ts";
import { median } from "../../../../src/ground/base/math.ts";
import { randomNumbers } from "../../../../src/ground/base/random.ts";
import { amountText, bytesText } from "../../../../src/ground/base/units.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import {
  DISCIPLINES,
  type DisciplineName,
  type ExchangeChoice,
  type ExchangeLoad,
  exchangeChoice,
} from "../../../../src/route/disciplines/options.ts";
import { shuffled } from "../../../../src/running/tune/tune.ts";
import { listsOf, loadOf, type MeasuredTraffic, receivedBytes, type TrafficLoad } from "./measure-cases.ts";
import type { TrafficBlock } from "./patterns.ts";
import { tcpCounts } from "./tcp-counts.ts";

/** One case, and how long it is measured. */
export interface TrafficJob extends MeasuredTraffic {
  /** Samples of each discipline, at most; and those that are taken however long they take. */
  readonly turns: number;
  readonly leastTurns: number;
  /** No round begins after this time, ms. */
  readonly budgetMs: number;
  /** Time of a sample, ms, at least. */
  readonly sampleMs: number;
}

/** One discipline, with the defaults of all other options; or what a plan has chosen, if that is none of these. */
export interface MeasuredContender {
  /** The discipline, and what a plan has chosen otherwise than the defaults. */
  readonly name: string;
  readonly discipline: DisciplineName;
  readonly isPlan: boolean;
  /** Time of a phase in each turn, ns; fewer than others if it was given up. */
  readonly times: readonly number[];
  /**
   * Of a phase, at all nodes: segments that TCP has sent again, and timeouts; null on one node and where it is not
   * known.
   */
  readonly retransmits: number | null;
  readonly timeouts: number | null;
}

export interface TrafficAnswer {
  readonly pes: number;
  readonly nodes: number;
  readonly load: TrafficLoad;
  readonly contenders: readonly MeasuredContender[];
}

/** After so many turns, disciplines that take so many times as long as the best are given up. */
const TRIED = 2;
const PATIENCE = 2;
const MOST_PHASES = 1000;

const program: Spmd = spmd((pe: PE, args: unknown): TrafficAnswer | undefined => {
  const job = args as TrafficJob;
  const { turns, leastTurns, budgetMs, sampleMs } = job;
  const lists = listsOf(job, pe.size);
  const load = loadOf(lists);
  const all = contenders(pe, load).map((one) => ({
    ...one,
    times: [] as number[],
    phases: 0,
    retransmits: 0,
    timeouts: 0,
  }));
  const phase = phaseOf(pe, lists);
  const sample = (x: Exchange, phases: number): number => {
    pe.barrier();
    const started = performance.now();
    for (let i = 0; i < phases; i++) phase(x);
    return (1e6 * (performance.now() - started)) / phases;
  };
  let fastest = Number.POSITIVE_INFINITY;
  for (const { x } of all) fastest = Math.min(fastest, sample(x, 1));
  const wanted = Math.max(1, Math.ceil((1e6 * sampleMs) / fastest));
  const phases = pe.broadcast(Math.min(MOST_PHASES, wanted), 0);
  const order = randomNumbers(1);
  const begun = performance.now();
  let open = all;
  for (let round = 0; round < turns; round++) {
    const isLate = round >= leastTurns && performance.now() - begun > budgetMs;
    if (pe.broadcast(Number(isLate), 0)) break;
    for (const one of shuffled(open, order)) {
      const before = tcpCounts();
      one.times.push(sample(one.x, phases));
      const after = tcpCounts();
      one.phases += phases;
      one.retransmits += (after?.retransmits ?? Number.NaN) - (before?.retransmits ?? Number.NaN);
      one.timeouts += (after?.timeouts ?? Number.NaN) - (before?.timeouts ?? Number.NaN);
    }
    if (round + 1 !== TRIED) continue;
    const best = Math.min(...open.map(({ times }) => median(times)));
    const isOpen = open.map(({ isPlan, discipline, times }) => {
      return isPlan || discipline === "eager" || median(times) < PATIENCE * best;
    });
    const agreed = pe.broadcast(isOpen, 0);
    open = open.filter((_, i) => agreed[i]);
  }
  const measured = all.map(({ x, phases, ...one }): MeasuredContender => {
    x.free();
    return {
      ...one,
      retransmits: ofNodes(pe, one.retransmits / phases),
      timeouts: ofNodes(pe, one.timeouts / phases),
    };
  });
  return pe.rank === 0 ? { pes: pe.size, nodes: pe.nodes, load, contenders: measured } : undefined;
});

/** A count of each node's, added up; null if there is none. */
function ofNodes(pe: PE, count: number): number | null {
  const sum = pe.allreduce(pe.nodeRank === 0 ? count : 0, "sum");
  return pe.nodes > 1 && Number.isFinite(sum) ? sum : null;
}

interface Contender {
  readonly x: Exchange;
  readonly name: string;
  readonly discipline: DisciplineName;
  isPlan: boolean;
}

/** An exchange for each discipline, and one more if the plan's is none of these. */
function contenders(pe: PE, load: ExchangeLoad): Contender[] {
  const all = DISCIPLINES.map((discipline): Contender => {
    return { x: exchange(pe, { discipline }), name: discipline, discipline, isPlan: false };
  });
  const x = exchange(pe, { load });
  const { discipline } = x.choice;
  const same = all.find((one) => areSame(one.x.choice, x.choice));
  if (same === undefined) return [...all, { x, name: nameOf(x.choice), discipline, isPlan: true }];
  x.free();
  same.isPlan = true;
  return all;
}

/** The window is of dynamic scheduling alone. */
const areSame = (a: ExchangeChoice, b: ExchangeChoice): boolean =>
  (Object.keys(a) as (keyof ExchangeChoice)[]).every(
    (key) => a[key] === b[key] || (key === "window" && a.discipline !== "dynamic"),
  );

function nameOf({ discipline, chunkBytes, window, pace }: ExchangeChoice): string {
  const defaults = exchangeChoice({});
  return [
    discipline,
    ...(chunkBytes === defaults.chunkBytes ? [] : [bytesText(chunkBytes)]),
    ...(discipline !== "dynamic" || window === defaults.window ? [] : [`window ${window}`]),
    ...(pace === defaults.pace ? [] : [`${amountText(pace / 1e6)} MB/s`]),
  ].join(", ");
}

/** A phase of the lists, checked: all bytes come, from those who have sent them. */
function phaseOf(pe: PE, lists: readonly (readonly TrafficBlock[])[]): (x: Exchange) => void {
  const own = lists[pe.rank];
  const expected = receivedBytes(lists)[pe.rank];
  const largest = Math.max(...lists.flat().map(({ bytes }) => bytes));
  const data = new Uint8Array(largest).fill(1 + pe.rank);
  const into = new Uint8Array(largest);
  return (x) => {
    for (const { dest, bytes } of own) x.schedule(dest, data.subarray(0, bytes));
    let got = 0;
    x.finish(({ from, offset, bytes }) => {
      if (bytes[0] !== ((1 + from) & 0xff)) throw new Error(`PE ${pe.rank}: not the bytes of PE ${from}`);
      into.set(bytes, offset);
      got += bytes.length;
    });
    if (got !== expected) throw new Error(`PE ${pe.rank}: expected ${expected} bytes, got ${got}`);
  };
}

export default program;
