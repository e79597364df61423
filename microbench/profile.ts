/**
 * The machine profile: measures this machine pair by pair and returns its model.
 *
 * It makes passes over all ordered pairs of PEs, each between two probes, repeated until enough of them agree. Two CPUs
 * of a virtual machine may be "near" or "far", and this may change within seconds; the probe distinguishes the passes,
 * and the model is the entry-by-entry median of the largest set of passes in one mode. With three PEs or more each pass
 * has chains and a ring, too (relays.ts). At the end it measures the costs of conveyors' items (items.ts), buffers
 * (buffers.ts), and open buffers (open-buffers.ts).
 *
 * Limits: pairs are measured one at a time, so contention is not in the model. n PEs have n(n-1) pairs; with many of
 * them a pass measures fewer rounds per pair, so that it stays within the budget.
 *
 * Source: Kaestle et al., "Machine-Aware Atomic Broadcast Trees for Multicores", section 3.2;
 * `propagate = rtt/2 - send - receive`.
 */

import type { ChannelKind } from "../src/ground/base/channel-kinds.ts";
import { channelKinds } from "../src/ground/base/channel-kinds.ts";
import { UsageError } from "../src/ground/base/errors.ts";
import { monotonic, wallClock } from "../src/ground/base/event-loop/timers.ts";
import { median } from "../src/ground/base/math.ts";
import {
  abortSignal,
  callback,
  checkOptions,
  listOf,
  milliseconds,
  oneOf,
  optionsOf,
  unchecked,
  whole,
} from "../src/ground/base/options.ts";
import { channelOf } from "../src/ground/channel/backends.ts";
import { futex } from "../src/ground/wait/futex.ts";
import { fingerprint } from "../src/machine/model/fingerprint.ts";
import type { Cpu, Noise, Topology } from "../src/machine/model/machine-model.ts";
import { hostFacts } from "../src/machine/topology/host.ts";
import { readTopology } from "../src/machine/topology/topology.ts";
import { usableCpus } from "../src/machine/topology/usable.ts";
import { measureBuffers } from "./items/buffers.ts";
import { measureItems } from "./items/items.ts";
import { measureOpen } from "./items/open-buffers.ts";
import { isStable, largestMode, type Mode } from "./pairs/modes.ts";
import { measurePass, type Pass } from "./pairs/pass.ts";
import type { Profiled, ProfileOptions } from "./pairs/profiled.ts";
import { relaysOf } from "./pairs/relays.ts";
import { medianMatrix } from "./pairs/statistics.ts";
import { PairWorkers } from "./pairs/workers.ts";

const PROFILE = optionsOf<ProfileOptions>({
  cpus: listOf(whole(0), "a list of CPUs"),
  topology: unchecked,
  channel: oneOf(channelKinds),
  rounds: whole(1),
  minPasses: whole(1),
  maxPasses: whole(1),
  budgetMs: milliseconds,
  onProgress: callback,
  signal: abortSignal,
});

/** Kinds of channels, as the model names them. */
const CHANNEL_NAMES: Readonly<Record<ChannelKind, string>> = { ump: "UMP", fastforward: "FastForward" };
/** Default fewest and most passes. */
const MIN_PASSES = 5;
const MAX_PASSES = 15;
/** A budget from which on items get all the time that they need, ms; with less a part of it. */
const FULL_MS = 1000;
/** Rounds after which V8 has compiled everything. */
const WARM_ROUNDS = 3000;
/** Assumed cost of a round of all batch sizes, ns: determines only the number of rounds. */
const ROUND_NS = 3000;

/**
 * Measures this machine.
 *
 * @returns a `tundish/machine@1` model in ns; `noise.stable` is false when no set of passes agreed
 * @throws UsageError for unknown options and CPUs that this process may not use; the signal's reason when it aborts
 */
export async function profile(options: ProfileOptions = {}): Promise<Profiled> {
  checkOptions("profile", PROFILE, options);
  const { minPasses = MIN_PASSES, maxPasses = MAX_PASSES, budgetMs = 20_000, onProgress, signal } = options;
  const channel = channelOf(options.channel);
  const topology = options.topology ?? (await readTopology());
  const cpus = chooseCpus(topology, options.cpus);
  const pes = cpus.length;
  const pairs = Math.max(1, pes * (pes - 1));
  const affordable = Math.floor((budgetMs * 1e6) / minPasses / 2 / pairs / ROUND_NS);
  const rounds = options.rounds ?? Math.max(100, Math.min(5000, affordable));
  const volume = { channel, rounds, messages: rounds * 10, blocks: Math.max(8, rounds >> 2) };

  await using pairWorkers = await PairWorkers.start(cpus.map(({ cpu }) => cpu));
  const started = monotonic();
  if (pes > 1) {
    onProgress?.({ stage: "warming up", done: 0 });
    const warm = Math.min(WARM_ROUNDS, rounds);
    await measurePass(pairWorkers, pes, { channel, rounds: warm, messages: warm, blocks: 8, signal });
  }
  const passes: Pass[] = [];
  let best: Mode<Pass> = { passes: [], spread: 1 };
  while (passes.length < maxPasses) {
    const pass = passes.length;
    const onPair = (done: number) =>
      onProgress?.({
        stage: `pass ${pass + 1}, pair ${done} of ${pairs}`,
        done: Math.min(0.99, (pass + done / pairs) / minPasses),
      });
    passes.push(await measurePass(pairWorkers, pes, { ...volume, onPair, signal }));
    best = largestMode(passes);
    if (isStable(best, minPasses) || pes === 1) break;
    if (passes.length >= minPasses && monotonic() - started > budgetMs) break;
  }
  const wake = await wakeUps(pairWorkers, pes);
  const own = { ...(await identity(topology, cpus, channel)), ...combine(best.passes) };
  onProgress?.({ stage: "items", done: 0.99 });
  const share = Math.min(1, budgetMs / FULL_MS);
  const buffer = await measureBuffers(own, signal);
  const items = { ...measureItems(share), ...(buffer && { buffer }), open: measureOpen("items", share) };
  onProgress?.({
    stage: pes === 1 ? "one PE: nothing to measure" : `${passes.length} passes measured`,
    done: 1,
  });
  const noise: Noise = {
    spread: best.spread,
    passes: passes.length,
    stable: pes === 1 || isStable(best, minPasses),
    probe: passes.flatMap((pass) => pass.probe),
    mode: median(best.passes.flatMap((pass) => pass.probe)),
  };
  return {
    ...own,
    ...(wake && { wake }),
    items,
    noise,
  };
}

