/**
 * Holds the rule for packets and their pace (src/plan/exchange/pace.ts) against a sweep of both in the simulator, with
 * packets of all receivers in turn; and what a plan chooses, if the discipline is open, against all that was run.
 */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { makeExchangePlan } from "../../../../src/plan/exchange/make-exchange-plan.ts";
import { networks } from "../../../../src/plan/network/networks.ts";
import type { ExchangeChoices } from "../../../../src/route/disciplines/options.ts";
import { machines, type TrafficMachineName } from "./machines.ts";
import { blocksOf } from "./patterns.ts";
import { apartIn, loadOf, type PlannedCase, SLOW_RECEIVERS, timeOf } from "./planned.ts";

/** Choices, and the simulated time of a phase with them, ns. */
export interface PacedRun {
  readonly choices: ExchangeChoices;
  readonly time: number;
}

export interface JudgedPace {
  readonly of: PlannedCase;
  /** Interleaved, by the rule: without a pace where it finds none of use. */
  readonly rule: PacedRun;
  /** Interleaved, the best of the sweep, and the best of it without a pace. */
  readonly best: PacedRun;
  readonly unpaced: PacedRun;
  /** The best of the disciplines that send to one receiver at a time, and of cyclic shifts. */
  readonly other: PacedRun;
  /** What a plan chooses. */
  readonly plan: PacedRun;
  /** Time by the rule, by the best of the sweep; time by the plan, by the best of all. */
  readonly ruleRatio: number;
  readonly planRatio: number;
}

/** Bytes of a block, and of the packets of the sweep: with their heads powers of 2, and the whole block. */
const BLOCK = 16_384;
const PACKETS = [2016, 4064, 8160, BLOCK];
const QUICK_PACKETS = [4064, BLOCK];
/** Steps of a pace, from what a receiver takes down to a third of it. */
const STEPS = 15;
const STEP = 0.93;
const QUICK_STEPS = 3;
const SIZES = [8, 16, 32, 64];
const QUICK_SIZES = [8];
const OTHERS = ["cyclic-shift", "token", "barrier", "dynamic"] as const;
const JITTER = 0.2;
/** Blocks of a PE, about: of a pair at least more than two buffers of its lane hold. */
const BLOCKS = 64;
const LEAST_OF_PAIR = 3;
const blocksFor = (pes: number): number => (pes - 1) * Math.max(LEAST_OF_PAIR, Math.ceil(BLOCKS / (pes - 1)));

/** The machines of the paper, slow receivers, and a network without a limit of what is underway to a node. */
const NETWORKS: Readonly<Record<string, PlannedCase["network"]>> = {
  ...Object.fromEntries(Object.values(machines).map(({ name, network }) => [name, apartIn(network)])),
  "slow receivers": SLOW_RECEIVERS,
  "omni-path": networks["omni-path"].network,
};

export interface PacingOptions {
  /** @default all machines */
  readonly like?: TrafficMachineName | undefined;
  readonly quick?: boolean | undefined;
  readonly seed?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Every machine with 8 to 64 PEs, all pairs and random receivers. */
export async function judgePaces({ like, quick = false, seed = 1, onProgress }: PacingOptions): Promise<JudgedPace[]> {
  const names = Object.keys(NETWORKS).filter((name) => like === undefined || name === like);
  const cases = names.flatMap((name) =>
    (quick ? QUICK_SIZES : SIZES).flatMap((pes) =>
      (["all pairs", "random"] as const).map((pattern): PlannedCase => {
        const shape = { pes, nodes: pes, pattern, blockBytes: BLOCK, blocks: blocksFor(pes) };
        return { name, network: NETWORKS[name], jitter: JITTER, seed, ...shape };
      }),
    ),
  );
  const judged: JudgedPace[] = [];
  for (const [i, one] of cases.entries()) {
    onProgress?.({ stage: `${one.name}, ${one.pes} PEs, ${one.pattern}`, done: i / cases.length });
    judged.push(judgePace(one, quick));
    await new Promise(setImmediate); // Ctrl-C
  }
  return judged;
}

function judgePace(of: PlannedCase, quick: boolean): JudgedPace {
  const { pes, nodes, network, pattern, blockBytes, blocks, seed } = of;
  const lists = Array.from({ length: pes }, (_, pe) => blocksOf(pattern, { pes, blocks, blockBytes, seed }, pe));
  const run = (choices: ExchangeChoices): PacedRun => ({ choices, time: timeOf(of, lists, choices) });
  const load = { pes, nodes, network, blockBytes, ...loadOf(lists) };
  const rule = run(makeExchangePlan(undefined, { ...load, discipline: "interleaved" }).options);
  const plan = run(makeExchangePlan(undefined, load).options);
  const inTurn = { discipline: "interleaved", chunkBytes: blockBytes } as const;
  const packets = quick ? QUICK_PACKETS : PACKETS;
  const unpaced = bestOf(packets.map((packetBytes) => run({ ...inTurn, packetBytes })));
  const swept = pacesFor(network, quick).flatMap((pace) =>
    packets.map((packetBytes) => run({ ...inTurn, packetBytes, pace })),
  );
  const best = bestOf([unpaced, ...swept]);
  const other = bestOf(OTHERS.map((discipline) => run({ discipline, chunkBytes: blockBytes })));
  const least = Math.min(best.time, other.time, rule.time, plan.time);
  return { of, rule, best, unpaced, other, plan, ruleRatio: rule.time / best.time, planRatio: plan.time / least };
}

const bestOf = (runs: readonly PacedRun[]): PacedRun => runs.reduce((a, b) => (b.time < a.time ? b : a));

/** Bytes per second. */
function pacesFor(network: PlannedCase["network"], quick: boolean): readonly number[] {
  const { ejection, injection } = typeof network === "string" ? networks[network].network : network;
  const byte = Math.max(ejection?.byte ?? 0, injection?.byte ?? 0);
  return Array.from({ length: quick ? QUICK_STEPS : STEPS }, (_, i) => (1e9 / byte) * STEP ** i);
}
