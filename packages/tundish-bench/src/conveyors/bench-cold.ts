/**
 * Measures conveyors in fresh processes, before V8 has compiled anything: the first sessions beside later ones, a
 * conveyor made for each session beside one that is kept, empty sessions, and from how many items on several PEs are
 * faster than one.
 */

import type { LoopKind } from "../../../../microbench/conveyors/job.ts";
import { type FreshProcesses, freshProcesses } from "../../../../microbench/launch/processes.ts";
import type { Measured } from "../../../../microbench/pairs/profiled.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { measurePart, type PartBench } from "../turns/part.ts";
import type { Target } from "../turns/targets.ts";
import type { ColdAnswer } from "./bench-cold.program.ts";
import { COLD, COLD_QUICK, type ColdJob } from "./cold-jobs.ts";
import { runFresh } from "./fresh.ts";

/** The number of keys from which on all PEs together count faster than one alone. */
export interface BreakEven {
  /** The first count of a process, or later ones. */
  readonly state: "first" | "warm";
  readonly mode: number | null;
  /** Null if there is none up to the largest number that was measured. */
  readonly items: number | null;
}

/** The result of {@link benchCold}. */
export interface ColdBench extends PartBench {
  readonly breakEven: readonly BreakEven[];
}

const WAYS: readonly LoopKind[] = ["batch-wise", "item-wise", "run"];
/** Turns of each: a fresh process has one first session only. */
const TURNS = 5;
export const ALONE = "one PE, a plain loop";
/** The loops of the sessions without any conveyor: see own-ring.ts. */
export const OWN = "own ring";
/** One call for a session: see columns-run.ts. */
const COLUMNS = "tundish, run of columns";
const TOGETHER = "tundish, batch-wise";

const against = (way: LoopKind, what: string, bound: number, other: string): Target => ({
  who: `tundish, ${way}`,
  what,
  kind: "within",
  bound,
  rivals: { names: [`tundish, ${way}`], whats: [other] },
});

/** Set for two PEs and 10^5 items of each in a session. */
export const COLD_TARGETS: readonly Target[] = [
  against("batch-wise", "1st session", 2, "warm session"),
  against("item-wise", "1st session", 4, "warm session"),
  ...(["1st", "2nd"] as const).map(
    (nth): Target => ({
      who: COLUMNS,
      what: `${nth} session`,
      kind: "within",
      bound: nth === "1st" ? 1.3 : 1.5,
      rivals: { names: [`${OWN}, batch-wise`], whats: [`${nth} session`] },
    }),
  ),
  ...COLD.sessionWays.map((way) =>
    against(way, `${COLD.sessions} sessions, a conveyor for each`, 1.15, `${COLD.sessions} sessions, one conveyor`),
  ),
  { what: "empty session, warm", kind: "below", bound: 3000 },
  { what: "10th empty session", kind: "below", bound: 20_000 },
];

/** Measures all of it. @throws as `benchConveyors`; NativeError if a process fails */
export async function benchCold(options: BenchOptions = {}): Promise<ColdBench> {
  const volume = options.quick ? COLD_QUICK : COLD;
  const { items, sessions, warmMs, batches } = volume;
  await using processes = await freshProcesses();
  const turns = options.turns ?? (options.quick ? 1 : TURNS);
  const bench = await measurePart({ ...options, turns }, COLD_TARGETS, (part) => {
    const all = part.cpus.length;
    const fresh = (name: string, job: ColdJob, pes = all) => freshJob(part, processes, name, job, pes);
    return [
      ...WAYS.map((way) => fresh(`tundish, ${way}`, { kind: "sessions", way, items, warmMs, batches })),
      fresh(COLUMNS, { kind: "columns", items, warmMs, batches }),
      ...volume.sessionWays.map((way) => fresh(`${OWN}, ${way}`, { kind: "own", way, items, warmMs, batches })),
      ...volume.sessionWays.flatMap((way) =>
        (["kept", "anew"] as const).map((kind) => fresh(`tundish, ${way}`, { kind, way, items, sessions })),
      ),
      fresh("tundish", { kind: "empty", warmMs, batches }),
      ...volume.tallies.flatMap((items) => {
        const job: ColdJob = { kind: "tally", items, warmMs: warmMs / 3, batches };
        return [fresh(ALONE, job, 1), fresh(TOGETHER, job)];
      }),
    ];
  });
  return { ...bench, breakEven: breakEvens(bench, volume.tallies) };
}

/** One job in a process of its own. */
function freshJob(part: OurPart, processes: FreshProcesses, name: string, job: ColdJob, pes: number): Contender {
  return {
    name: `${name}, ${job.kind}`,
    required: true,
    run: async () => {
      const program = sibling("./bench-cold.program.js", import.meta.url);
      const { answers } = await runFresh<ColdAnswer>(processes, part, program, pes, job);
      part.sawBound(answers.every(({ bound }) => bound));
      return answers[0].entries.map((entry) => ({ name, ...entry }));
    },
  };
}

/** One PE alone: at whatever distance of the CPUs, as it uses one. */
export const aloneAt = (measured: readonly Measured[], what: string): Measured | undefined =>
  measured.find((one) => one.name === ALONE && one.what === what);

/** In every mode in which all numbers of keys were counted by all PEs. */
export function breakEvens(
  { measured, modes }: Pick<PartBench, "measured" | "modes">,
  tallies: readonly number[],
): BreakEven[] {
  return modes.flatMap(({ mode }) =>
    (["first", "warm"] as const).flatMap((state): BreakEven[] => {
      const ratios = tallies.map((items) => {
        const what = `tally of ${items}, ${state}`;
        const ours = measured.find((one) => one.name === TOGETHER && one.what === what && one.mode === mode);
        return (ours?.ns ?? Number.NaN) / (aloneAt(measured, what)?.ns ?? Number.NaN);
      });
      if (mode === null || ratios.some(Number.isNaN)) return [];
      return [{ state, mode, items: crossing(tallies, ratios) }];
    }),
  );
}

/** Where the ratio falls below 1 for good, between the logarithms of two numbers; null if it does not. */
export function crossing(items: readonly number[], ratios: readonly number[]): number | null {
  const last = ratios.findLastIndex((ratio) => ratio >= 1);
  if (last === ratios.length - 1) return null;
  if (last === -1) return items[0];
  const [a, b] = [Math.log(ratios[last]), Math.log(ratios[last + 1])];
  return Math.round(items[last] * (items[last + 1] / items[last]) ** (a / (a - b)));
}
