/** One exchange in the simulator, timed and watched: a machine, a discipline, a pattern and a block size. */

import { decideExchange } from "../../../../src/facilities/exchange/decide.ts";
import { type ExchangeStats, Phases } from "../../../../src/facilities/exchange/phases.ts";
import type { SitePlan } from "../../../../src/links/transport/contract.ts";
import type { SimulatedNetwork } from "../../../../src/plan/network/network.ts";
import type { DisciplineName, ExchangeOptions } from "../../../../src/route/disciplines/options.ts";
import { newSimulatedExchange } from "../../../../src/running/simulate/exchange.ts";
import { VirtualMachine } from "../../../../src/running/simulate/machine.ts";
import { settle } from "../../../../src/running/simulate/options.ts";
import { ConveyorRoom } from "../../../../src/running/simulate/room.ts";
import type { TrafficMachine } from "./machines.ts";
import { blocksOf, type PatternName, type TrafficBlock } from "./patterns.ts";
import { Watch } from "./watch.ts";

/** A point of a curve. */
export interface TrafficCase {
  readonly machine: TrafficMachine;
  readonly discipline: DisciplineName;
  readonly pattern: PatternName;
  readonly blockBytes: number;
  /** Blocks of each PE. @default as many as the bytes of a node make, within limits */
  readonly blocks?: number | undefined;
  /** In place of chunks of a block, packets of the machine, and 4 buffers for each lane. */
  readonly options?: ExchangeOptions | undefined;
  /** In place of parts of the machine's network. */
  readonly network?: SimulatedNetwork | undefined;
  /** @default 1 */
  readonly seed?: number | undefined;
}

/** Its result. */
export interface TrafficRun {
  readonly machine: string;
  readonly discipline: DisciplineName;
  readonly pattern: PatternName;
  readonly blockBytes: number;
  readonly blocks: number;
  /** Virtual time, ns. */
  readonly time: number;
  /** MB/s out of a node, the mean. */
  readonly bandwidth: number;
  /** Mean share of the PEs that were sending, from 0 to 1. */
  readonly busy: number;
  /** PEs that were sending, every `interval` ns. */
  readonly interval: number;
  readonly senders: readonly number[];
  /** Senders of one receiver at once. */
  readonly mostAtOnce: number;
  readonly meanAtOnce: number;
  /** The discipline's counts, of all PEs. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Blocks of a node: no more of small ones than take some seconds, and no fewer of large ones than make a pattern. */
const MOST_BLOCKS = 256;
const LEAST_BLOCKS = 16;
/** ms of virtual time */
const TIMEOUT = 600_000;
const MEMORY = 2 ** 32;

/** @throws the error that ended the world */
export function runTraffic(one: TrafficCase): TrafficRun {
  const { machine: computer, discipline, pattern, blockBytes, network, seed = 1 } = one;
  const { nodes: pes, packetBytes, nodeBytes, jitter } = computer;
  const fitting = Math.round(nodeBytes / blockBytes);
  const { blocks = Math.max(LEAST_BLOCKS, Math.min(MOST_BLOCKS, fitting)) } = one;
  const machine = new VirtualMachine(
    settle({
      pes,
      nodes: pes,
      seed,
      jitter,
      timeout: TIMEOUT,
      memoryBytes: MEMORY,
      network: { ...computer.network, ...network },
    }),
  );
  const lists = machine.pes.map(({ rank }) => blocksOf(pattern, { pes, blocks, blockBytes, seed }, rank));
  const largest = Math.max(...lists.flat().map(({ bytes }) => bytes));
  const watch = new Watch(machine, blockBytes * (computer.network.injection?.byte ?? 1));
  const options = {
    discipline,
    chunkBytes: blockBytes,
    packetBytes: Math.min(packetBytes, blockBytes),
    buffersPerLink: 4 as const,
    ...one.options,
  };
  play(machine, watch, options, lists, new Uint8Array(largest));
  const { time } = machine;
  const sum = lists.flat().reduce((bytes, block) => bytes + block.bytes, 0);
  const { senders, ...watched } = watch.result;
  const busy = senders.reduce((a, b) => a + b, 0) / Math.max(1, senders.length * pes);
  return {
    machine: computer.name,
    discipline,
    pattern,
    blockBytes,
    blocks,
    time,
    bandwidth: (1000 * sum) / pes / time,
    busy,
    senders,
    ...watched,
    counts: sumOf(machine.pes.map(({ result }) => (result as ExchangeStats).counts)),
  };
}

function play(
  machine: VirtualMachine,
  watch: Watch,
  options: ExchangeOptions,
  lists: readonly TrafficBlock[][],
  data: Uint8Array,
): void {
  const room = new ConveyorRoom(machine, []);
  machine.run(function* ({ rank }): Generator<void, ExchangeStats, void> {
    const context = room.sites(rank);
    // the site of data is the first, that of control messages the second
    let sites = 0;
    const site = (plan: SitePlan, maxBytes: number) =>
      context.site(sites++ === 0 ? { ...plan, wrap: (porter) => watch.porter(rank, porter) } : plan, maxBytes);
    const x = newSimulatedExchange(new Phases({ rank, size: context.size, site }, decideExchange(context, options)));
    for (const { dest, bytes } of lists[rank]) x.schedule(dest, data.subarray(0, bytes));
    yield* x.finish(() => {});
    const stats = x.stats();
    x.free();
    return stats;
  });
  machine.memory.leave();
}

function sumOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const counts of all) for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
