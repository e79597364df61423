/**
 * Compares conveyors with other programs: items to random PEs, histogram, index-gather; ours of every type and number
 * of hops with three kinds of loops; C programs that do the same; messages and a queue in shared memory. In turns, in
 * one run, on the same CPUs (see turns.ts).
 */

import { ours, type Placed } from "../../../../microbench/conveyors/ours.ts";
import { streamRivals } from "../../../../microbench/conveyors/streams.ts";
import type { Measured } from "../../../../microbench/pairs/profiled.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { measurePart, type PartBench } from "../turns/part.ts";
import { Direct, FORMS, type Form } from "./direct.ts";
import { CONVEYOR_TARGETS } from "./targets.ts";
import { FULL, type Group, groupsOf, QUICK } from "./variants.ts";

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

/** Bytes of a pushed item in histogram and index-gather. */
const REQUEST_BYTES = 4;

/**
 * Measures our conveyors and the others.
 * @throws UsageError for CPUs that cannot be used; EnvironmentError if there is only one; what launch throws.
 *   Other programs that cannot be measured are listed in `missing`.
 */
export async function benchConveyors(options: BenchOptions = {}): Promise<ConveyorsBench> {
  const volume = options.quick ? QUICK : FULL;
  await using direct = await Direct.make();
  const bytes = new Map<string, number>();
  const bench = await measurePart(options, CONVEYOR_TARGETS, (part) => {
    const { cpus, quick, signal } = part;
    const groups = groupsOf(cpus.length, volume);
    for (const { what, work } of groups) bytes.set(what, typeof work === "number" ? work : REQUEST_BYTES);
    const batches = { batches: volume.sessions, batchMs: volume.sessionMs };
    const inC = (group: Group, forms: readonly Form[]): Contender[] =>
      direct.missing === null ? forms.map((form) => direct.contender(form, group, cpus, batches, signal)) : [];
    const contenders = groups.flatMap((group) => {
      const placed = group.variants.map((one): Placed => ({ ...one, what: group.what }));
      const others = inC(group, group.pes > cpus.length ? [] : ["staged", "nontemporal"]);
      // when quick one world for all of a group; else the C program goes before each of ours with default options, so
      // that both are measured in the same modes
      const worlds = quick ? [placed] : placed.map((one) => [one]);
      return [
        ...worlds.flatMap((world) => [
          ...inC(group, Object.keys(world[0].job.options).length > 0 ? [] : ["direct"]),
          ours(program, part, group.pes, world),
        ]),
        ...others,
      ];
    });
    const rivals = { sizes: volume.sizes, batches: volume.sessions, share: quick ? 1 / 20 : 1 };
    return [...contenders, ...streamRivals(cpus, rivals)];
  });
  const reason = direct.missing;
  const noCompiler = reason === null ? [] : [{ name: FORMS.direct, reason }];
  return {
    ...bench,
    measured: bench.measured.map((one) => rated(one, bytes.get(one.what) as number)),
    missing: [...bench.missing, ...noCompiler],
  };
}

const program = sibling("./bench-conveyors.program.js", import.meta.url);

function rated(measured: Measured, bytes: number): ConveyorMeasured {
  const { ns } = measured;
  return { ...measured, bytes, itemsPerSecond: 1e9 / ns, megabytesPerSecond: (bytes / ns) * 1e3 };
}
