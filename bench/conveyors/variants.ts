/** All variants of ours that `bench conveyors` measures: operation, number of PEs, kind of loop. */

import type { ConveyorJob, LoopKind } from "./job.ts";
import { SIZES, type Size } from "./payloads.ts";

/** One of our measurements. */
export interface Variant {
  /** Its variant: `tundish, item-wise`, `tundish, 2 hops, batch-wise`. */
  readonly name: string;
  readonly what: string;
  readonly pes: number;
  readonly job: ConveyorJob;
}

/**
 * The amount of measurement, of all PEs together. The items are prepared before, so that this takes no measured time.
 */
export interface ConveyorVolume {
  readonly sizes: readonly Size[];
  /** Sessions of each variant in a turn, and the duration of warm-up sessions, ms. */
  readonly sessions: number;
  readonly warmMs: number;
  /** Bytes pushed in a session; with other types and more hops, and with more PEs than CPUs; one by one. */
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
/** Of variants with non-default options. */
const OTHER_WAYS: readonly LoopKind[] = ["item-wise", "batch-wise"];

/** Item sizes with four times as many PEs as CPUs: only the extremes, as it takes long. */
const OVERSUBSCRIBED_SIZES: readonly Size[] = [8, 128];

/** `2 PEs`, `4 PEs on 2 CPUs`. */
const placeOf = (pes: number, cpus: number): string => `${pes} PEs${pes > cpus ? ` on ${cpus} CPUs` : ""}`;

/** The name of an operation: `8 B, 2 PEs`, `histogram, 2 PEs`. */
export const whatOf = (work: ConveyorJob["work"], pes: number, cpus: number): string =>
  `${typeof work === "number" ? `${work} B` : work}, ${placeOf(pes, cpus)}`;

/** All variants on some CPUs: with as many PEs, twice, and four times as many. */
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
