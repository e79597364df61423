/**
 * What it costs to start: the import of the package, launches of PEs that return at once, and from which size on a computation
 * by all PEs is faster than the same by one thread, with the launch. Each in processes of their own: the first run, when V8 has
 * compiled nothing, and later ones. In turns, in one run, on the same CPUs (see turns.ts).
 */
import type { Measured } from "../../microbench/pairs/types.ts";
import { NativeError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { selectPEs } from "../../src/machine/model/select.ts";
import { type BreakEven, crossing } from "../conveyors/bench-cold.ts";
import { type FreshProcesses, freshProcesses } from "../conveyors/fresh.ts";
import { measurePart, type OurPart, type PartBench } from "../conveyors/part.ts";
import { ALONE, aloneOf, TOGETHER } from "../programs/bench-programs.ts";
import { inFirstMode } from "../turns/figures.ts";
import type { BenchOptions } from "../turns/options.ts";
import type { Contender, Entry } from "../turns/turns.ts";
import {
  FULL,
  type LaunchAnswer,
  type LaunchOrder,
  type LaunchVolume,
  QUICK,
  type Work,
  type WorkName,
  whatsOf,
} from "./launch-jobs.ts";

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

/** Resident memory of a process with an open world, bytes: after some runs, and after all. */
export interface OpenMemory {
  readonly pes: number;
  readonly runs: number;
  readonly settled: number;
  readonly last: number;
}

export const IMPORT = "import of the package";
/** What it costs to start PEs, and to run on PEs that were started before. */
export interface StartTime extends Measured {
  readonly call: "launch" | "run";
  readonly pes: number;
}

/** The result of {@link benchStarts}. */
export interface StartsBench extends Omit<PartBench, "measured" | "targets"> {
  readonly times: readonly StartTime[];
}

/** The operations of a launch: the first one of a process, and later ones. */
export const launchesOf = (pes: number): [first: string, later: string] => [
  `launch of ${pes} PEs, first`,
  `launch of ${pes} PEs, later`,
];

/** The operations of an open world: its opening, the first run, and later ones. */
export const opensOf = (pes: number): [opening: string, first: string, later: string] => [
  `opening of ${pes} PEs`,
  `run in an open world of ${pes} PEs, first`,
  `run in an open world of ${pes} PEs, later`,
];

/** Of {@link benchStarts}. */
const STARTS: Pick<LaunchVolume, "runs" | "openRuns"> = { runs: 1, openRuns: 200 };
/** Its launches in a turn, each in a process of its own, so that one turn tells how far they differ. */
const STARTS_LAUNCHES = 3;
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
        launches(part, processes, pes, volume),
        opens(part, processes, pes, volume, (one) => memory.set(pes, one)),
      ])
      .concat(worksOf(volume).flatMap((work) => both(part, processes, work, volume)));
  });
  return { ...bench, breakEven: breakEvens(bench, volume), memory: [...memory.values()] };
}

/**
 * Measures the first launch of a process, as most programs have one only, and later runs in an open world: of 2, 4 and as many
 * PEs as there are CPUs. @throws as {@link benchLaunch}
 */
export async function benchStarts(options: BenchOptions): Promise<StartsBench> {
  await using processes = await freshProcesses();
  const meanings = new Map<string, Pick<StartTime, "call" | "pes">>();
  const {
    targets: _,
    measured,
    ...bench
  } = await measurePart(options, [], (part) => {
    const all = part.cpus.length;
    return [...new Set([2, 4, all])]
      .filter((pes) => pes <= all)
      .flatMap((pes) => {
        meanings.set(launchesOf(pes)[0], { call: "launch", pes });
        meanings.set(opensOf(pes)[2], { call: "run", pes });
        return [
          ...Array.from({ length: STARTS_LAUNCHES }, () => launches(part, processes, pes, STARTS)),
          opens(part, processes, pes, STARTS),
        ];
      });
  });
  const times = inFirstMode({ measured, modes: bench.modes }).flatMap((one) => {
    const meaning = meanings.get(one.what);
    return meaning === undefined ? [] : [{ ...one, ...meaning }];
  });
  return { ...bench, times };
}

