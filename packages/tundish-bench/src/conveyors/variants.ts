/** All variants of ours that `bench conveyors` measures, in groups beside which one C program is measured: data. */
import type { ConveyorJob, LoopKind, SessionVolume } from "../../../../microbench/conveyors/job.ts";
import { SIZES, type Size } from "../../../../microbench/conveyors/payloads.ts";
import {
  groupOf,
  OTHER_WAYS,
  variantsOf,
  WAYS,
  type Group as WorkGroup,
  type Variant as WorkVariant,
} from "../../../../microbench/conveyors/variants.ts";

/** The work. */
export type Work = Size | "histogram" | "index-gather";
export type Variant = WorkVariant<Work>;
export type Group = WorkGroup<Work>;

/** The amount of measurement. */
export interface ConveyorVolume extends SessionVolume {
  readonly sizes: readonly Size[];
}

export const FULL: ConveyorVolume = { sizes: SIZES, sessions: 5, sessionMs: 25, warmMs: 600 };
export const QUICK: ConveyorVolume = { sizes: [8], sessions: 2, sessionMs: 1, warmMs: 0 };

/** Item sizes with more PEs than CPUs, and with non-default options: only the extremes, as it takes long. */
const OTHER_SIZES: readonly Size[] = [8, 128];

/** All groups on some CPUs: with as many PEs, one more, twice and four times as many. */
export function groupsOf(cpus: number, { sizes, ...volume }: ConveyorVolume): Group[] {
  const group = (work: Work, pes: number, ...variants: Variant[][]): Group => groupOf(work, pes, cpus, variants.flat());
  const others = sizes.filter((size) => OTHER_SIZES.includes(size));
  const of = (work: Work, ways: readonly LoopKind[], name?: string, options?: ConveyorJob["options"]): Variant[] =>
    variantsOf(work, ways, volume, name, options);
  const types = (size: Size): Variant[] =>
    others.includes(size)
      ? [
          ...of(size, OTHER_WAYS, "simple", { type: "simple" }),
          ...of(size, ["item-wise"], "trivial", { type: "trivial" }),
        ]
      : [];
  return [
    ...sizes.map((size) => group(size, cpus, of(size, WAYS), types(size))),
    ...others.map((size) => group(size, cpus + 1, of(size, OTHER_WAYS))),
    ...others.map((size) => group(size, 2 * cpus, of(size, OTHER_WAYS), of(size, OTHER_WAYS, "2 hops", { hops: 2 }))),
    // a grid of three hops has more PEs than a row squared
    ...others.map((size) => group(size, 4 * cpus, of(size, OTHER_WAYS), of(size, OTHER_WAYS, "3 hops", { hops: 3 }))),
    group("histogram", cpus, of("histogram", WAYS)),
    group("index-gather", cpus, of("index-gather", WAYS)),
  ];
}
