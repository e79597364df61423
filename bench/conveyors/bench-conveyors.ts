/**
 * Compares conveyors with other programs: items to random PEs, histogram, index-gather; ours of every type and number
 * of hops with three kinds of loops; C programs that do the same; messages and a queue in shared memory. In turns, in one
 * run, on the same CPUs (see turns.ts).
 */

import type { Measured, Missing } from "../../microbench/pairs/types.ts";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import { readTopology } from "../../src/machine/topology.ts";
import type { MachineModel } from "../../src/machine/types.ts";
import { type BenchOptions, cpusOf, modelOf, turnsOf } from "../turns/options.ts";
import { checkTargets, type TargetResult } from "../turns/targets.ts";
import { type Contender, type TurnsMade, takeTurns } from "../turns/turns.ts";
import type { ConveyorAnswer } from "./bench-conveyors.program.ts";
import { Direct, FORMS, type Form } from "./direct.ts";
import { streamRivals } from "./streams.ts";
import { CONVEYOR_TARGETS } from "./targets.ts";
import { FULL, type Group, groupsOf, QUICK, type Variant } from "./variants.ts";

/** One measurement; ns are per item that a PE pushes, while all PEs do. */
export interface ConveyorMeasured extends Measured {
  /** Bytes of an item. */
  readonly bytes: number;
  /** Of each PE. */
  readonly itemsPerSecond: number;
  readonly megabytesPerSecond: number;
}

/** The result of {@link benchConveyors}. */
export interface ConveyorsBench extends Omit<TurnsMade, "complete"> {
  readonly cpus: readonly number[];
  /** Whether our PEs could be bound to these CPUs. */
  readonly pinned: boolean;
  /** Whether the machine was in one mode for a turn of every program. */
  readonly stable: boolean;
  readonly targets: readonly TargetResult[];
  /** All measurements, by mode; our names begin with `tundish`. */
  readonly measured: readonly ConveyorMeasured[];
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
  const groups = groupsOf(cpus.length, volume);
  await using direct = await Direct.make();
  let pinned = true;
  const ours = (pes: number, world: readonly Placed[]): Contender => ({
    name: world.map(({ name, what }) => `${name}, ${what}`)[0],
    required: true,
    run: async () => {
      const answers = await answersOf(pes, world, machine, signal);
      if (answers.some(({ bound }) => !bound)) pinned = false;
      return world.map(({ name, what }, i) => {
        const { items, samples } = answers[0].timed[i];
        return { name, what, batch: items, samples };
      });
    },
  });
  const inC = (group: Group): Contender[] => {
    if (direct.missing !== null) return [];
    const batches = { batches: volume.sessions, batchMs: volume.sessionMs };
    return formsFor(group, cpus.length).map((form) => direct.contender(form, group, cpus, batches, signal));
  };
  // a world for each variant; when quick for all of a group. The C program goes before ours, in the same mode if it can be
  const contenders = groups.flatMap((group) => {
    const placed = group.variants.map((one): Placed => ({ ...one, what: group.what }));
    const worlds = quick ? [placed] : placed.map((one) => [one]);
    return [...inC(group), ...worlds.map((world) => ours(group.pes, world))];
  });
  const rivals = { sizes: volume.sizes, batches: volume.sessions, share: quick ? 1 / 20 : 1 };
  const taken = await takeTurns([...contenders, ...streamRivals(cpus, rivals)], {
    ...turnsOf(options),
    cpus,
  });
  const { complete, measured, missing, ...made } = taken;
  const bytes = new Map(
    groups.map(({ what, work }) => [what, typeof work === "number" ? work : REQUEST_BYTES]),
  );
  const noCompiler = direct.missing === null ? [] : [{ name: FORMS.direct, reason: direct.missing }];
  return {
    cpus,
    pinned,
    stable: complete,
    ...made,
    targets: checkTargets(measured, CONVEYOR_TARGETS),
    measured: measured.map((one) => rated(one, bytes.get(one.what) as number)),
    missing: [...missing, ...noCompiler],
  };
}

/** A variant with the name of its operation. */
type Placed = Variant & Pick<Group, "what">;

/** With more PEs than CPUs the distance of the CPUs matters less. */
const formsFor = ({ pes }: Group, cpus: number): Form[] =>
  pes > cpus ? ["direct"] : ["direct", "staged", "nontemporal"];

async function answersOf(
  pes: number,
  world: readonly Placed[],
  machine: MachineModel,
  signal: AbortSignal | undefined,
): Promise<ConveyorAnswer[]> {
  const module = sibling("./bench-conveyors.program.js", import.meta.url);
  const args = world.map(({ job }) => job);
  const options = { args, pes, machine, timeout: RUN_LIMIT_MS, ...(signal && { signal }) };
  return await launch<ConveyorAnswer>(module, options);
}

function rated(measured: Measured, bytes: number): ConveyorMeasured {
  const { ns } = measured;
  return { ...measured, bytes, itemsPerSecond: 1e9 / ns, megabytesPerSecond: (bytes / ns) * 1e3 };
}