export const worksOf = ({ sizes }: LaunchVolume): Work[] =>
  (Object.keys(sizes) as WorkName[]).flatMap((name) => sizes[name].map((size) => ({ name, size })));

function launches(
  part: OurPart,
  processes: FreshProcesses,
  pes: number,
  { runs }: Pick<LaunchVolume, "runs">,
): Contender {
  return {
    name: `${TOGETHER}, launch of ${pes} PEs`,
    required: true,
    run: async () => {
      const { imported, times } = await run(part, processes, { way: "launch", pes, work: null, runs });
      const [first, later] = launchesOf(pes);
      return [
        entry(TOGETHER, IMPORT, [imported]),
        entry(TOGETHER, first, times.slice(0, 1)),
        entry(TOGETHER, later, times.slice(1)),
      ];
    },
  };
}

function opens(
  part: OurPart,
  processes: FreshProcesses,
  pes: number,
  { openRuns }: Pick<LaunchVolume, "openRuns">,
  remember: (memory: OpenMemory) => void = () => {},
): Contender {
  return {
    name: `${TOGETHER}, open world of ${pes} PEs`,
    required: true,
    run: async () => {
      const order = { way: "open", pes, work: null, runs: openRuns } as const;
      const { opened, times, memory } = await run(part, processes, order);
      const [opening, first, later] = opensOf(pes);
      remember({ pes, runs: openRuns, settled: memory[0], last: memory[1] });
      return [
        entry(TOGETHER, opening, [opened as number]),
        entry(TOGETHER, first, times.slice(0, 1)),
        entry(TOGETHER, later, times.slice(1)),
      ];
    },
  };
}

/** By one thread, by all PEs with their launch, and by those of an open world. The others compare their results with the first's. */
function both(part: OurPart, processes: FreshProcesses, work: Work, { runs }: LaunchVolume): Contender[] {
  const [firstWhat, laterWhat, openWhat] = whatsOf(work);
  let expected: readonly number[] | null = null;
  const contender = (name: string, way: LaunchOrder["way"]): Contender => ({
    name: `${name}, ${way}, ${work.name}`,
    required: true,
    run: async () => {
      const { times, results } = await run(part, processes, { way, pes: part.cpus.length, work, runs });
      expected ??= results[0];
      for (const result of results) compare(work, result, expected);
      const [first, later] = [times.slice(0, 1), times.slice(1)];
      const launched = way === "open" ? [] : [entry(name, firstWhat, first), entry(name, laterWhat, later)];
      return way === "launch" ? launched : [...launched, entry(name, openWhat, later)];
    },
  });
  return [contender(ALONE, "alone"), contender(TOGETHER, "launch"), contender(TOGETHER, "open")];
}

const run = (
  part: OurPart,
  processes: FreshProcesses,
  order: Omit<LaunchOrder, "machine">,
): Promise<LaunchAnswer> => {
  // more PEs than CPUs share them
  const pes = Math.min(order.pes, part.cpus.length);
  const machine = selectPEs(part.machine, [...Array(pes).keys()]);
  return processes.node<LaunchAnswer>(part, sibling("./launch-node.js", import.meta.url), {
    ...order,
    machine,
  });
};

const entry = (name: string, what: string, samples: readonly number[]): Entry => ({
  ...{ name, what, samples },
  batch: 1,
});

/** @throws NativeError if a value differs */
export function compare({ name }: Work, result: readonly number[], expected: readonly number[]): void {
  const isSame = (value: number, i: number): boolean =>
    Math.abs(value - expected[i]) <= TOLERANCE * Math.abs(expected[i]);
  if (result.length === expected.length && result.every(isSame)) return;
  throw new NativeError(
    `bench launch: ${name}: expected [${expected.join(", ")}], got [${result.join(", ")}]`,
  );
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
          const ours = measured.find(
            (one) => one.name === TOGETHER && one.what === what && one.mode === mode,
          );
          return (ours?.ns ?? Number.NaN) / (aloneOf(measured, what)?.ns ?? Number.NaN);
        });
        if (mode === null || ratios.some(Number.isNaN)) return [];
        return [{ name, state, mode, items: crossing(sizes, ratios) }];
      }),
    ),
  );
}
