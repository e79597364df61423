/** The targets of conveyors: data. All are ratios to what was measured in the same run and mode. */

import type { LoopKind } from "../../../../microbench/conveyors/job.ts";
import { SIZES } from "../../../../microbench/conveyors/payloads.ts";
import { whatOf } from "../../../../microbench/conveyors/variants.ts";
import type { Target } from "../turns/targets.ts";

/** The C program that writes items where they will be read. */
export const DIRECT = "C, direct";

const within = (way: LoopKind, what: string, bound: number): Target => ({
  who: `tundish, ${way}`,
  what,
  kind: "within",
  bound,
  rivals: { names: [DIRECT], whats: [what] },
});

/** All targets; they were set for two PEs on two CPUs that are far from each other, and four and eight. */
export const CONVEYOR_TARGETS: readonly Target[] = [
  ...SIZES.map((size) => within("batch-wise", whatOf(size, 2, 2), 1.25)),
  ...(["item-wise", "run"] as const).flatMap((way) =>
    SIZES.map((size) => within(way, whatOf(size, 2, 2), size === 8 ? 2.2 : 2.5)),
  ),
  ...(["batch-wise", "item-wise"] as const).flatMap((way) =>
    [4, 8].flatMap((pes) => ([8, 128] as const).map((size) => within(way, whatOf(size, pes, 2), 1.5))),
  ),
  ...(["histogram", "index-gather"] as const).flatMap((work) => [
    within("batch-wise", whatOf(work, 2, 2), 1.4),
    within("item-wise", whatOf(work, 2, 2), 2),
  ]),
];
