/**
 * The collectives beside everybody they are compared with: what Node.js offers, the C libraries that
 * are there, and the raw limit. In turn, in one run, on the same CPUs (see turns.ts).
 */
import { EnvironmentError, UsageError } from "../src/errors.ts";
import { guessModel } from "../src/machine/guess.ts";
import { readTopology } from "../src/machine/topology.ts";
import type { Cpu, MachineModel, Topology } from "../src/machine/types.ts";
import { sibling } from "../src/sibling.ts";
import { type LaunchOptions, launch } from "../src/world/launch.ts";
import { selectPEs } from "../src/world/placement.ts";
import type { BatchVolume, Samples } from "./batches.ts";
import type { BenchAnswer, BenchJob } from "./bench-collectives.program.ts";
import { Crew } from "./crew.ts";
import { inLargestMode, isMode } from "./modes.ts";
import { findPeers, measurePeer } from "./peers/peers.ts";
import { chooseCpus } from "./profile.ts";
import { rivals } from "./rivals/contenders.ts";
import { CROWDS, checkTargets, IDLE, type TargetResult, WAKE } from "./targets.ts";
import { type Contender, type Entry, type TurnOptions, takeTurns } from "./turns.ts";
import type { Measured, Missing, Progress } from "./types.ts";

/** Options of {@link benchCollectives}. */
export interface BenchOptions {
  /** The CPUs of everybody, two or more. @default the first two usable ones */
  readonly cpus?: readonly number[];
  /** What our trees are derived from, where it knows those CPUs. @default guessed from the topology */
  readonly machine?: MachineModel;
  /** Only turns with a cache-line round trip like this one count, ns. @default the mode of most turns */
  readonly mode?: number;
  /** Turns that everybody gets in one mode; at most 2 `turns` + 2 are tried. @default 3 */
  readonly turns?: number;
  /** No turn beyond the first `turns` begins after this time, ms. @default 60000 */
  readonly budgetMs?: number;
  /** Few and short batches: to see that it works, not how fast. @default false */
  readonly quick?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** What {@link benchCollectives} gives. */
export interface CollectivesBench {
  readonly cpus: readonly number[];
  /** Whether our PEs could be bound to these CPUs. */
  readonly pinned: boolean;
  /** Cache-line round trip in ns before and after each turn that counts. */
  readonly probe: readonly number[];
  /** Whether everybody was measured in one mode, so that the figures can be compared. */
  readonly stable: boolean;
  /** Turns that were taken, and how many of them do not count. */
  readonly turns: number;
  readonly left: number;
  readonly targets: readonly TargetResult[];
  /** Everybody at everything; ours under the name `tundish`. */
  readonly measured: readonly Measured[];
  /** Who could not be measured, and why. */
  readonly missing: readonly Missing[];
  /** Of the C libraries; of gcc where they came with it. */
  readonly versions: Readonly<Record<string, string>>;
}

const RUN_LIMIT_MS = 60_000;
const FULL: BatchVolume = { batches: 15, batchMs: 4 };
const QUICK: BatchVolume = { batches: 3, batchMs: 0.4 };

/**
 * Measures our collectives and all others that are there.
 * @throws UsageError for CPUs that cannot be used; EnvironmentError where there is only one; what
 *   {@link launch} throws. Whoever cannot be measured is told in `missing`.
 */
export async function benchCollectives(options: BenchOptions = {}): Promise<CollectivesBench> {
  const { mode, quick = false, signal } = options;
  const topology = await readTopology();
  const cpus = cpusOf(topology, options.cpus);
  const machine = modelOf(topology, cpus, options.machine);
  const volume = quick ? QUICK : FULL;
  const ours = new Ours(machine, signal);
  await using peers = await findPeers();
  const there = peers.filter(({ missing }) => missing === null);
  const contenders: Contender[] = [
    ours.contender("all collectives", { kind: "all", volume }, cpus.length),
    ...CROWDS.filter((pes) => pes > cpus.length).map((pes) =>
      ours.contender(`${pes} PEs`, { kind: "crowd", cpus, volume }, pes),
    ),
    ours.idle(quick ? 60 : 500),
    wake(cpus, volume),
    ...rivals(cpus, { batches: volume.batches, share: volume.batchMs / FULL.batchMs }),
    ...there.map((peer) => ({
      name: peer.name,
      run: async () => named(peer.name, await measurePeer(peer, cpus, volume, signal)),
    })),
  ];
  const taken = await takeTurns(contenders, {
    ...turnsOf(options),
    cpus,
    choose: (turns) =>
      mode === undefined
        ? inLargestMode(turns)
        : turns.filter(({ probe }) => probe.every((value) => isMode(value, mode))),
  });
  const absent = peers.flatMap(({ name, missing }) => (missing === null ? [] : [{ name, reason: missing }]));
  const { complete, measured, missing, ...counts } = taken;
  return {
    cpus,
    pinned: ours.pinned,
    stable: complete,
    ...counts,
    targets: checkTargets(measured),
    measured,
    missing: [...missing, ...absent],
    versions: Object.fromEntries(
      there.filter(({ name }) => !name.includes(",")).map(({ name, version }) => [name, version]),
    ),
  };
}

/** How turns are taken by default; also by {@link benchCrossovers}. */
export function turnsOf({
  turns,
  budgetMs = 60_000,
  quick = false,
  onProgress,
  signal,
}: Pick<BenchOptions, "turns" | "budgetMs" | "quick" | "onProgress" | "signal">): Omit<
  TurnOptions,
  "cpus" | "choose"
> {
  const wanted = turns ?? (quick ? 1 : 3);
  return { turns: wanted, maxTurns: 2 * wanted + 2, budgetMs, onProgress, signal };
}

function cpusOf(topology: Topology, wanted: readonly number[] | undefined): number[] {
  const numbers = (chosen: readonly Cpu[]) => chosen.map(({ cpu }) => cpu);
  if (wanted === undefined) {
    const cpus = numbers(chooseCpus(topology, undefined)).slice(0, 2);
    if (cpus.length === 2) return cpus;
    throw new EnvironmentError(
      "The comparison needs two cores that this process may use, and there is one. See: tundish doctor",
    );
  }
  if (wanted.length >= 2) return numbers(chooseCpus(topology, wanted));
  throw new UsageError(`cpus: expected two or more, got [${wanted.join(", ")}]`);
}

/** The model of exactly these CPUs. */
function modelOf(
  topology: Topology,
  cpus: readonly number[],
  machine: MachineModel | undefined,
): MachineModel {
  const rows = cpus.map((wanted) => machine?.pes.findIndex(({ cpu }) => cpu === wanted) ?? -1);
  if (machine !== undefined && !rows.includes(-1)) return selectPEs(machine, rows);
  return guessModel(topology, chooseCpus(topology, cpus));
}

const named = (name: string, samples: readonly Omit<Entry, "name">[]): Entry[] =>
  samples.map((sample) => ({ name, ...sample }));

/** Our part: worlds on the CPUs of a model. */
class Ours {
  /** Whether all PEs that were to be bound to a CPU are, so far. */
  pinned = true;
  readonly #machine: MachineModel;
  readonly #signal: AbortSignal | undefined;

