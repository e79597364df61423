/** The common frame of parts with programs in C: turns of all of them and of ours, for some numbers of PEs. */
import type { Measured, Missing } from "../../../../microbench/pairs/profiled.ts";
import { type ProbeWords, probeWords } from "../../../../microbench/turns/distance.ts";
import { inFirstMode } from "../../../../microbench/turns/figures.ts";
import { turnsOf } from "../../../../microbench/turns/options.ts";
import { type Contender, type Entry, type TurnsMade, takeTurns } from "../../../../microbench/turns/turns.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { type CProgram, CPrograms, type ToEntry } from "./smelt-c.ts";
import { firstPEs, LIMIT_MS, placeOf, type SmeltOptions, type SmeltPlace } from "./smelt-options.ts";

/** One program and operation, on so many PEs. */
export interface RivalFigure extends Measured {
  readonly pes: number;
}

/** The result of such a part: times in ns. */
export interface MeasuredRivals extends Omit<TurnsMade, "complete"> {
  readonly cpus: readonly number[];
  readonly pinned: boolean;
  readonly stable: boolean;
  readonly measured: readonly RivalFigure[];
  readonly missing: readonly Missing[];
  /** Of gcc and of each MPI. */
  readonly versions: Readonly<Record<string, string>>;
}

/** One of our programs. */
export interface OurProgram<Job extends ProbeWords, Answer> {
  readonly module: URL;
  readonly job: (place: SmeltPlace, size: number) => Omit<Job, "words">;
  readonly entries: (answer: Answer, size: number) => readonly Entry[];
}

/** Makes our contenders. @param onUnbound to be called if a PE is not bound to its CPU */
export type Ours = (place: SmeltPlace, onUnbound: () => void) => Contender[];

/** Adds the number of PEs to what an entry measures. */
export const onPes = (what: string, size: number): string => `${what}; ${size}`;

/** A world for each number of PEs. */
export const worlds =
  <Job extends ProbeWords, Answer extends { readonly bound: boolean }>(
    { module, job, entries }: OurProgram<Job, Answer>,
    signal: AbortSignal | undefined,
  ): Ours =>
  (place, onUnbound) =>
    place.pes.map((size): Contender => {
      const run = async () => {
        const args = { ...job(place, size), words: probeWords(size, size) };
        const answers = (await launch<unknown>(module, {
          args,
          pes: size,
          machine: firstPEs(place, size),
          timeout: LIMIT_MS,
          ...(signal && { signal }),
        })) as Answer[];
        if (answers.some(({ bound }) => !bound)) onUnbound();
        return entries(answers[0], size);
      };
      return { name: `tundish, ${size} PEs`, required: true, run };
    });

/**
 * Lets ours and the programs in C take turns.
 * @throws UsageError and EnvironmentError as {@link placeOf}; what {@link launch} throws
 */
export async function measureRivals(
  ours: Ours,
  programs: readonly CProgram[],
  toEntry: ToEntry,
  options: SmeltOptions,
): Promise<MeasuredRivals> {
  const place = await placeOf(options);
  const { cpus } = place;
  let pinned = true;
  const own = ours(place, () => {
    pinned = false;
  });
  await using inC = await CPrograms.make(options);
  const others = await inC.contenders(programs, place, toEntry);
  const taken = await takeTurns([...own, ...others], { ...turnsOf(options), cpus });
  const { complete, measured: _, missing, ...counts } = taken;
  return {
    cpus,
    pinned,
    stable: complete,
    ...counts,
    measured: inFirstMode(taken).map((one) => {
      const [what, pes] = one.what.split("; ");
      return { ...one, what, pes: Number(pes) };
    }),
    missing: [...inC.missing, ...missing],
    versions: inC.versions,
  };
}
