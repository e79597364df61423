/**
 * Collectives by size and by number of PEs, beside what Node offers: in turns, in one run, on the same CPUs (see
 * turns.ts).
 *
 * All sizes are measured with as many PEs as CPUs and with twice as many; a barrier and a number also with fewer PEs
 * and with four times as many. A message by postMessage is half of a round trip between the first two CPUs: what a
 * broadcast to one PE does.
 */

import { sibling } from "../../src/ground/base/package-file.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import type { BatchVolume } from "../../src/running/contest/batches.ts";
import { launch } from "../../src/running/launch/launch.ts";
import type { LaunchOptions } from "../../src/running/run/options.ts";
import type { Trees } from "../../trees/model/tree.ts";
import type { Measured, Missing } from "../pairs/profiled.ts";
import { barriers, messages } from "../rivals/contenders.ts";
import { probeWords } from "../turns/distance.ts";
import { inFirstMode } from "../turns/figures.ts";
import { type BenchOptions, cpusOf, modelOf, turnsOf } from "../turns/options.ts";
import { type Contender, type TurnsMade, takeTurns } from "../turns/turns.ts";
import type { SizedCall, SizesAnswer, SizesJob } from "./sizes.program.ts";

/** Options of {@link measureSizes}. */
export interface SizesOptions extends Omit<BenchOptions, "channel" | "mode"> {
  /** Of all PEs of the machine. @default generated from it */
  readonly trees?: Trees | undefined;
}

/** A call at one size on some PEs; a message where a program has no collectives. */
export interface SizeTime extends Measured {
  readonly call: SizedCall;
  readonly pes: number;
  /** 0 for a barrier. */
  readonly bytes: number;
}

/** The result of {@link measureSizes}: one figure of each, in the first of the modes that it has one for. */
export interface SizesTaken extends Omit<TurnsMade, "complete"> {
  readonly cpus: readonly number[];
  readonly pinned: boolean;
  /** Whether the machine was in one mode for a turn of every program. */
  readonly stable: boolean;
  readonly times: readonly SizeTime[];
  readonly missing: readonly Missing[];
}

/** Numbers of PEs that are measured with some sizes. */
export interface SizesGroup {
  readonly pes: number;
  readonly sizes: readonly number[];
}

type Meaning = Pick<SizeTime, "call" | "pes" | "bytes">;

const SIZES = [8, 64, 512, 4096, 32_768, 262_144, 1_048_576];
const FULL: BatchVolume = { batches: 7, batchMs: 1.5, warmMs: 10 };
const QUICK_SIZES = [8, 4096];
const QUICK: BatchVolume = { batches: 2, batchMs: 0.2 };
const RUN_LIMIT_MS = 120_000;

/** All numbers of PEs on some CPUs: powers of two below them, as many, twice and four times as many. */
export function sizesGroups(cpus: number, sizes: readonly number[]): SizesGroup[] {
  const fewer: number[] = [];
  for (let pes = 2; pes < cpus; pes *= 2) fewer.push(pes);
  return [
    ...fewer.map((pes) => ({ pes, sizes: sizes.slice(0, 1) })),
    { pes: cpus, sizes },
    { pes: 2 * cpus, sizes },
    { pes: 4 * cpus, sizes: sizes.slice(0, 1) },
  ];
}

/**
 * Measures the collectives and the others.
 * @throws UsageError for CPUs that cannot be used; EnvironmentError if there is only one; what {@link launch} throws
 */
export async function measureSizes(options: SizesOptions = {}): Promise<SizesTaken> {
  const { quick = false, trees, signal } = options;
  const topology = await readTopology();
  const cpus = cpusOf(topology, options.cpus);
  const machine = modelOf(topology, cpus, options.machine);
  const [sizes, volume] = quick ? [QUICK_SIZES, QUICK] : [SIZES, FULL];
  const meanings = new Map<string, Meaning>();
  let pinned = true;
  const ours = (group: SizesGroup): Contender => ({
    name: `tundish, ${group.pes} PEs`,
    required: true,
    run: async () => {
      const { bound, timed } = await play(group, { cpus, machine, trees, volume, signal });
      pinned &&= bound;
      return timed.map(({ call, bytes, what: _, ...samples }) => {
        const what = `${call}, ${group.pes} PEs, ${bytes} B`;
        meanings.set(what, { call, pes: group.pes, bytes });
        return { name: "tundish", what, ...samples };
      });
    },
  });
  /** A program that makes one call or sends one message. */
  const rival = (contender: Contender, meaning: Meaning): Contender => ({
    ...contender,
    run: async () => {
      const what = `${meaning.call}, ${meaning.pes} PEs, ${meaning.bytes} B`;
      meanings.set(what, meaning);
      return (await contender.run()).map((entry) => ({ ...entry, what }));
    },
  });
  const rivalVolume = { batches: volume.batches, share: quick ? 1 / 20 : 1 / 4 };
  const taken = await takeTurns(
    [
      ...sizesGroups(cpus.length, sizes).map(ours),
      ...messages(cpus, sizes, rivalVolume).map(({ bytes, ...contender }) =>
        rival(contender, { call: "broadcast", pes: 2, bytes }),
      ),
      ...barriers(cpus, rivalVolume).map((one) => rival(one, { call: "barrier", pes: cpus.length, bytes: 0 })),
    ],
    { ...turnsOf(options), cpus },
  );
  const { complete, measured: _, missing, ...made } = taken;
  const times = inFirstMode(taken).map((one) => ({ ...one, ...(meanings.get(one.what) as Meaning) }));
  return { cpus, pinned, stable: complete, ...made, times, missing };
}

interface Place {
  readonly cpus: readonly number[];
  readonly machine: MachineModel;
  readonly trees: Trees | undefined;
  readonly volume: BatchVolume;
  readonly signal: AbortSignal | undefined;
}

/** A world of our PEs; the times are those of the first. */
async function play({ pes, sizes }: SizesGroup, place: Place): Promise<SizesAnswer> {
  const { cpus, machine, trees, volume, signal } = place;
  const args: SizesJob = { sizes, volume, words: probeWords(pes, cpus.length) };
  const options: LaunchOptions = {
    args,
    pes,
    machine,
    timeout: RUN_LIMIT_MS,
    ...(trees?.cores.length === pes && { trees }),
    ...(signal && { signal }),
  };
  const answers = await launch<SizesAnswer>(sibling("./sizes.program.js", import.meta.url), options);
  return { bound: answers.every(({ bound }) => bound), timed: answers[0].timed };
}
