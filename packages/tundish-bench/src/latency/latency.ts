/**
 * The latency of items of 40 bytes in a stream of a given rate, from when an item was due to when its receiver has it:
 * conveyors with `maxDelay`, and postMessage, each item by itself and up to 1000 together. All in turn, on the same
 * CPUs, with the distance of the CPUs before and after each.
 *
 * An item is due at a time that follows from the rate, not from when the one before was sent. So what waits because a
 * sender is behind counts (no coordinated omission). A sender that is behind gives up after twice the time; the rate
 * that it has reached is then less.
 */
import { MessageChannel } from "node:worker_threads";
import { Prober } from "../../../../microbench/pairs/prober.ts";
import { answersOf } from "../../../../microbench/rivals/threads.ts";
import { type BenchOptions, cpusOf, modelOf } from "../../../../microbench/turns/options.ts";
import { UsageError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { spawnThread } from "../../../../src/ground/base/thread/spawn.ts";
import { readTopology } from "../../../../src/machine/topology/topology.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { LatencyHistogram } from "./histogram.ts";
import { DOUBLES, type LatencyPart, limitOf, MAX_DELAY, type Pace, totalOf } from "./job.ts";
import type { LatencyJob } from "./latency.program.ts";
import type { PostJob } from "./poster.ts";

/** One contender at one rate, over all turns and threads. Latencies are ns. */
export interface MeasuredLatency {
  readonly name: string;
  /** Items per second of each thread: wanted, and received. */
  readonly rate: number;
  readonly reached: number;
  /** Whether a sender gave up, or was more than a tenth slower. */
  readonly isBehind: boolean;
  readonly sent: number;
  readonly received: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly most: number;
  /** In one buffer or message. */
  readonly itemsEach: number;
}

/** The result. */
export interface LatencyBench {
  readonly cpus: readonly number[];
  readonly bytes: number;
  readonly maxDelay: number;
  /** Round trips of a cache line before and after each turn, ns. */
  readonly distances: readonly number[];
  /** By rate, then by contender. */
  readonly measured: readonly MeasuredLatency[];
}

export interface LatencyOptions extends Pick<BenchOptions, "cpus" | "turns" | "quick" | "onProgress" | "signal"> {
  /** Items per second of each thread. @default 10^3 to 10^7 */
  readonly rates?: readonly number[] | undefined;
}

const RATES = [1e3, 1e4, 1e5, 1e6, 1e7];
const LIMIT_MS = 120_000;

type Run = (cpus: readonly number[], paces: readonly Pace[], signal?: AbortSignal) => Promise<LatencyPart[][]>;

/** By name; each gives by thread and pace what was seen. */
const CONTENDERS: readonly (readonly [name: string, run: Run])[] = [
  ["conveyor, maxDelay 1 ms", conveyor({ maxDelay: MAX_DELAY })],
  ["conveyor, maxDelay 1 ms, adapt", conveyor({ maxDelay: MAX_DELAY, adapt: true })],
  ["postMessage, up to 1000 items or 1 ms", posted("bundles")],
  ["postMessage, each item", posted("items")],
];

/**
 * Measures. @throws UsageError for rates and CPUs that cannot be; EnvironmentError if there is only one; what
 * {@link launch} throws
 */
export async function benchLatency(options: LatencyOptions): Promise<LatencyBench> {
  const { quick = false, turns = quick ? 1 : 3, rates = RATES, onProgress, signal } = options;
  if (rates.length === 0 || rates.some((rate) => !(rate >= 1 && rate <= 1e9))) {
    throw new UsageError(`rates: expected items per second from 1 to 1e9, got ${rates.join(",") || "none"}`);
  }
  const cpus = cpusOf(await readTopology(), options.cpus);
  const paces = rates.map((rate): Pace => ({ rate, ms: quick ? 50 : 1000 }));
  const parts = new Map<string, LatencyPart[][]>(CONTENDERS.map(([name]) => [name, rates.map(() => [])]));
  const distances: number[] = [];
  await using prober = await Prober.start(cpus, quick);
  for (let turn = 0; turn < turns; turn++) {
    for (const [i, [name, run]] of CONTENDERS.entries()) {
      signal?.throwIfAborted();
      onProgress?.({ stage: `turn ${turn + 1}: ${name}`, done: (turn + i / CONTENDERS.length) / turns });
      distances.push(await prober.line());
      for (const threads of await run(cpus, paces, signal))
        for (const [k, part] of threads.entries()) parts.get(name)?.[k].push(part);
    }
  }
  distances.push(await prober.line());
  const measured = paces.flatMap((pace, k) =>
    CONTENDERS.map(([name]) => summed(name, pace, parts.get(name)?.[k] ?? [])),
  );
  return { cpus, bytes: 8 * DOUBLES, maxDelay: MAX_DELAY, distances, measured };
}

/** All turns and threads as one. */
export function summed(name: string, pace: Pace, parts: readonly LatencyPart[]): MeasuredLatency {
  const all = new LatencyHistogram();
  for (const part of parts) all.merge(part);
  const sum = (of: "sent" | "received" | "messages" | "took") => parts.reduce((total, part) => total + part[of], 0);
  const reached = sum("took") > 0 ? (sum("received") / sum("took")) * 1000 : 0;
  const gaveUp = parts.some(({ sent }) => sent < totalOf(pace));
  return {
    name,
    rate: pace.rate,
    reached,
    isBehind: gaveUp || reached < 0.9 * pace.rate,
    sent: sum("sent"),
    received: sum("received"),
    p50: all.percentile(0.5),
    p90: all.percentile(0.9),
    p99: all.percentile(0.99),
    p999: all.percentile(0.999),
    most: all.most,
    itemsEach: sum("messages") > 0 ? sum("sent") / sum("messages") : 0,
  };
}

function conveyor(options: ConveyorOptions): Run {
  return async (cpus, paces, signal) => {
    const args: LatencyJob = { options, paces };
    const machine = modelOf(await readTopology(), cpus, undefined);
    const module = sibling("./latency.program.js", import.meta.url);
    return launch<LatencyPart[]>(module, {
      args,
      pes: cpus.length,
      machine,
      timeout: LIMIT_MS,
      ...(signal && { signal }),
    });
  };
}

function posted(kind: PostJob["kind"]): Run {
  return (cpus, paces) => {
    const channels = cpus.map(() => new MessageChannel());
    const pes = cpus.length;
    const shared = {
      kind,
      pes,
      paces,
      meeting: new Int32Array(new SharedArrayBuffer(4)),
      start: new Float64Array(new SharedArrayBuffer(8)),
      received: new Int32Array(new SharedArrayBuffer(4 * pes)),
    };
    const threads = cpus.map((cpu, rank) => {
      const out = channels[rank].port1;
      const from = channels[(rank + pes - 1) % pes].port2;
      const workerData: PostJob = { ...shared, cpu, rank, out, in: from };
      return spawnThread({
        entry: sibling("./poster.js", import.meta.url),
        workerData,
        name: `poster ${rank}`,
        transferList: [out, from],
      });
    });
    const longest = paces.reduce((total, pace) => total + 2 * limitOf(pace), 0);
    return answersOf<LatencyPart[]>(threads, threads, longest);
  };
}
