/**
 * Compares the collectives with those of Node.js, of the available C libraries, and with the raw limit: in turns, in
 * one run, on the same CPUs (see turns.ts).
 */

import type { Measured, Missing } from "../../../../microbench/pairs/profiled.ts";
import { PairWorkers } from "../../../../microbench/pairs/workers.ts";
import { rivals } from "../../../../microbench/rivals/contenders.ts";
import { probeWords } from "../../../../microbench/turns/distance.ts";
import { type BenchOptions, cpusOf, modelOf, turnsOf } from "../../../../microbench/turns/options.ts";
import { type Contender, type Entry, type TurnsMade, takeTurns } from "../../../../microbench/turns/turns.ts";
import { type ChannelKind, channelKinds } from "../../../../src/ground/base/channel-kinds.ts";
import { EnvironmentError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { channelOf } from "../../../../src/ground/channel/backends.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { readTopology } from "../../../../src/machine/topology/topology.ts";
import type { BatchVolume } from "../../../../src/running/contest/batches.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import type { LaunchOptions } from "../../../../src/running/run/options.ts";
import { findPeers, measurePeer } from "../peers/peers.ts";
import { checkTargets, IDLE, OVERSUBSCRIBED, type TargetResult, WAKE } from "../turns/targets.ts";
import type { BenchAnswer, BenchJob } from "./bench-collectives.program.ts";

/** The result of {@link benchCollectives}. */
export interface CollectivesBench extends Omit<TurnsMade, "complete"> {
  readonly cpus: readonly number[];
  /** Whether our PEs could be bound to these CPUs. */
  readonly pinned: boolean;
  /** Whether the machine was in one mode for a turn of every program. */
  readonly stable: boolean;
  readonly targets: readonly TargetResult[];
  /** All measurements, by mode; ours have the name `tundish`. */
  readonly measured: readonly Measured[];
  /** Our collectives that send messages, over each kind of channels: `name` is the kind. */
  readonly channels: readonly Measured[];
  /** Who could not be measured, and why. */
  readonly missing: readonly Missing[];
  /** Versions of the C libraries; of gcc if they come with it. */
  readonly versions: Readonly<Record<string, string>>;
}

const RUN_LIMIT_MS = 60_000;
const FULL: BatchVolume = { batches: 15, batchMs: 4, warmMs: 200 };
const QUICK: BatchVolume = { batches: 3, batchMs: 0.4 };
/**
 * Of calls that move arrays: until V8 has compiled the loops that write and check these, which take as long as a call.
 */
const MOVES_WARM_MS = 800;

/**
 * Measures our collectives and all available others.
 * @throws UsageError for CPUs that cannot be used; EnvironmentError if there is only one; what {@link launch} throws.
 *   Programs that cannot be measured are listed in `missing`.
 */
export async function benchCollectives(options: BenchOptions = {}): Promise<CollectivesBench> {
  const { quick = false, signal } = options;
  const topology = await readTopology();
  const cpus = cpusOf(topology, options.cpus);
  const machine = modelOf(topology, cpus, options.machine);
  const volume = quick ? QUICK : FULL;
  const moved = quick ? QUICK : { ...FULL, warmMs: MOVES_WARM_MS };
  const channel = channelOf(options.channel);
  const ours = new Ours(machine, channel, signal);
  await using peers = await findPeers();
  const there = peers.filter(({ missing }) => missing === null);
  const contenders: Contender[] = [
    ours.contender("all collectives", { kind: "all", volume, words: null }, cpus.length),
    ours.contender("arrays to all, also by hand", { kind: "moves", volume: moved, words: null }, cpus.length),
    ...OVERSUBSCRIBED.filter((pes) => pes > cpus.length).map((pes) =>
      ours.contender(`${pes} PEs`, { kind: "oversubscribed", cpus, volume }, pes),
    ),
    ...channelKinds.map((kind) => ours.channel(kind, volume, cpus.length)),
    ours.idle(quick ? 60 : 500),
    wake(cpus, volume),
    ...rivals(cpus, { batches: volume.batches, share: volume.batchMs / FULL.batchMs }),
    ...there.map((peer) => ({
      name: peer.name,
      run: async () => named(peer.name, await measurePeer(peer, cpus, volume, signal)),
    })),
  ];
  const taken = await takeTurns(contenders, { ...turnsOf(options), cpus });
  const absent = peers.flatMap(({ name, missing }) => (missing === null ? [] : [{ name, reason: missing }]));
  const { complete, missing, measured: all, ...counts } = taken;
  const isChannel = ({ name }: Measured) => (channelKinds as readonly string[]).includes(name);
  const measured = all.filter((one) => !isChannel(one));
  return {
    cpus,
    pinned: ours.pinned,
    stable: complete,
    ...counts,
    targets: checkTargets(measured),
    measured,
    channels: all.filter(isChannel),
    missing: [...missing, ...absent],
    versions: Object.fromEntries(
      there.filter(({ name }) => !name.includes(",")).map(({ name, version }) => [name, version]),
    ),
  };
}

const named = (name: string, samples: readonly Omit<Entry, "name">[]): Entry[] =>
  samples.map((sample) => ({ name, ...sample }));

/** Our part: worlds on the CPUs of a model. */
class Ours {
  /** Whether all PEs that should be bound to a CPU were bound so far. */
  pinned = true;
  readonly #machine: MachineModel;
  readonly #channel: ChannelKind;
  readonly #signal: AbortSignal | undefined;

  constructor(machine: MachineModel, channel: ChannelKind, signal: AbortSignal | undefined) {
    this.#machine = machine;
    this.#channel = channel;
    this.#signal = signal;
  }

  contender(name: string, job: BenchJob, pes: number): Contender {
    const run = async (): Promise<Entry[]> => {
      const [{ samples, byHand }] = await this.#launch(job, pes);
      return [...named("tundish", samples), ...named("by hand", byHand)];
    };
    return { name: `tundish, ${name}`, required: true, run };
  }

  /** The collectives that send messages, over a kind of channels. */
  channel(kind: ChannelKind, volume: BatchVolume, pes: number): Contender {
    const run = async (): Promise<Entry[]> => {
      const [{ samples }] = await this.#launch({ kind: "short", volume, words: null }, pes, kind);
      return named(kind, samples);
    };
    return { name: `tundish, ${kind} channels`, required: true, run };
  }

  /** The CPU time of a PE that waits for another one. */
  idle(ms: number): Contender {
    const run = async (): Promise<Entry[]> => {
      const [, { idle }] = await this.#launch({ kind: "idle", ms }, 2);
      if (idle !== null) return [{ name: "tundish", what: IDLE, batch: 1, samples: [idle] }];
      throw new EnvironmentError(
        "the CPU time of a thread is not available: neither process.threadCpuUsage nor /proc/thread-self/schedstat",
      );
    };
    return { name: "tundish, a waiting PE", run };
  }

  async #launch(job: BenchJob, pes: number, channel = this.#channel): Promise<BenchAnswer[]> {
    const signal = this.#signal;
    const probed = "words" in job ? { ...job, words: probeWords(pes, this.#machine.pes.length) } : job;
    const options: LaunchOptions = {
      args: probed,
      pes,
      channel,
      machine: this.#machine,
      timeout: RUN_LIMIT_MS,
    };
    const module = sibling("./bench-collectives.program.js", import.meta.url);
    const answers = await launch(module, { ...options, ...(signal && { signal }) });
    if ((answers as BenchAnswer[]).some(({ bound }) => !bound)) this.pinned = false;
    return answers as BenchAnswer[];
  }
}

/** Two PEs that each sleep until the other wakes them. */
function wake(cpus: readonly number[], { batches, batchMs }: BatchVolume): Contender {
  const count = Math.max(10, Math.ceil(batchMs * 50)); // 20 us for each is sufficient
  const run = async (): Promise<Entry[]> => {
    await using pairWorkers = await PairWorkers.start(cpus.slice(0, 2));
    const samples: number[] = [];
    for (let b = 0; b <= batches; b++) {
      const [lead] = await pairWorkers.pair(0, 1, { kind: "wake", count });
      if (b > 0 && lead.kind === "value") samples.push(lead.value);
    }
    return [{ name: "tundish", what: WAKE, batch: count, samples }];
  };
  return { name: "tundish, waking", required: true, run };
}
