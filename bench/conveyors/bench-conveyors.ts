/**
 * Compares conveyors with other programs: items to random PEs, histogram, index-gather; ours of every type and number
 * of hops with three kinds of loops; messages and a queue in shared memory. In turns, in one run, on the same CPUs (see
 * turns.ts).
 */

import type { Measured, Missing } from "../../microbench/pairs/types.ts";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import { readTopology } from "../../src/machine/topology.ts";
import type { MachineModel } from "../../src/machine/types.ts";
import { type BenchOptions, cpusOf, modelOf, turnsOf } from "../turns/options.ts";
import type { TargetResult, Times } from "../turns/targets.ts";
import { type Contender, takeTurns } from "../turns/turns.ts";
import type { ConveyorAnswer } from "./bench-conveyors.program.ts";
import { streamRivals } from "./streams.ts";
import { BALE_TIMES, checkConveyorTargets } from "./targets.ts";
import { FULL, QUICK, type Variant, variantsOf } from "./variants.ts";

/** One measurement; ns are per item that a PE pushes, while all PEs do. */
export interface ConveyorMeasured extends Measured {
  /** Bytes of an item. */
  readonly bytes: number;
  /** Of each PE. */
  readonly itemsPerSecond: number;
  readonly megabytesPerSecond: number;
}

/** The result of {@link benchConveyors}. */
export interface ConveyorsBench {
  readonly cpus: readonly number[];
  /** Whether our PEs could be bound to these CPUs. */
  readonly pinned: boolean;
  /** Cache-line round trip in ns before and after each counted turn. */
  readonly probe: readonly number[];
  /** Whether all programs were measured in one mode, so that the figures are comparable. */
  readonly stable: boolean;
  /** Number of turns, and of those not counted. */
  readonly turns: number;
  readonly left: number;
  readonly targets: readonly TargetResult[];
  /** All measurements; our names begin with `tundish`. */
  readonly measured: readonly ConveyorMeasured[];
  /** Figures that are compared but were not measured here. */
  readonly references: readonly Times[];
  /** Programs that could not be measured, and the reasons. */
  readonly missing: readonly Missing[];
}

/** Limit for a program that hangs: under load it may take a hundred times as long as alone. */
const RUN_LIMIT_MS = 300_000;
/** Bytes of a pushed item in histogram and index-gather. */
const REQUEST_BYTES = 4;

/**
 * Measures our conveyors and the others.
 * @throws UsageError for CPUs that cannot be used; EnvironmentError if there is only one; what {@link launch} throws.
 *   Other programs that cannot be measured are listed in `missing`.
 */
export async function benchConveyors(options: BenchOptions = {}): Promise<ConveyorsBench> {
  const { quick = false, signal } = options;
  const topology = await readTopology();
  const cpus = cpusOf(topology, options.cpus);
  const machine = modelOf(topology, cpus, options.machine);
  const volume = quick ? QUICK : FULL;
  let pinned = true;
  const ours = (world: World): Contender => ({
    name: `${world[0].name}, ${world[0].what}`,
    required: true,
    run: async () => {
      const [first, ...others] = await answersOf(world, machine, signal);
      if ([first, ...others].some(({ bound }) => !bound)) pinned = false;
      return world.map(({ name, what, job }, i) => ({
        ...{ name, what, batch: job.items },
        samples: first.samples[i] as readonly number[],
      }));
    },
  });
  const rivalVolume = { sizes: volume.sizes, batches: volume.sessions, share: quick ? 1 / 20 : 1 };
  const variants = variantsOf(cpus.length, volume);
  const worlds = quick ? neighbours(variants) : variants.map((one): World => [one]);
  const contenders = [...worlds.map(ours), ...streamRivals(cpus, rivalVolume)];
  const taken = await takeTurns(contenders, { ...turnsOf(options), cpus });
  const { complete, measured, missing, ...counts } = taken;
  const bytes = new Map(
    variants.map(({ what, job: { work } }) => [what, typeof work === "number" ? work : REQUEST_BYTES]),
  );
  return {
    cpus,
    pinned,
    stable: complete,
    ...counts,
    targets: checkConveyorTargets(measured),
    measured: measured.map((one) => rated(one, bytes.get(one.what) as number)),
    references: BALE_TIMES,
    missing,
  };
}

/** Variants that one world plays, one after the other: all have the same number of PEs. */
type World = [Variant, ...Variant[]];

/** A world for each row of variants with the same number of PEs. */
function neighbours(variants: readonly Variant[]): World[] {
  const worlds: World[] = [];
  for (const one of variants) {
    const last = worlds.at(-1);
    if (last?.[0].pes === one.pes) last.push(one);
    else worlds.push([one]);
  }
  return worlds;
}

async function answersOf(
  world: World,
  machine: MachineModel,
  signal: AbortSignal | undefined,
): Promise<[ConveyorAnswer, ...ConveyorAnswer[]]> {
  const module = sibling("./bench-conveyors.program.js", import.meta.url);
  const args = world.map(({ job }) => job);
  const options = { args, pes: world[0].pes, machine, timeout: RUN_LIMIT_MS, ...(signal && { signal }) };
  return (await launch<ConveyorAnswer>(module, options)) as [ConveyorAnswer, ...ConveyorAnswer[]];
}

function rated(measured: Measured, bytes: number): ConveyorMeasured {
  const { ns } = measured;
  return { ...measured, bytes, itemsPerSecond: 1e9 / ns, megabytesPerSecond: (bytes / ns) * 1e3 };
}
