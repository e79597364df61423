/** The ways in which our conveyors are measured: names and jobs. */
import type { ConveyorJob, LoopKind, SessionVolume } from "./job.ts";
import type { Size } from "./payloads.ts";

/** One of our measurements. */
export interface Variant<Work = Size> {
  /** Its name: `tundish, item-wise`, `tundish, 2 hops, batch-wise`. */
  readonly name: string;
  readonly job: ConveyorJob<Work>;
}

/** One operation on so many PEs, in all its variants. */
export interface Group<Work = Size> {
  readonly what: string;
  readonly work: Work;
  readonly pes: number;
  readonly variants: readonly Variant<Work>[];
}

/** All loops. */
export const WAYS: readonly LoopKind[] = ["item-wise", "batch-wise", "run"];
/** With more PEs than CPUs, and with non-default options. */
export const OTHER_WAYS: readonly LoopKind[] = ["item-wise", "batch-wise"];

/** `2 PEs`, `4 PEs on 2 CPUs`. */
export const placeOf = (pes: number, cpus: number): string => `${pes} PEs${pes > cpus ? ` on ${cpus} CPUs` : ""}`;

/** The name of an operation: `8 B, 2 PEs`, `histogram, 2 PEs`. */
export const whatOf = (work: Size | string, pes: number, cpus: number): string =>
  `${typeof work === "number" ? `${work} B` : work}, ${placeOf(pes, cpus)}`;

/** A work by each of the loops. @param name of its options, as in `2 hops` */
export const variantsOf = <Work>(
  work: Work,
  ways: readonly LoopKind[],
  volume: SessionVolume,
  name = "",
  options: ConveyorJob["options"] = {},
): Variant<Work>[] =>
  ways.map((way) => ({
    name: ["tundish", name, way].filter((part) => part !== "").join(", "),
    job: { work, way, options, ...volume },
  }));

/** Variants of one work on so many PEs. V8 compiles the code of each PE, and has less time for each on a shared CPU. */
export const groupOf = <Work extends Size | string>(
  work: Work,
  pes: number,
  cpus: number,
  variants: readonly Variant<Work>[],
): Group<Work> => ({
  what: whatOf(work, pes, cpus),
  work,
  pes,
  variants: variants.map(({ name, job }) => ({
    name,
    job: { ...job, warmMs: Math.ceil(job.warmMs * Math.max(1, pes / cpus)) },
  })),
});
