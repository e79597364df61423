/** The targets of conveyors, and the figures on which they are based: data. */

import type { Measured } from "../../microbench/pairs/types.ts";
import { checkTargets, type Target, type TargetResult, type Times } from "../turns/targets.ts";
import { SIZES } from "./payloads.ts";
import { whatOf } from "./variants.ts";

const BALE = "bale";
/** Requests of each PE in bale's figures of histogram and index-gather. */
const REQUESTS = 1e7;

const constant = (what: string, ns: number): Times => ({ name: BALE, what, ns, low: ns, high: ns });
const atRate = (what: string, size: number, megabytesPerSecond: number): Times =>
  constant(what, (size / megabytesPerSecond) * 1e3);
const inSeconds = (what: string, seconds: number): Times => constant(what, (seconds / REQUESTS) * 1e9);

/**
 * Conveyors in C, ns per item of a PE. Not measured here.
 *
 * Source: bale 3 (github.com/jdevinney/bale), its alltoall test with 64 MiB of each PE, histogram and index-gather with 10^7
 * requests of each PE (of 8 bytes, where ours have 4), on a virtual machine with two CPUs that are near each other.
 */
export const BALE_TIMES: readonly Times[] = [
  ...[1042, 1631, 2270, 3833].map((rate, i) => atRate(whatOf(SIZES[i], 2, 2), SIZES[i], rate)),
  atRate(whatOf(8, 4, 2), 8, 429),
  atRate(whatOf(128, 4, 2), 128, 1070),
  inSeconds(whatOf("histogram", 2, 2), 0.063),
  inSeconds(whatOf("index-gather", 2, 2), 0.14),
];

const ITEM_WISE = "tundish, item-wise";
const BATCH_WISE = "tundish, batch-wise";

const faster = (who: string, what: string, bound: number): Target => ({
  ...{ who, what, kind: "faster", bound },
  rivals: { names: [BALE], whats: [what] },
});
const within = (who: string, what: string, seconds: number): Target => ({
  ...{ who, what, kind: "below", bound: (seconds / REQUESTS) * 1e9 },
});

/** All targets; they were set for two PEs on two CPUs, and four. */
export const CONVEYOR_TARGETS: readonly Target[] = [
  ...SIZES.map((size) => faster(ITEM_WISE, whatOf(size, 2, 2), 1.25)),
  faster(ITEM_WISE, whatOf(8, 4, 2), 2),
  faster(ITEM_WISE, whatOf(128, 4, 2), 2),
  faster(BATCH_WISE, whatOf(8, 2, 2), 2.5),
  within(ITEM_WISE, whatOf("histogram", 2, 2), 0.063),
  within(BATCH_WISE, whatOf("histogram", 2, 2), 0.035),
  within(ITEM_WISE, whatOf("index-gather", 2, 2), 0.12),
  ...([...SIZES, "histogram", "index-gather"] as const).map((work): Target => {
    const what = whatOf(work, 2, 2);
    return {
      ...{ who: "tundish, run", what, kind: "within", bound: 1.3 },
      rivals: { names: [ITEM_WISE], whats: [what] },
    };
  }),
];

/** Compares the targets with the measurements. */
export const checkConveyorTargets = (measured: readonly Measured[]): TargetResult[] =>
  checkTargets([...measured, ...BALE_TIMES], CONVEYOR_TARGETS);
