/**
 * Compares items of several types in one process with the same items alone in theirs, in loops that are written as the
 * docs show them. V8 compiles a function for the types that it has met, so what several conveyors share may be slower
 * for each.
 */

import type { ConveyorAnswer, LoopKind } from "../../../../microbench/conveyors/job.ts";
import { placeOf } from "../../../../microbench/conveyors/variants.ts";
import { probeWords } from "../../../../microbench/turns/distance.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import { LIMIT_MS, type OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { measurePart, type PartBench } from "../turns/part.ts";
import type { Target } from "../turns/targets.ts";
import type { MixedJob } from "./bench-mixed.program.ts";
import { type Mixed, mixedBy } from "./mixed.ts";
import { FULL, QUICK } from "./variants.ts";

const WAYS: readonly LoopKind[] = ["item-wise", "batch-wise", "run"];

const whatOf = (mixed: Mixed, cpus: number): string => `${mixed}, ${placeOf(cpus, cpus)}`;
const together = (way: LoopKind): string => `tundish, together, ${way}`;
const alone = (way: LoopKind): string => `tundish, alone, ${way}`;

/** Set for two PEs. */
export const MIXED_TARGETS: readonly Target[] = WAYS.flatMap((way) =>
  mixedBy(way).map((mixed): Target => {
    const what = whatOf(mixed, 2);
    return {
      who: together(way),
      what,
      kind: "within",
      bound: 1.25,
      rivals: { names: [alone(way)], whats: [what] },
    };
  }),
);

/** Measures both. @throws as `benchConveyors` */
export const benchMixed = (options: BenchOptions = {}): Promise<PartBench> =>
  measurePart(options, MIXED_TARGETS, (part) =>
    (part.quick ? WAYS.slice(0, 1) : WAYS).flatMap((way) => [
      world(part, way, together(way), mixedBy(way)),
      ...mixedBy(way).map((mixed) => world(part, way, alone(way), [mixed])),
    ]),
  );

/** One process with items of some types. */
function world(part: OurPart, way: LoopKind, name: string, types: readonly Mixed[]): Contender {
  const { cpus, machine, quick, signal } = part;
  const { sessions, sessionMs, warmMs } = quick ? QUICK : FULL;
  const volume = { sessions, sessionMs, warmMs };
  return {
    name: `${name}, ${types.length === 1 ? types[0] : "all types"}`,
    required: true,
    run: async () => {
      const module = sibling("./bench-mixed.program.js", import.meta.url);
      const args: MixedJob = { types, way, ...volume, words: probeWords(cpus.length, cpus.length) };
      const options = { args, pes: cpus.length, machine, timeout: LIMIT_MS, ...(signal && { signal }) };
      const answers = await launch<ConveyorAnswer>(module, options);
      part.sawBound(answers.every(({ bound }) => bound));
      return answers[0].timed.map(({ items, ...timed }, i) => ({
        name,
        what: whatOf(types[i], cpus.length),
        batch: items,
        ...timed,
      }));
    },
  };
}
