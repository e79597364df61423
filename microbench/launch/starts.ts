/**
 * The cost of starting PEs that return at once: launches, and an open world with its runs. Each in processes of
 * their own: the first, when V8 has compiled nothing, and later ones.
 */
import { sibling } from "../../src/ground/base/package-file.ts";
import { selectPEs } from "../../src/machine/model/select.ts";
import type { Measured } from "../pairs/profiled.ts";
import { inFirstMode } from "../turns/figures.ts";
import type { BenchOptions } from "../turns/options.ts";
import { type OurPart, type PartTaken, takePart } from "../turns/part.ts";
import type { Contender, Entry } from "../turns/turns.ts";
import { type LaunchAnswer, type LaunchOrder, SETTLED } from "./order.ts";
import { type FreshProcesses, freshProcesses } from "./processes.ts";

/** The name of our PEs, all of them together. */
export const TOGETHER = "tundish";
export const IMPORT = "import of the package";

/** The cost of starting PEs, and of running on PEs that were started before. */
export interface StartTime extends Measured {
  readonly call: "launch" | "run";
  readonly pes: number;
}

/** The result of {@link measureStarts}. */
export interface StartsTaken extends Omit<PartTaken, "measured"> {
  readonly times: readonly StartTime[];
}

/** Resident memory of a process with an open world, bytes: after some runs, and after all. */
export interface OpenMemory {
  readonly pes: number;
  readonly runs: number;
  readonly settled: number;
  readonly last: number;
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

const OPEN_RUNS = 200;
const QUICK_OPEN_RUNS = 20;
/** Launches in a turn, each in a process of its own, so that one turn tells how far they differ; one when quick. */
const LAUNCHES = 3;

/**
 * Measures the first launch of a process, as most programs have one only, and later runs in an open world: of 2, 4
 * and as many PEs as there are CPUs. @throws as {@link takePart}; NativeError if a process fails
 */
export async function measureStarts(options: BenchOptions): Promise<StartsTaken> {
  await using processes = await freshProcesses();
  const meanings = new Map<string, Pick<StartTime, "call" | "pes">>();
  const { measured, ...taken } = await takePart(options, (part) => {
    const all = part.cpus.length;
    return [...new Set([2, 4, all])]
      .filter((pes) => pes <= all)
      .flatMap((pes) => {
        meanings.set(launchesOf(pes)[0], { call: "launch", pes });
        meanings.set(opensOf(pes)[2], { call: "run", pes });
        return [
          ...Array.from({ length: part.quick ? 1 : LAUNCHES }, () => launches(part, processes, pes, 1)),
          opens(part, processes, pes, part.quick ? QUICK_OPEN_RUNS : OPEN_RUNS),
        ];
      });
  });
  const times = inFirstMode({ measured, modes: taken.modes }).flatMap((one) => {
    const meaning = meanings.get(one.what);
    return meaning === undefined ? [] : [{ ...one, ...meaning }];
  });
  return { ...taken, times };
}

const LIBRARY: LaunchOrder["library"] = {
  index: sibling("../../src/index.js", import.meta.url).href,
  affinity: sibling("../../src/machine/topology/affinity.js", import.meta.url).href,
};
const empty = sibling("./empty.program.js", import.meta.url).href;

/** Launches in one process, one after the other. */
export function launches(part: OurPart, processes: FreshProcesses, pes: number, runs: number): Contender {
  return {
    name: `${TOGETHER}, launch of ${pes} PEs`,
    required: true,
    run: async () => {
      const order = { way: "launch", module: empty, pes, work: null, runs } as const;
      const { imported, times } = await runOrder(part, processes, order);
      const [first, later] = launchesOf(pes);
      return [
        entryOf(TOGETHER, IMPORT, [imported]),
        entryOf(TOGETHER, first, times.slice(0, 1)),
        entryOf(TOGETHER, later, times.slice(1)),
      ];
    },
  };
}

/** An open world, and runs in it. */
export function opens(
  part: OurPart,
  processes: FreshProcesses,
  pes: number,
  runs: number,
  remember: (memory: OpenMemory) => void = () => {},
): Contender {
  return {
    name: `${TOGETHER}, open world of ${pes} PEs`,
    required: true,
    run: async () => {
      const order = { way: "open", module: empty, pes, work: null, runs } as const;
      const { opened, times, memory } = await runOrder(part, processes, order);
      const [opening, first, later] = opensOf(pes);
      remember({ pes, runs, settled: memory[0], last: memory[1] });
      return [
        entryOf(TOGETHER, opening, [opened as number]),
        entryOf(TOGETHER, first, times.slice(0, 1)),
        entryOf(TOGETHER, later, times.slice(1)),
      ];
    },
  };
}

/** Runs an order on the first CPUs of a part, in a process of its own. @throws NativeError if it fails */
export function runOrder(
  part: OurPart,
  processes: FreshProcesses,
  order: Omit<LaunchOrder, "machine" | "library" | "settledAfter">,
): Promise<LaunchAnswer> {
  // more PEs than CPUs share them
  const pes = Math.min(order.pes, part.cpus.length);
  const machine = selectPEs(part.machine, [...Array(pes).keys()]);
  const whole: LaunchOrder = { ...order, machine, library: LIBRARY, settledAfter: SETTLED };
  return processes.node<LaunchAnswer>(part, sibling("./launch-node.js", import.meta.url), whole);
}

/** An operation that is not repeated in batches. */
export const entryOf = (name: string, what: string, samples: readonly number[]): Entry => ({
  name,
  what,
  samples,
  batch: 1,
});
