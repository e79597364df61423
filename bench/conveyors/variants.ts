/** All variants of ours that `bench conveyors` measures, in groups beside which one C program is measured: data. */

import type { ConveyorJob, LoopKind, SessionVolume, Work } from "./job.ts";
import { SIZES, type Size } from "./payloads.ts";

/** One of our measurements. */
export interface Variant {
  /** Its name: `tundish, item-wise`, `tundish, 2 hops, batch-wise`. */
  readonly name: string;
  readonly job: ConveyorJob;
}

/** One operation on so many PEs: all variants, and the C programs that do the same. */
export interface Group {
  readonly what: string;
  readonly work: Work;
  readonly pes: number;
  readonly variants: readonly Variant[];
}

/** The amount of measurement. */
export interface ConveyorVolume extends SessionVolume {
  readonly sizes: readonly Size[];
}

export const FULL: ConveyorVolume = { sizes: SIZES, sessions: 5, sessionMs: 25, warmMs: 600 };
export const QUICK: ConveyorVolume = { sizes: [8], sessions: 2, sessionMs: 1, warmMs: 0 };

const WAYS: readonly LoopKind[] = ["item-wise", "batch-wise", "run"];
/** With more PEs than CPUs, and with non-default options. */
const OTHER_WAYS: readonly LoopKind[] = ["item-wise", "batch-wise"];
/** Item sizes of those: only the extremes, as it takes long. */
const OTHER_SIZES: readonly Size[] = [8, 128];

/** `2 PEs`, `4 PEs on 2 CPUs`. */
export const placeOf = (pes: number, cpus: number): string =>
  `${pes} PEs${pes > cpus ? ` on ${cpus} CPUs` : ""}`;

/** The name of an operation: `8 B, 2 PEs`, `histogram, 2 PEs`. */
export const whatOf = (work: Work, pes: number, cpus: number): string =>
  `${typeof work === "number" ? `${work} B` : work}, ${placeOf(pes, cpus)}`;

/** V8 compiles the code of each PE, and has a CPU the less time for each the more PEs share it. */
const warmedFor = (pesPerCPU: number, job: ConveyorJob): ConveyorJob => ({
  ...job,
  warmMs: Math.ceil(job.warmMs * Math.max(1, pesPerCPU)),
});

/** All groups on some CPUs: with as many PEs, one more, twice and four times as many. */
export function groupsOf(cpus: number, { sizes, ...volume }: ConveyorVolume): Group[] {
  const group = (work: Work, pes: number, ...variants: Variant[][]): Group => ({
    ...{ what: whatOf(work, pes, cpus), work, pes },
    variants: variants.flat().map(({ name, job }) => ({ name, job: warmedFor(pes / cpus, job) })),
  });
  const others = sizes.filter((size) => OTHER_SIZES.includes(size));
  const of = (
    work: Work,
    ways: readonly LoopKind[],
    name = "",
    options: ConveyorJob["options"] = {},
  ): Variant[] =>
    ways.map((way) => ({
      name: ["tundish", name, way].filter((part) => part !== "").join(", "),
      job: { work, way, options, ...volume },
    }));
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
    ...others.map((size) =>
      group(size, 2 * cpus, of(size, OTHER_WAYS), of(size, OTHER_WAYS, "2 hops", { hops: 2 })),
    ),
    // a grid of three hops has more PEs than a row squared
    ...others.map((size) =>
      group(size, 4 * cpus, of(size, OTHER_WAYS), of(size, OTHER_WAYS, "3 hops", { hops: 3 })),
    ),
    group("histogram", cpus, of("histogram", WAYS)),
    group("index-gather", cpus, of("index-gather", WAYS)),
  ];
}
