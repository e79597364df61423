/**
 * The figures of Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance" in the simulator:
 * which curves, and which points.
 */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import type { SimulatedNetwork } from "../../../../src/plan/network/network.ts";
import type { DisciplineName, ExchangeOptions } from "../../../../src/route/disciplines/options.ts";
import { machines, type TrafficMachineName } from "./machines.ts";
import type { PatternName } from "./patterns.ts";
import { runTraffic, type TrafficRun } from "./run.ts";

/** The subject of a curve. */
interface Curve {
  readonly name: string;
  readonly discipline: DisciplineName;
  readonly pattern: PatternName;
  readonly network?: SimulatedNetwork;
  readonly options?: ExchangeOptions;
}

const CSHIFT: Curve = { name: "CSHIFT", discipline: "cyclic-shift", pattern: "all pairs" };
const BARRIERS: Curve = { name: "CSHIFT + barriers", discipline: "barrier", pattern: "all pairs" };
const SOFTWARE: Curve = { ...BARRIERS, name: "software barriers", network: { barrier: undefined } };
const HARDWARE: Curve = { ...BARRIERS, name: "hardware barriers" };
const TOKENS: Curve = { name: "tokens", discipline: "token", pattern: "all pairs" };
const REQUESTS: Curve = { name: "tokens on request", discipline: "request-token", pattern: "all pairs" };
const RANDOM: Curve = { name: "random", discipline: "random", pattern: "random" };
const INTERLEAVED: Curve = { name: "random interleaved", discipline: "interleaved", pattern: "random" };
const DYNAMIC: Curve = { name: "dynamic", discipline: "dynamic", pattern: "random" };
const DYNAMIC_TOKENS: Curve = { ...DYNAMIC, name: "dynamic, tokens", options: { barrierEvery: 16 } };
const DYNAMIC_PAIRS: Curve = { ...DYNAMIC, name: "dynamic, all pairs", pattern: "all pairs" };

const STRATEGIES = [CSHIFT, BARRIERS, RANDOM, INTERLEAVED];

/** A figure of the paper. */
interface Drawn {
  readonly number: number;
  readonly title: string;
  readonly machine: TrafficMachineName;
  readonly curves: readonly Curve[];
  /** Whether it has busy senders over time, and not bandwidth by block size. */
  readonly isOverTime?: boolean;
}

const FIGURES: readonly Drawn[] = [
  { number: 1, title: "Strategies", machine: "cm-5", curves: STRATEGIES },
  { number: 2, title: "Strategies", machine: "paragon", curves: STRATEGIES },
  { number: 3, title: "Strategies", machine: "alewife", curves: STRATEGIES },
  { number: 5, title: "Tokens", machine: "cm-5", curves: [CSHIFT, SOFTWARE, TOKENS, HARDWARE] },
  { number: 6, title: "Tokens", machine: "paragon", curves: [CSHIFT, SOFTWARE, TOKENS] },
  { number: 7, title: "Tokens", machine: "alewife", curves: [CSHIFT, SOFTWARE, TOKENS] },
  { number: 8, title: "Tokens on request", machine: "paragon", curves: [CSHIFT, SOFTWARE, TOKENS, REQUESTS] },
  {
    number: 10,
    title: "Dynamic scheduling",
    machine: "cm-5",
    curves: [BARRIERS, DYNAMIC, DYNAMIC_TOKENS, INTERLEAVED],
  },
  {
    ...{ number: 11, title: "Dynamic scheduling", machine: "paragon" },
    curves: [BARRIERS, DYNAMIC, DYNAMIC_TOKENS, INTERLEAVED],
  },
  { number: 12, title: "Busy senders", machine: "cm-5", curves: [DYNAMIC_PAIRS], isOverTime: true },
  { number: 13, title: "Busy senders", machine: "cm-5", curves: [DYNAMIC], isOverTime: true },
];

/** Block sizes, bytes. */
const SIZES = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 65_536, 262_144, 1_048_576];
const QUICK_SIZES = [256, 4096];
/**
 * Of the figures over time: large blocks, which dynamic scheduling is for, four times as many as there are other nodes.
 * Of fewer for PEs drawn at random, some PE gets far more than others.
 */
const OVER_TIME = { blockBytes: 16_384, blocks: 252 };
const QUICK_BLOCKS = 8;
/**
 * Blocks of a node of the Paragon: as many as make 8 MiB, within limits. Of a few for PEs drawn at random, some PE gets
 * far more than others, and most wait for it in the end. 64 nodes with so many would take hours.
 */
const paragonBlocks = (bytes: number): number => Math.max(64, Math.min(512, 2 ** 23 / bytes));

export interface FigureCurve {
  readonly name: string;
  /** By block size, ascending. */
  readonly runs: readonly TrafficRun[];
}

export interface TrafficFigure {
  readonly number: number;
  readonly title: string;
  readonly machine: string;
  readonly nodes: number;
  readonly isOverTime: boolean;
  readonly curves: readonly FigureCurve[];
}

export interface FiguresOptions {
  readonly quick?: boolean | undefined;
  readonly seed?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs all points; those that several figures have, once. */
export async function trafficFigures(options: FiguresOptions = {}): Promise<TrafficFigure[]> {
  const { quick = false, seed, onProgress, signal } = options;
  const known = new Map<string, TrafficRun>();
  const figures: TrafficFigure[] = [];
  for (const [i, { number, title, machine: name, curves, isOverTime = false }] of FIGURES.entries()) {
    const machine = machines[name];
    const fitting = (quick ? QUICK_SIZES : SIZES).filter((bytes) => bytes <= machine.largestBlock);
    const sizes = isOverTime ? [OVER_TIME.blockBytes] : fitting;
    const drawn: FigureCurve[] = [];
    for (const { name: curve, ...what } of curves) {
      const runs: TrafficRun[] = [];
      for (const blockBytes of sizes) {
        onProgress?.({ stage: `figure ${number}: ${curve}, ${blockBytes} B`, done: i / FIGURES.length });
        const many = name === "paragon" ? paragonBlocks(blockBytes) : undefined;
        const blocks = quick ? QUICK_BLOCKS : isOverTime ? OVER_TIME.blocks : many;
        const key = JSON.stringify([name, what, blockBytes, blocks, what.network !== undefined]);
        const run = known.get(key) ?? runTraffic({ machine, ...what, blockBytes, blocks, seed });
        known.set(key, run);
        runs.push(run);
        await new Promise(setImmediate); // Ctrl-C
        signal?.throwIfAborted();
      }
      drawn.push({ name: curve, runs });
    }
    figures.push({ number, title, machine: machine.title, nodes: machine.nodes, isOverTime, curves: drawn });
  }
  return figures;
}
