/** One pass over all ordered pairs, and its result. */

import type { ChannelKind } from "../../src/ground/base/channel-kinds.ts";
import { type Answer, BATCHES, type PairwiseSide } from "./jobs.ts";
import { chainsOf } from "./relays.ts";
import type { Summary } from "./statistics.ts";
import type { PairWorkers } from "./workers.ts";

type Grid = number[][];

/** All matrices of one pass, in ns (bandwidth: bytes per ns); row = sender. */
export interface Pass {
  readonly batches: Record<string, { send: Grid; receive: Grid }>;
  readonly rtt: Grid;
  readonly deviation: { send: Grid; receive: Grid; rtt: Grid };
  readonly stream: Grid;
  readonly bandwidth: Grid;
  /** Two PEs that signal each other at once, and that send each other a message at once. */
  readonly meet: Grid;
  readonly exchange: Grid;
  /** Of the chains of relays.ts, there and back; and once round all PEs. None with fewer than three PEs. */
  readonly chains: readonly number[];
  readonly ring: number;
  /** Cache-line round trip between the first two PEs, before and after. */
  readonly probe: readonly [before: number, after: number];
}

/** How much is measured for each pair. */
export interface PassOptions {
  readonly channel: ChannelKind;
  readonly rounds: number;
  readonly messages: number;
  readonly blocks: number;
  /** Called between pairs. */
  readonly onPair?: (done: number, pairs: number) => void;
  readonly signal?: AbortSignal | undefined;
}

const PROBE_ROUNDS = 5000;

const value = (answer: Answer): number => (answer.kind === "value" ? answer.value : Number.NaN);
const sides = (answer: Answer): readonly PairwiseSide[] => (answer.kind === "pairwise" ? answer.sides : []);

/** Cache-line round trip between the first two PEs, ns; 0 for a single one. */
export async function probe(pairWorkers: PairWorkers, pes: number): Promise<number> {
  if (pes < 2) return 0;
  const [lead] = await pairWorkers.pair(0, 1, { kind: "probe", count: PROBE_ROUNDS });
  return value(lead);
}

/** Measures every ordered pair once, and the chains. */
export async function measurePass(pairWorkers: PairWorkers, pes: number, options: PassOptions): Promise<Pass> {
  const grid = (): Grid => Array.from({ length: pes }, () => new Array<number>(pes).fill(0));
  const pass = {
    batches: Object.fromEntries(BATCHES.map((batch) => [batch, { send: grid(), receive: grid() }])),
    rtt: grid(),
    deviation: { send: grid(), receive: grid(), rtt: grid() },
    stream: grid(),
    bandwidth: grid(),
    meet: grid(),
    exchange: grid(),
  };
  const before = await probe(pairWorkers, pes);
  let done = 0;
  for (let from = 0; from < pes; from++) {
    for (let to = 0; to < pes; to++) {
      if (from === to) continue;
      options.signal?.throwIfAborted();
      const { channel } = options;
      const [lead, follow] = await pairWorkers.pair(from, to, {
        kind: "pairwise",
        channel,
        count: options.rounds,
      });
      BATCHES.forEach((batch, i) => {
        const { send, rtt } = sides(lead)[i] as { send: Summary; rtt: Summary };
        const { receive } = sides(follow)[i] as { receive: Summary };
        pass.batches[batch].send[from][to] = send.mean;
        pass.batches[batch].receive[from][to] = receive.mean;
        if (batch === 1) pass.deviation.rtt[from][to] = rtt.deviation;
        // the model uses the last batch size
        pass.deviation.send[from][to] = send.deviation;
        pass.deviation.receive[from][to] = receive.deviation;
      });
      // no look at the clock on the way, other than in batches
      const [trip] = await pairWorkers.pair(from, to, { kind: "rtt", channel, count: options.messages });
      pass.rtt[from][to] = value(trip);
      const [streamed] = await pairWorkers.pair(from, to, {
        kind: "stream",
        channel,
        count: options.messages,
      });
      pass.stream[from][to] = value(streamed);
      const [moved] = await pairWorkers.pair(from, to, { kind: "bulk", count: options.blocks });
      pass.bandwidth[from][to] = value(moved);
      if (from < to) {
        for (const kind of ["meet", "exchange"] as const) {
          const [met] = await pairWorkers.pair(from, to, { kind, channel, count: options.messages });
          pass[kind][from][to] = pass[kind][to][from] = value(met);
        }
      }
      options.onPair?.(++done, pes * (pes - 1));
    }
  }
  const { channel, rounds: count, signal } = options;
  const chains: number[] = [];
  for (const [a, b, c] of chainsOf(pes)) {
    signal?.throwIfAborted();
    chains.push(await pairWorkers.walk([a, b, c, b], { channel, count }));
  }
  const all = Array.from({ length: pes }, (_, pe) => pe);
  const ring = chains.length === 0 ? 0 : await pairWorkers.walk(all, { channel, count });
  return { ...pass, chains, ring, probe: [before, await probe(pairWorkers, pes)] };
}
