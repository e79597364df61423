/**
 * The cost of starting: the import of the package, launches of PEs that return at once, and from which size on a
 * computation by all PEs is faster than the same by one thread, with the launch. Each in processes of their own: the
 * first run, when V8 has compiled nothing, and later ones. In turns, in one run, on the same CPUs (see turns.ts).
 */
import type { LaunchOrder } from "../../../../microbench/launch/order.ts";
import { type FreshProcesses, freshProcesses } from "../../../../microbench/launch/processes.ts";
import { entryOf, launches, type OpenMemory, opens, runOrder, TOGETHER } from "../../../../microbench/launch/starts.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { NativeError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { type BreakEven, crossing } from "../conveyors/bench-cold.ts";
import { ALONE, aloneOf } from "../programs/bench-programs.ts";
import { measurePart, type PartBench } from "../turns/part.ts";
import { FULL, type LaunchVolume, QUICK, type Work, type WorkName, whatsOf } from "./launch-jobs.ts";

/** From which size on a work is faster by all PEs: launched in a fresh process, later, or in an open world. */
export interface WorkBreakEven extends Omit<BreakEven, "state"> {
  readonly name: WorkName;
  readonly state: BreakEven["state"] | "open";
}

/** The result of {@link benchLaunch}. */
export interface LaunchBench extends PartBench {
  readonly breakEven: readonly WorkBreakEven[];
  /** By open world whose PEs return at once. */
  readonly memory: readonly OpenMemory[];
}

/** Turns of each: a fresh process has one first run only. */
const TURNS = 5;
/** A result may differ so much from that of one thread, relative to it: the order of sums differs. */
const TOLERANCE = 1e-6;

/** Measures all of it. @throws as `benchConveyors`; NativeError if a process fails, or gives a wrong result */
export async function benchLaunch(options: BenchOptions = {}): Promise<LaunchBench> {
  const volume = options.quick ? QUICK : FULL;
  await using processes = await freshProcesses();
  const turns = options.turns ?? (options.quick ? 1 : TURNS);
  const memory = new Map<number, OpenMemory>();
  const bench = await measurePart({ ...options, turns }, [], (part) => {
    const all = part.cpus.length;
    return [...new Set([2, 4, all])]
      .flatMap((pes) => [
        launches(part, processes, pes, volume.runs),
        opens(part, processes, pes, volume.openRuns, (one) => memory.set(pes, one)),
      ])
      .concat(worksOf(volume).flatMap((work) => both(part, processes, work, volume)));
  });
  return { ...bench, breakEven: breakEvens(bench, volume), memory: [...memory.values()] };
}

export const worksOf = ({ sizes }: LaunchVolume): Work[] =>
  (Object.keys(sizes) as WorkName[]).flatMap((name) => sizes[name].map((size) => ({ name, size })));

/**
 * By one thread, by all PEs with their launch, and by those of an open world. The others compare their results with
 * the first's.
 */
function both(part: OurPart, processes: FreshProcesses, work: Work, { runs }: LaunchVolume): Contender[] {
  const [firstWhat, laterWhat, openWhat] = whatsOf(work);
  let expected: readonly number[] | null = null;
  const contender = (name: string, way: LaunchOrder["way"]): Contender => ({
    name: `${name}, ${way}, ${work.name}`,
    required: true,
    run: async () => {
      const { times, results } = await runOrder(part, processes, {
        way,
        pes: part.cpus.length,
        work,
        runs,
        module: way === "alone" ? works : program,
      });
      expected ??= results[0];
      for (const result of results) compare(work, result, expected);
      const [first, later] = [times.slice(0, 1), times.slice(1)];
      const launched = way === "open" ? [] : [entryOf(name, firstWhat, first), entryOf(name, laterWhat, later)];
      return way === "launch" ? launched : [...launched, entryOf(name, openWhat, later)];
    },
  });
  return [contender(ALONE, "alone"), contender(TOGETHER, "launch"), contender(TOGETHER, "open")];
}

const program = sibling("./bench-launch.program.js", import.meta.url).href;
const works = sibling("./works.js", import.meta.url).href;

/** @throws NativeError if a value differs */
export function compare({ name }: Work, result: readonly number[], expected: readonly number[]): void {
  const isSame = (value: number, i: number): boolean =>
    Math.abs(value - expected[i]) <= TOLERANCE * Math.abs(expected[i]);
  if (result.length === expected.length && result.every(isSame)) return;
  throw new NativeError(`bench launch: ${name}: expected [${expected.join(", ")}], got [${result.join(", ")}]`);
}

/** In every mode in which all sizes were computed by all PEs. */
export function breakEvens(
  { measured, modes }: Pick<PartBench, "measured" | "modes">,
  volume: LaunchVolume,
): WorkBreakEven[] {
  return modes.flatMap(({ mode }) =>
    (Object.keys(volume.sizes) as WorkName[]).flatMap((name) =>
      (["first", "warm", "open"] as const).flatMap((state, at): WorkBreakEven[] => {
        const sizes = volume.sizes[name];
        const ratios = sizes.map((size) => {
          const what = whatsOf({ name, size })[at];
          const ours = measured.find((one) => one.name === TOGETHER && one.what === what && one.mode === mode);
          return (ours?.ns ?? Number.NaN) / (aloneOf(measured, what)?.ns ?? Number.NaN);
        });
        if (mode === null || ratios.some(Number.isNaN)) return [];
        return [{ name, state, mode, items: crossing(sizes, ratios) }];
      }),
    ),
  );
}
