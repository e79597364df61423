/**
 * The parts of a report that are measured on this machine: each takes turns in its share of the time that is left.
 *
 * Limits: a part has one turn at least, however long that takes.
 */

import { measureSizes } from "../../../microbench/collectives/sizes.ts";
import { ours, STREAMS } from "../../../microbench/conveyors/ours.ts";
import { streamRivals } from "../../../microbench/conveyors/streams.ts";
import { type Group, groupOf, OTHER_WAYS, variantsOf, WAYS } from "../../../microbench/conveyors/variants.ts";
import { measureStarts } from "../../../microbench/launch/starts.ts";
import type { Measured as MeasuredTime } from "../../../microbench/pairs/profiled.ts";
import { casesOf, type TreeCase } from "../../../microbench/trees/tree-cases.ts";
import { type TreesVolume, trees as treesContender, treeTimes } from "../../../microbench/trees/trees.ts";
import { inFirstMode } from "../../../microbench/turns/figures.ts";
import type { BenchOptions } from "../../../microbench/turns/options.ts";
import { takePart } from "../../../microbench/turns/part.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import { sentenceOf, TundishError } from "../../ground/base/errors.ts";
import { monotonic } from "../../ground/base/event-loop/timers.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import type {
  CollectiveTime,
  Conditions,
  ConveyorTime,
  Figures,
  PredictedTime,
  ReportDocument,
  ReportPart,
  StartTime,
  TimeSpread,
} from "./document.ts";
import type { ReportOptions } from "./options.ts";
import { Probes } from "./probes.ts";

/** The measured parts. */
export type MeasuredParts = Pick<ReportDocument, "conditions" | "predictions" | "collectives" | "starts" | "conveyors">;

/** The subject: the PEs of `machine`, on `trees`. */
export interface Subject extends Pick<ReportOptions, "quick" | "signal" | "onProgress"> {
  readonly machine: MachineModel;
  readonly trees: Trees;
  readonly budgetMs: number;
  readonly warnings: readonly string[];
}

/** Time of a turn of all parts on two CPUs, about, ms: with more time there are more turns. */
const TURN_MS = 8000;
/** Shares of the time that is left when a part begins. */
const SHARES = { trees: 0.15, collectives: 0.5, starts: 0.3, conveyors: 1 } as const;
type PartName = keyof typeof SHARES;
/** Where each part begins and ends in the progress of all. */
const SPANS: Readonly<Record<PartName, readonly [number, number]>> = {
  trees: [0, 0.15],
  collectives: [0.15, 0.6],
  starts: [0.6, 0.7],
  conveyors: [0.7, 1],
};

/** Trees of more PEs have many leaves. */
const FEW_PES = 16;
const FEW: TreesVolume = { batches: 9, rounds: 50 };
const MANY: TreesVolume = { batches: 5, rounds: 10 };
const QUICK_TREES: TreesVolume = { batches: 2, rounds: 4 };
const SESSIONS = { sessions: 3, sessionMs: 10, warmMs: 200 };
const QUICK_SESSIONS = { sessions: 2, sessionMs: 1, warmMs: 0 };
const ITEM_BYTES = 8;

/** Measures all of them. @throws the reason of the signal; what is not an error of ours */
export async function measuredParts(subject: Subject): Promise<MeasuredParts> {
  const { machine, quick = false } = subject;
  const cpus = machine.pes.map(({ cpu }) => cpu);
  await using probes = await Probes.start(cpus);
  const deadline = monotonic() + subject.budgetMs;
  const seen: Pick<Seen, "stable" | "pinned">[] = [];
  const measure = async <Time>(
    name: PartName,
    work: (options: CommonOptions) => Promise<Seen & Figures<Time>>,
  ): Promise<ReportPart<Figures<Time>>> => {
    try {
      const { stable, pinned, ...figures } = await work(commonOptions(name, subject, probes, deadline));
      seen.push({ stable, pinned });
      return figures;
    } catch (error) {
      subject.signal?.throwIfAborted();
      if (!(error instanceof TundishError)) throw error;
      return { absent: `It could not be measured: ${sentenceOf(error)}` };
    }
  };
  const predictions = await measure("trees", (options) => predicted(subject, options));
  const collectives = await measure("collectives", (options) => bySize(subject, options));
  const starts = await measure("starts", (options) => begun(options));
  const conveyors = await measure("conveyors", (options) => items(subject, options));
  const stable = seen.every((one) => one.stable);
  const conditions: Conditions = {
    probes: probes.all,
    modes: probes.modes(),
    stable,
    warnings: [
      ...subject.warnings,
      ...(stable
        ? []
        : [
            "The distance of the CPUs changed, so that not everything was measured in one mode: figures of different modes cannot be compared.",
          ]),
      ...(seen.every((one) => one.pinned)
        ? []
        : ["Not all PEs were bound to their CPUs: the system may have moved them while they were measured."]),
      ...(quick ? ["Batches were few and short (--quick): the figures show that everything works, not how fast."] : []),
    ],
  };
  return { conditions, predictions, collectives, starts, conveyors };
}

/** The state of a part after it was measured. */
interface Seen {
  readonly stable: boolean;
  readonly pinned: boolean;
}

