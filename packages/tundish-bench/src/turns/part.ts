/** A part of a benchmark: measured in turns, its targets checked. */
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import { type OurPart, type PartTaken, takePart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { checkTargets, type Target, type TargetResult } from "./targets.ts";

/** The result of a part. */
export interface PartBench extends PartTaken {
  readonly targets: readonly TargetResult[];
}

/** Measures a part. @throws as {@link takePart} */
export async function measurePart(
  options: BenchOptions,
  targets: readonly Target[],
  contendersOf: (part: OurPart) => readonly Contender[],
): Promise<PartBench> {
  const { measured, missing, ...made } = await takePart(options, contendersOf);
  return { ...made, targets: checkTargets(measured, targets), measured, missing };
}
