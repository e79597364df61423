/**
 * The plan of an exchange: discipline, bytes of a turn, window, packets and pace for its load on a machine.
 *
 * Each discipline that one would want is predicted (predict.ts) with each size of chunks. Of those that take hardly
 * longer than the fastest, the simplest one is chosen: eager wherever receivers keep up. Forced choices are kept, and
 * the others are chosen for them. Equal arguments give the same plan at every PE.
 *
 * `static` is not chosen, as it sends nothing before all lists are closed; barriers between tokens (`barrierEvery`) are
 * not, as they gained nothing in the simulator, nor dynamic scheduling with tokens: it gains or loses by the machine.
 *
 * Example: 8 nodes, blocks of 64 KiB from each to each, 4 places at each receiver: a barrier after each round. Blocks
 * of 1 KiB: cyclic shifts without barriers, as a barrier takes longer than a block.
 */
import {
  type DisciplineName,
  type ExchangeChoices,
  type ExchangeLoad,
  exchangeChoice,
  unusedBy,
} from "../../route/disciplines/options.ts";
import type { CostModel } from "../model/cost-model.ts";
import { explainExchange } from "./explain.ts";
import { pacedFor } from "./pace.ts";
import { blockBytesOf, type Phase, phaseOf, receivingByteOf } from "./phase.ts";
import { type ExchangePrediction, LIKE, PLANNED, predictPhase } from "./predict.ts";

/** The choices for an exchange, and the reasons. */
export interface ExchangePlan {
  /** The choices, to pass to `exchange(pe, plan.options)`. */
  readonly options: ExchangeChoices;
  /** The prediction for them. */
  readonly expected: ExchangePrediction;
  /** The best of each other discipline, the best first. */
  readonly others: readonly ExchangePrediction[];
  /** Names of the forced choices that are kept: not those that the discipline does not use. */
  readonly forced: readonly string[];
  /** The load that it is for. */
  readonly workload: ExchangeLoad;
  /** The PEs that it is for. */
  readonly world: { readonly pes: number; readonly nodes: number };
  /** Why they were chosen, a line each. */
  readonly reasons: readonly string[];
  /** The load, the choices, why, and why not others, one line each. */
  explain(): string;
}

/** Bytes of an item for the costs of a model: those of items are not used. */
export const BLOCK_COSTS = 64;
/** Disciplines within so much of the best are as good. */
const SAME = 0.05;
/** Bytes of a turn, where blocks are longer. */
const CHUNKS = [65_536, 262_144, 1_048_576];
/** Rounds ahead that are of use. */
const MOST_WINDOW = 16;
/** A receiver is slower than its sender from here on. */
const SLOWER = 1.05;

const plans = new WeakMap<CostModel, Map<string, ExchangePlan>>();

/** @param forced choices that are kept */
export function planExchange(model: CostModel, load: ExchangeLoad, forced: ExchangeChoices = {}): ExchangePlan {
  // cached: thousands of virtual PEs make the same plan
  const own = plans.get(model) ?? new Map<string, ExchangePlan>();
  plans.set(model, own);
  const name = JSON.stringify([load, forced]);
  const plan = own.get(name) ?? newPlan(model, load, forced);
  own.set(name, plan);
  return plan;
}