type CommonOptions = Required<Pick<BenchOptions, "turns" | "least" | "budgetMs" | "quick" | "probe">> &
  Pick<BenchOptions, "onProgress" | "signal"> & {
    readonly cpus: readonly number[];
    readonly machine: MachineModel;
  };

function commonOptions(
  part: PartName,
  { machine, quick = false, budgetMs, onProgress, signal }: Subject,
  probes: Probes,
  deadline: number,
): CommonOptions {
  const [from, to] = SPANS[part];
  return {
    machine,
    cpus: machine.pes.map(({ cpu }) => cpu),
    turns: quick ? 1 : Math.max(1, Math.round(budgetMs / TURN_MS)),
    least: 1,
    budgetMs: Math.max(0, SHARES[part] * (deadline - monotonic())),
    quick,
    probe: () => probes.probe(part),
    onProgress: ({ stage, done }) => onProgress?.({ stage: `${part}, ${stage}`, done: from + (to - from) * done }),
    ...(signal && { signal }),
  };
}

async function predicted({ machine, trees }: Subject, options: CommonOptions): Promise<Seen & Figures<PredictedTime>> {
  const pes = machine.pes.length;
  const volume = options.quick ? QUICK_TREES : pes <= FEW_PES ? FEW : MANY;
  const members = machine.pes.map((_, rank) => rank);
  let cases: readonly TreeCase[] = [];
  const taken = await takePart(options, (part) => {
    cases = casesOf(part.machine, undefined, trees.contest === undefined ? undefined : trees);
    return [treesContender(part, [{ members, cases }], volume)];
  });
  const measured = treeTimes(inFirstMode(taken), 0, cases);
  const times = cases.map(
    ({ operation, algorithm, predicted }, index): PredictedTime => ({
      operation,
      algorithm,
      pes,
      predicted: rounded(predicted),
      ...spreadOf(measured[index]),
    }),
  );
  const { cpus, stable, pinned } = taken;
  return {
    stable,
    pinned,
    cpus,
    times,
    missing: [],
    command: "tundish bench smelt --only trees",
    notes: [
      "The root takes the time until it has an answer from the last PE, so that no clocks are compared; the prediction has that message, too. A reduction ends at the root and needs none.",
    ],
  };
}

async function bySize({ trees }: Subject, options: CommonOptions): Promise<Seen & Figures<CollectiveTime>> {
  const { cpus, stable, pinned, times, missing } = await measureSizes({ ...options, trees });
  return {
    stable,
    pinned,
    cpus,
    missing,
    times: times.map(({ call, name, pes, bytes, ...time }) => ({
      call,
      name,
      pes,
      bytes,
      ...spreadOf(time),
    })),
    command: "tundish bench collectives",
    notes: [
      "A broadcast by postMessage is half of a round trip between two threads: a message to one other PE. The roots of broadcasts and reductions take turns, so that none runs ahead.",
    ],
  };
}

async function begun(options: CommonOptions): Promise<Seen & Figures<StartTime>> {
  const { cpus, stable, pinned, times, missing } = await measureStarts(options);
  return {
    stable,
    pinned,
    cpus,
    missing,
    times: times.map(({ call, pes, ...time }) => ({ call, pes, ...spreadOf(time) })),
    command: "tundish bench launch",
    notes: [
      "A launch is the first of a process, without the import of the package; a run in an open world is one of many. Both until the results are there, of PEs that return at once.",
    ],
  };
}

async function items({ machine }: Subject, options: CommonOptions): Promise<Seen & Figures<ConveyorTime>> {
  const { quick } = options;
  const count = machine.pes.length;
  const volume = quick ? QUICK_SESSIONS : SESSIONS;
  const group = (pes: number, ways: typeof WAYS): Group<typeof ITEM_BYTES> =>
    groupOf(ITEM_BYTES, pes, count, variantsOf(ITEM_BYTES, ways, volume));
  const groups = [group(count, WAYS), group(2 * count, OTHER_WAYS)];
  const taken = await takePart(options, (part) => [
    ...groups.flatMap(({ what, pes, variants }) => {
      const placed = variants.map((one) => ({ ...one, what }));
      const worlds = quick ? [placed] : placed.map((one) => [one]);
      return worlds.map((world) => ours(STREAMS, part, pes, world));
    }),
    ...streamRivals(part.cpus, {
      sizes: [ITEM_BYTES],
      batches: volume.sessions,
      share: quick ? 1 / 20 : 1,
    }),
  ]);
  const numbers = new Map(groups.map(({ what, pes }) => [what, pes]));
  const { cpus, stable, pinned, missing } = taken;
  const first = new Set(inFirstMode(taken));
  const times = taken.measured.filter((one) => first.has(one));
  return {
    stable,
    pinned,
    cpus,
    missing,
    times: times.map(({ name, what, ...time }) => ({
      name,
      what,
      bytes: ITEM_BYTES,
      pes: numbers.get(what) ?? count,
      ...spreadOf(time),
    })),
    command: "tundish bench conveyors",
    notes: ["ns per item that a PE pushes to a random PE, itself included, while all PEs do."],
  };
}

const spreadOf = ({ ns, low, high, mode = null }: Pick<MeasuredTime, "ns" | "low" | "high" | "mode">): TimeSpread => ({
  ns: rounded(ns),
  low: rounded(low),
  high: rounded(high),
  mode,
});

const rounded = (ns: number): number => Math.round(100 * ns) / 100;
