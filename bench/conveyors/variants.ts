/** Everything of ours that `bench conveyors` measures: what work, on how many PEs, and how it is done. */

import type { ConveyorJob, LoopKind } from "./job.ts";
import { SIZES, type Size } from "./payloads.ts";

/** One measurement of ours. */
export interface Variant {
  /** How: `tundish, item-wise`, `tundish, 2 hops, batch-wise`. */
  readonly name: string;
  readonly what: string;
  readonly pes: number;
  readonly job: ConveyorJob;
}

/** How much is measured. What is pushed is that of all PEs together: it lies ready before, so that no time is lost. */
export interface ConveyorVolume {
  readonly sizes: readonly Size[];
  /** Sessions of each variant in a turn, and how long others come before, ms. */
  readonly sessions: number;
  readonly warmMs: number;
  /** Bytes that are pushed in a session; of other types and more hops, and by more PEs than CPUs; one by one. */
  readonly bytes: number;
  readonly otherBytes: number;
  readonly trivialBytes: number;
  /** Updates and queries. */
  readonly requests: number;
}

const MIB = 2 ** 20;
/** With two PEs 64 MiB and 10^7 requests of each, as in bale's figures (targets.ts). */
export const FULL: ConveyorVolume = {
  sizes: SIZES,
  ...{ sessions: 3, warmMs: 600, bytes: 128 * MIB, otherBytes: 32 * MIB, trivialBytes: MIB },
  requests: 2e7,
};
export const QUICK: ConveyorVolume = {
  sizes: [8],
  ...{ sessions: 2, warmMs: 0, bytes: MIB / 2, otherBytes: MIB / 4, trivialBytes: MIB / 32 },
  requests: 4e4,
};

const WAYS: readonly LoopKind[] = ["item-wise", "batch-wise", "run"];
/** Of those that are not what one gets without asking. */
const OTHER_WAYS: readonly LoopKind[] = ["item-wise", "batch-wise"];

/** Sizes that four times as many PEs as CPUs are measured with: the extremes, as it takes long. */
const OVERSUBSCRIBED_SIZES: readonly Size[] = [8, 128];

/** `2 PEs`, `4 PEs on 2 CPUs`. */
const placeOf = (pes: number, cpus: number): string => `${pes} PEs${pes > cpus ? ` on ${cpus} CPUs` : ""}`;

/** The name of what is done: `8 B, 2 PEs`, `histogram, 2 PEs`. */
export const whatOf = (work: ConveyorJob["work"], pes: number, cpus: number): string =>
  `${typeof work === "number" ? `${work} B` : work}, ${placeOf(pes, cpus)}`;

/** All variants on some CPUs: as many PEs, twice, and four times as many. */
export function variantsOf(cpus: number, volume: ConveyorVolume): Variant[] {
  const of = (
    pes: number,
    work: ConveyorJob["work"],
    ways: readonly LoopKind[],
    items: number,
    name = "",
    options: ConveyorJob["options"] = {},
  ): Variant[] =>
    ways.map((way) => ({
      name: ["tundish", name, way].filter((part) => part !== "").join(", "),
      what: whatOf(work, pes, cpus),
      pes,
      job: {
        work,
        way,
        options,
        items: Math.ceil(items / pes),
        sessions: volume.sessions,
        warmMs: volume.warmMs,
      },
    }));
  const { sizes, bytes, otherBytes, trivialBytes, requests } = volume;
  const streams = (size: Size): Variant[] => [
    ...of(cpus, size, WAYS, bytes / size),
    ...of(cpus, size, OTHER_WAYS, otherBytes / size, "simple", { type: "simple" }),
    ...of(cpus, size, ["item-wise"], trivialBytes / size, "trivial", { type: "trivial" }),
    ...of(2 * cpus, size, OTHER_WAYS, otherBytes / size),
    ...of(2 * cpus, size, OTHER_WAYS, otherBytes / size, "2 hops", { hops: 2 }),
  ];
  // a grid of three hops has more PEs than a row squared
  const crowds = (size: Size): Variant[] => [
    ...of(4 * cpus, size, OTHER_WAYS, otherBytes / size),
    ...of(4 * cpus, size, OTHER_WAYS, otherBytes / size, "3 hops", { hops: 3 }),
  ];
  return [
    ...sizes.flatMap(streams),
    ...sizes.filter((size) => OVERSUBSCRIBED_SIZES.includes(size)).flatMap(crowds),
    ...of(cpus, "histogram", WAYS, requests),
    ...of(cpus, "index-gather", WAYS, requests),
  ];
}