function newPlan(model: CostModel, load: ExchangeLoad, forced: ExchangeChoices): ExchangePlan {
  const { discipline } = forced;
  const paces = pacesOf(model, load, forced);
  const phaseWith = (name: DisciplineName, chunkBytes: number, packets: number | undefined): Phase => {
    const open = { ...forced, discipline: name, chunkBytes, packetBytes: forced.packetBytes ?? packets };
    const { packetBytes, buffersPerLink } = exchangeChoice(open);
    return phaseOf(model, load, { chunkBytes, packetBytes, buffersPerLink });
  };
  const bestOf = (name: DisciplineName): ExchangePrediction =>
    chunksOf(model, load, forced)
      .flatMap((chunkBytes) =>
        (isPaced(name) ? paces : [{ pace: forced.pace }]).map((paced) =>
          predictionOf(model, phaseWith(name, chunkBytes, paced.packetBytes), name, chunkBytes, paced, forced),
        ),
      )
      // small turns and no pace, where others gain nothing
      .reduce((a, b) => (b.time < a.time * (1 - SAME / 5) ? b : a));
  const all = [...new Set<DisciplineName>(discipline === undefined ? PLANNED : [discipline, ...PLANNED])].map(bestOf);
  const least = Math.min(...all.map(({ time }) => time));
  const good = all.filter((one) =>
    discipline === undefined ? one.time <= least * (1 + SAME) : one.discipline === discipline,
  );
  // a pace costs time where delays vary less
  const expected = good.find(({ pace }) => pace === forced.pace) ?? (good[0] as ExchangePrediction);
  const others = all.filter((one) => one !== expected).sort((a, b) => a.time - b.time);
  const { time, network, crowd, rounds, ...chosen } = expected;
  const unused = unusedBy(expected.discipline, forced);
  const kept = Object.entries(said(forced)).filter(([name]) => !unused.some((one) => one === name));
  const options = { ...Object.fromEntries(kept), ...said(chosen) };
  const names = kept.map(([name]) => name);
  const lost = unused.map((name) => `${name} ${forced[name]}`);
  const phase = phaseWith(expected.discipline, expected.chunkBytes, expected.packetBytes);
  const told = explainExchange({ model, load, phase, expected, others, forced: names, lost });
  return {
    options,
    expected,
    others,
    forced: names,
    workload: load,
    reasons: told.reasons,
    world: { pes: model.pes, nodes: model.nodes },
    explain: told.explain,
  };
}

const said = <T extends object>(of: T): Partial<T> =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Partial<T>;

/**
 * Sizes of chunks to try. A chunk has no more than a block. Real networks hold more of a larger one when the next
 * sender begins: on eight hosts chunks of 128 KiB took up to 35 % longer than of 64 KiB.
 */
function chunksOf(model: CostModel, load: ExchangeLoad, { chunkBytes }: ExchangeChoices): readonly number[] {
  if (chunkBytes !== undefined) return [chunkBytes];
  const block = Math.ceil(blockBytesOf(model, load));
  if (model.countsLastReturns) return [Math.min(block, CHUNKS[0] as number)];
  const smaller = CHUNKS.filter((bytes) => bytes < block);
  return [...smaller, Math.min(block, CHUNKS.at(-1) as number)].filter((bytes, i, all) => all.indexOf(bytes) === i);
}

/** Those that send to one receiver at a time gained nothing by a pace in the simulator. */
const isPaced = (name: DisciplineName): boolean => LIKE[name] === "eager" || LIKE[name] === "interleaved";

/** A pace, and the packets that were chosen with it. */
type Tried = Pick<ExchangePrediction, "packetBytes" | "pace">;

/**
 * Paces to try: none, and one with its packets (pace.ts) where that is of use. On real networks, which hold many bytes,
 * it was not measured: there what a receiver takes, if that is less than a PE sends.
 */
function pacesOf(model: CostModel, load: ExchangeLoad, forced: ExchangeChoices): readonly Tried[] {
  if (forced.pace !== undefined) return [{ pace: forced.pace }];
  if (model.countsLastReturns) {
    const receiving = receivingByteOf(model);
    const isSlower = receiving > SLOWER * (model.network.congestion?.injection.byte ?? 0);
    return isSlower ? [{}, { pace: Number((1e9 / receiving / model.nodeSize).toPrecision(3)) }] : [{}];
  }
  const { buffersPerLink } = exchangeChoice({ ...forced, discipline: "interleaved" });
  const paced = pacedFor(model, load, buffersPerLink, forced.packetBytes);
  return paced === null ? [{}] : [{}, paced];
}

function predictionOf(
  model: CostModel,
  phase: Phase,
  discipline: DisciplineName,
  chunkBytes: number,
  { packetBytes, pace }: Tried,
  forced: ExchangeChoices,
): ExchangePrediction {
  const { window = Math.max(2, Math.min(MOST_WINDOW, Math.ceil(phase.rounds))) } = forced;
  return {
    discipline,
    chunkBytes,
    packetBytes,
    pace,
    ...(discipline === "dynamic" && { window }),
    ...predictPhase(model, phase, LIKE[discipline], pace),
  };
}
