/**
 * Judges plans of exchanges: each discipline that a plan may choose is run in the simulator, and the one that it has
 * chosen is compared with the best.
 */

import { randomNumbers } from "../../../../src/ground/base/random.ts";
import { makeExchangePlan } from "../../../../src/plan/exchange/make-exchange-plan.ts";
import { PLANNED, type Planned } from "../../../../src/plan/exchange/predict.ts";
import type { NetworkName, SimulatedNetwork } from "../../../../src/plan/network/network.ts";
import type { ExchangeLoad } from "../../../../src/route/disciplines/options.ts";
import { simulate } from "../../../../src/running/simulate/simulate.ts";
import { congestedNetwork, simpleNetwork } from "../plan/plan-networks.ts";
import { machines } from "./machines.ts";
import { blocksOf, type PatternName, type TrafficBlock } from "./patterns.ts";

/** A network, PEs on it, and what they send. */
export interface PlannedCase {
  readonly name: string;
  readonly pes: number;
  readonly nodes: number;
  readonly network: SimulatedNetwork | NetworkName;
  readonly jitter: number;
  readonly pattern: PatternName;
  readonly blockBytes: number;
  /** Blocks of each PE. */
  readonly blocks: number;
  readonly seed: number;
}

/** Times are ns. */
export interface JudgedPlan {
  readonly of: PlannedCase;
  readonly discipline: Planned;
  /** Predicted and simulated, of what was chosen. */
  readonly predicted: number;
  readonly simulated: number;
  /** By the best: what was chosen, and eager. */
  readonly excess: number;
  readonly eager: number;
  readonly best: Planned;
}

/** ms of virtual time */
const TIMEOUT = 600_000;
const MEMORY = 2 ** 32;

export function judgeExchange(of: PlannedCase): JudgedPlan {
  const { pes, nodes, network, pattern, blockBytes, blocks, seed } = of;
  const lists = Array.from({ length: pes }, (_, pe) => blocksOf(pattern, { pes, blocks, blockBytes, seed }, pe));
  const { options, expected } = makeExchangePlan(undefined, {
    pes,
    nodes,
    network,
    blockBytes,
    ...loadOf(lists),
  });
  const discipline = options.discipline as Planned;
  const times = new Map(
    PLANNED.map((one) => [
      one,
      timeOf(
        of,
        lists,
        one === discipline
          ? options
          : { ...options, discipline: one, packetBytes: undefined, pace: undefined, window: undefined },
      ),
    ]),
  );
  const [best, least] = [...times].reduce((a, b) => (b[1] < a[1] ? b : a));
  const simulated = times.get(discipline) as number;
  const eager = (times.get("eager") as number) / least;
  return { of, discipline, predicted: expected.time, simulated, excess: simulated / least, eager, best };
}

/** A program's description of these blocks. */
export function loadOf(lists: readonly (readonly TrafficBlock[])[]): Omit<ExchangeLoad, "blockBytes"> {
  const received = new Float64Array(lists.length);
  let destinations = 0;
  for (const list of lists) {
    for (const { dest, bytes } of list) received[dest] += bytes;
    destinations += new Set(list.map(({ dest }) => dest)).size / lists.length;
  }
  const sum = received.reduce((a, b) => a + b, 0);
  const skew = (Math.max(...received) * lists.length) / sum;
  return { bytes: sum / lists.length, destinations: Math.round(destinations), skew: skew < 1.02 ? 1 : skew };
}

/** The simulated time of a phase, ns. */
export function timeOf(
  { pes, nodes, network, jitter, seed }: PlannedCase,
  lists: readonly (readonly TrafficBlock[])[],
  options: Parameters<Parameters<Parameters<typeof simulate>[1]>[0]["exchange"]>[0],
): number {
  const data = new Uint8Array(Math.max(...lists.flat().map(({ bytes }) => bytes)));
  const world = { pes, nodes, network, jitter, seed, timeout: TIMEOUT, memoryBytes: MEMORY };
  return simulate(world, function* (pe) {
    const x = pe.exchange(options);
    for (const { dest, bytes } of lists[pe.rank]) x.schedule(dest, data.subarray(0, bytes));
    yield* x.finish(() => {});
    x.free();
  }).time;
}

/** Networks as `tundish profile` measures them: bytes go in as fast as they come out. */
const MEASURED: SimulatedNetwork = { alpha: 20_000, receiver: 1700, injection: { message: 5000, byte: 8 } };
/** Receivers take four times as long for a byte, and 8 packets can be underway to a node. */
export const SLOW_RECEIVERS: SimulatedNetwork = {
  alpha: 20_000,
  beta: 0,
  queue: 8,
  packetBytes: 8192,
  injection: { message: 1000, byte: 2 },
  ejection: { message: 1000, byte: 8 },
};

/** Plans know how long one processor for both ways takes, but not how long it waits. */
export const apartIn = (network: SimulatedNetwork): SimulatedNetwork => ({
  ...network,
  processor: false,
  control: false,
});

/** The machines of the paper but the largest, and networks like measured ones, at two block sizes. */
export function namedCases(): PlannedCase[] {
  const { paragon, alewife } = machines;
  const named = [
    ...[paragon, alewife].map(({ name, nodes, network, jitter }) => ({
      ...{ name, nodes, jitter, network: apartIn(network) },
    })),
    ...[4, 8].map((nodes) => ({ name: "as measured", nodes, network: MEASURED, jitter: 0.2 })),
    { name: "slow receivers", nodes: 8, network: SLOW_RECEIVERS, jitter: 0.2 },
  ];
  return named.flatMap((machine) =>
    (["all pairs", "random", "hot spot"] as const).flatMap((pattern) =>
      [4096, 65_536].map((blockBytes) => ({
        ...machine,
        pes: machine.nodes,
        pattern,
        blockBytes,
        blocks: 42,
        seed: 1,
      })),
    ),
  );
}

/** Networks and loads drawn from wide ranges; the same for the same seed. */
export function drawnCase(seed: number): PlannedCase {
  const random = randomNumbers(seed * 7919);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const between = (least: number, most: number): number => least * (most / least) ** random();
  const nodes = one([2, 4, 4, 8, 8, 16]);
  const pes = nodes * one([1, 1, 1, 2, 4]);
  const { network: drawn, name } =
    random() < 0.15 ? simpleNetwork({ one, between }) : congestedNetwork({ one, between }, nodes);
  const limits = {
    queue: one([undefined, 4, 8, 32]),
    interleaved: one([undefined, undefined, undefined, true]),
  };
  const isNamed = typeof drawn === "string" || drawn.injection === undefined;
  return {
    name,
    pes,
    nodes,
    seed,
    jitter: 0.1,
    network: isNamed ? drawn : { ...drawn, ...limits },
    pattern: one(["all pairs", "all pairs", "random", "hot spot", "permutation", "stencil"]),
    blockBytes: one([512, 2048, 8192, 32_768, 65_536, 262_144]),
    blocks: one([pes - 1, 16, 48]),
  };
}