/**
 * The CPUs to measure: the wanted ones, or all usable ones.
 * @throws UsageError for CPUs that this process may not use, repeated ones, and an empty list
 */
export function chooseCpus(topology: Topology, wanted: readonly number[] | undefined): Cpu[] {
  const usable = usableCpus(topology);
  if (wanted === undefined) return usable;
  const chosen = wanted.map((number) => topology.cpus.find(({ cpu, allowed }) => cpu === number && allowed));
  const missing = wanted.filter((_, i) => chosen[i] === undefined);
  if (missing.length > 0 || wanted.length === 0 || new Set(wanted).size !== wanted.length) {
    throw new UsageError(
      `cpus: expected distinct CPUs that this process may use (${topology.cpus
        .filter(({ allowed }) => allowed)
        .map(({ cpu }) => cpu)
        .join(", ")}), got [${wanted.join(", ")}]`,
    );
  }
  return chosen as Cpu[];
}

/** The matrices of the model: medians over the passes, rounded to 0.01. Relays need three PEs. */
export function combine(
  passes: readonly Pass[],
): Pick<
  Profiled,
  | "send"
  | "receive"
  | "propagate"
  | "relay"
  | "ring"
  | "meet"
  | "exchange"
  | "rtt"
  | "batches"
  | "deviation"
  | "stream"
  | "bandwidth"
> {
  const rounded = (value: number): number => Math.round(value * 100) / 100;
  const matrix = (pick: (pass: Pass) => number[][]): number[][] =>
    medianMatrix(passes.map(pick)).map((row) => row.map(rounded));
  const sizes = Object.keys(passes[0].batches);
  const batches = Object.fromEntries(
    sizes.map((size) => [
      size,
      {
        send: matrix((pass) => pass.batches[size].send),
        receive: matrix((pass) => pass.batches[size].receive),
      },
    ]),
  );
  const { send, receive } = batches[sizes[sizes.length - 1]];
  const rtt = matrix((pass) => pass.rtt);
  const propagate = rtt.map((row, i) =>
    row.map((value, j) => Math.max(0, rounded(value / 2 - send[i][j] - receive[i][j]))),
  );
  const edge = (from: number, to: number): number => send[from][to] + propagate[from][to] + receive[from][to];
  const [chains] = medianMatrix(passes.map((pass) => [[...pass.chains]]));
  const forwarding = chains.length > 0 && {
    relay: relaysOf(send.length, chains, edge).map(rounded),
    ring: rounded(median(passes.map(({ ring }) => ring))),
  };
  return {
    send,
    receive,
    propagate,
    ...forwarding,
    meet: matrix((pass) => pass.meet),
    exchange: matrix((pass) => pass.exchange),
    rtt,
    batches,
    deviation: {
      send: matrix((pass) => pass.deviation.send),
      receive: matrix((pass) => pass.deviation.receive),
      rtt: matrix((pass) => pass.deviation.rtt),
    },
    stream: matrix((pass) => pass.stream),
    bandwidth: matrix((pass) => pass.bandwidth),
  };
}

/** Time from waking a sleeping PE until it has answered, in one direction, ns; between the first two PEs. */
async function wakeUps(
  pairWorkers: PairWorkers,
  pes: number,
): Promise<{ futex: number | null; atomics: number } | undefined> {
  if (pes < 2) return undefined;
  const measure = async (byFutex: boolean): Promise<number> => {
    const [lead] = await pairWorkers.pair(0, 1, { kind: "wake", count: 300, futex: byFutex });
    return Math.round((lead.kind === "value" ? lead.value : 0) / 2);
  };
  return { futex: futex() ? await measure(true) : null, atomics: await measure(false) };
}

async function identity(
  topology: Topology,
  cpus: readonly Cpu[],
  channel: ChannelKind,
): Promise<
  Pick<
    Profiled,
    "schema" | "name" | "source" | "unit" | "measured" | "notes" | "pes" | "fingerprint" | "created" | "host"
  >
> {
  return {
    schema: "tundish/machine@1",
    name: topology.brand,
    source: "tundish profile",
    unit: "ns",
    measured: `pairwise over ${CHANNEL_NAMES[channel]} channels: batches of 8, trimmed means, median of passes`,
    notes: "",
    pes: cpus.map(({ cpu, core, l3, numa, package: socket }) => ({ cpu, core, l3, numa, package: socket })),
    fingerprint: fingerprint(topology),
    created: new Date(wallClock()).toISOString(),
    host: { ...(await hostFacts()) },
  };
}