  constructor(machine: MachineModel, signal: AbortSignal | undefined) {
    this.#machine = machine;
    this.#signal = signal;
  }

  contender(name: string, job: BenchJob, pes: number): Contender {
    const run = async (): Promise<Entry[]> => {
      const [{ samples }] = await this.#launch(job, pes);
      return named("tundish", samples as Samples[]);
    };
    return { name: `tundish, ${name}`, required: true, run };
  }

  /** The CPU time of a PE that waits for another one. */
  idle(ms: number): Contender {
    const run = async (): Promise<Entry[]> => {
      const [, { idle }] = await this.#launch({ kind: "idle", ms }, 2);
      if (idle !== null) return [{ name: "tundish", what: IDLE, batch: 1, samples: [idle] }];
      throw new EnvironmentError(
        "the CPU time of a thread is not told here: neither process.threadCpuUsage nor /proc/thread-self/schedstat",
      );
    };
    return { name: "tundish, a waiting PE", run };
  }

  async #launch(job: BenchJob, pes: number): Promise<BenchAnswer[]> {
    const signal = this.#signal;
    const options: LaunchOptions = { args: job, pes, machine: this.#machine, timeout: RUN_LIMIT_MS };
    const module = sibling("./bench-collectives.program.js", import.meta.url);
    const answers = await launch(module, { ...options, ...(signal && { signal }) });
    if ((answers as BenchAnswer[]).some(({ bound }) => !bound)) this.pinned = false;
    return answers as BenchAnswer[];
  }
}

/** Two PEs that each sleep until the other wakes them. */
function wake(cpus: readonly number[], { batches, batchMs }: BatchVolume): Contender {
  const count = Math.max(10, Math.ceil(batchMs * 50)); // 20 us for each is ample
  const run = async (): Promise<Entry[]> => {
    await using crew = await Crew.start(cpus.slice(0, 2));
    const samples: number[] = [];
    for (let b = 0; b <= batches; b++) {
      const [lead] = await crew.pair(0, 1, { kind: "wake", count });
      if (b > 0 && lead.kind === "value") samples.push(lead.value);
    }
    return [{ name: "tundish", what: WAKE, batch: count, samples }];
  };
  return { name: "tundish, waking", required: true, run };
}
