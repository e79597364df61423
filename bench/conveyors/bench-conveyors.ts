/**
 * Compares conveyors with other programs: items to random PEs, histogram, index-gather; ours of every type and number
 * of hops with three kinds of loops; C programs that do the same; messages and a queue in shared memory. In turns, in one
 * run, on the same CPUs (see turns.ts).
 */

import type { Measured } from "../../microbench/pairs/types.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launch } from "../../src/running/launch/launch.ts";
import { probeWords } from "../turns/distance.ts";
import type { BenchOptions } from "../turns/options.ts";
import type { Contender } from "../turns/turns.ts";
import type { ConveyorAnswer, ConveyorJobs } from "./bench-conveyors.program.ts";
import { Direct, FORMS, type Form } from "./direct.ts";
import { LIMIT_MS, measurePart, type OurPart, type PartBench } from "./part.ts";
import { streamRivals } from "./streams.ts";
import { CONVEYOR_TARGETS } from "./targets.ts";
import { type ConveyorVolume, FULL, type Group, groupsOf, QUICK, type Variant } from "./variants.ts";

/** One measurement; ns are per item that a PE pushes, while all PEs do. */
export interface ConveyorMeasured extends Measured {
  /** Bytes of an item. */
  readonly bytes: number;
  /** Of each PE. */
  readonly itemsPerSecond: number;
  readonly megabytesPerSecond: number;
}

/** The result of {@link benchConveyors}. */
export interface ConveyorsBench extends PartBench {
  readonly measured: readonly ConveyorMeasured[];
}

/** What of it is measured. */
export interface ConveyorsBenchOptions extends BenchOptions {
  /** @default all that {@link groupsOf} makes */
  readonly choose?: (groups: readonly Group[]) => readonly Group[];
  /** @default as the pages of docs have it, little when quick */
  readonly volume?: ConveyorVolume;
  /** Whether programs in C are compiled and measured, too. @default true */
  readonly inC?: boolean;
}

/** Bytes of a pushed item in histogram and index-gather. */
const REQUEST_BYTES = 4;

/**
 * Measures our conveyors and the others.
 * @throws UsageError for CPUs that cannot be used; EnvironmentError if there is only one; what {@link launch} throws.
 *   Other programs that cannot be measured are listed in `missing`.
 */
export async function benchConveyors(options: ConveyorsBenchOptions = {}): Promise<ConveyorsBench> {
  const { choose = (all) => all, volume = options.quick ? QUICK : FULL } = options;
  await using direct = options.inC === false ? null : await Direct.make();
  const bytes = new Map<string, number>();
  const bench = await measurePart(options, CONVEYOR_TARGETS, (part) => {
    const { cpus, quick, signal } = part;
    const groups = choose(groupsOf(cpus.length, volume));
    for (const { what, work } of groups) bytes.set(what, typeof work === "number" ? work : REQUEST_BYTES);
    const batches = { batches: volume.sessions, batchMs: volume.sessionMs };
    const inC = (group: Group, forms: readonly Form[]): Contender[] =>
      direct?.missing === null
        ? forms.map((form) => direct.contender(form, group, cpus, batches, signal))
        : [];
    const contenders = groups.flatMap((group) => {
      const placed = group.variants.map((one): Placed => ({ ...one, what: group.what }));
      const others = inC(group, group.pes > cpus.length ? [] : ["staged", "nontemporal"]);
      // when quick one world for all of a group; else the C program goes before each of ours with default options, so that
      // both are measured in the same modes
      const worlds = quick ? [placed] : placed.map((one) => [one]);
      return [
        ...worlds.flatMap((world) => [
          ...inC(group, Object.keys(world[0].job.options).length > 0 ? [] : ["direct"]),
          ours(part, group.pes, world),
        ]),
        ...others,
      ];
    });
    const rivals = { sizes: volume.sizes, batches: volume.sessions, share: quick ? 1 / 20 : 1 };
    return [...contenders, ...streamRivals(cpus, rivals)];
  });
  const reason = direct?.missing ?? null;
  const noCompiler = reason === null ? [] : [{ name: FORMS.direct, reason }];
  return {
    ...bench,
    measured: bench.measured.map((one) => rated(one, bytes.get(one.what) as number)),
    missing: [...bench.missing, ...noCompiler],
  };
}

/** A variant with the name of its operation. */
type Placed = Variant & Pick<Group, "what">;

/** A world that plays some variants, one after the other. */
function ours(part: OurPart, pes: number, world: readonly Placed[]): Contender {
  const { cpus, machine, signal } = part;
  return {
    name: world.map(({ name, what }) => `${name}, ${what}`)[0],
    required: true,
    run: async () => {
      const module = sibling("./bench-conveyors.program.js", import.meta.url);
      const args: ConveyorJobs = { jobs: world.map(({ job }) => job), words: probeWords(pes, cpus.length) };
      const options = { args, pes, machine, timeout: LIMIT_MS, ...(signal && { signal }) };
      const answers = await launch<ConveyorAnswer>(module, options);
      part.sawBound(answers.every(({ bound }) => bound));
      return world.map(({ name, what }, i) => {
        const { items, ...timed } = answers[0].timed[i];
        return { name, what, batch: items, ...timed };
      });
    },
  };
}

function rated(measured: Measured, bytes: number): ConveyorMeasured {
  const { ns } = measured;
  return { ...measured, bytes, itemsPerSecond: 1e9 / ns, megabytesPerSecond: (bytes / ns) * 1e3 };
}
