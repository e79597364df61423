/** What all examples do: read their options, run both forms in turn, check one by the other, and report the times. */
import type { PE } from "tundish";
import { curves } from "./curves.ts";
import {
  flag,
  listOf,
  type Option,
  type Options,
  pictureFile,
  read,
  usage,
  type Values,
  WrongOption,
  WrongResult,
  whole,
} from "./options.ts";
import { checkWritable, save } from "./output.ts";
import { breakEven, median, type Times } from "./times.ts";

/** A problem of one size: how all PEs solve it, how one thread does, and what there is to see. */
export interface Problem<Result, Part = Result> {
  /** Solves it on all PEs; timed. @returns what this PE has of the result */
  parallel(): Promise<Part>;
  /** Solves it on one thread, without Tundish; timed. */
  serial(): Result | Promise<Result>;
  /** The whole result at PE 0, of the parts of all PEs; collective, not timed. Without it the part of PE 0 is the result. */
  collect?(part: Part): Result | Promise<Result>;
  /** What is wrong with a result; undefined if nothing is. */
  differs(found: Result, expected: Result): string | undefined;
  /** Falsifies one value, for `--spoil`: shows that the check fails then. */
  spoil(found: Result): void;
  /** What people want to know of a result, for the report. */
  tell(found: Result): Readonly<Record<string, unknown>>;
  /** Floating-point operations of the work: the report has GFLOP/s then, and `--sizes` draws them. */
  flops?(found: Result): number;
  /** A result as SVG, for `--picture`. */
  draw?(found: Result): string;
  /** Frees what it has allocated; collective. */
  free?(): Promise<void>;
}

/** Options that every example has beside its own. */
interface Common {
  readonly sizes: readonly number[];
  readonly turns: number;
  readonly warm: number;
  readonly seed: number;
  readonly picture: string | undefined;
  readonly spoil: boolean;
  readonly json: boolean;
  readonly help: boolean;
}
const common = (size: Option<number>): { readonly [N in keyof Common]: Option<Common[N]> } => ({
  sizes: listOf(size),
  turns: whole(3, 1, 1000, "how often each form is timed"),
  warm: whole(20, 0, 1000, "how often each form runs before it is timed, at most"),
  seed: whole(1, 0, 2 ** 31, "of the random numbers that the input is made of"),
  picture: pictureFile,
  spoil: { ...flag, takes: "falsifies a value, to show that the check fails" },
  json: { ...flag, takes: "prints the report as one object" },
  help: { ...flag, takes: "prints this" },
});

/** What an example is told: its own options and those of all. */
export type Told<O extends Options> = Values<O> & Common;

/** The report of a run of one size; with `--sizes` of all, and the size from which on all PEs together are faster. */
export interface Report {
  readonly name: string;
  readonly pes: number;
  /** Both forms gave the same result. */
  readonly checked: true;
  readonly sizes?: readonly Times[];
  readonly breakEven?: number | null;
  readonly [more: string]: unknown;
}

/**
 * Runs an example at this PE, for each size that is asked for. Collective.
 * @param options its own; one is `size`
 * @param make makes a problem of a size; collective
 * @returns the report at PE 0, undefined at the others and for `--help`
 * @throws WrongOption; WrongResult if the result is not that of the serial form
 */
export async function example<O extends Options & { readonly size: Option<number> }, Result, Part = Result>(
  pe: PE,
  args: unknown,
  name: string,
  options: O,
  make: (told: Told<O>) => Promise<Problem<Result, Part>>,
): Promise<Report | undefined> {
  const known = { ...options, ...common(options.size) };
  const told = read(args, known) as Told<O>;
  if (told.help) {
    if (pe.rank === 0) console.log(usage(name, known));
    return undefined;
  }
  if (pe.rank === 0 && told.picture !== undefined) checkWritable("--picture", told.picture);
  const hasSizes = told.sizes.length > 0;
  const runs: { times: Times; more: Readonly<Record<string, unknown>>; picture: string | undefined }[] = [];
  for (const size of hasSizes ? told.sizes : [told.size as number]) {
    const problem = await make({ ...told, size });
    if (told.picture !== undefined && !hasSizes && problem.draw === undefined)
      throw new WrongOption(`--picture: expected --sizes with it, as ${name} draws times by size, got none`);
    const [part, times] = await inTurns(pe, size, told, problem);
    const found = problem.collect ? await problem.collect(part) : (part as unknown as Result);
    if (pe.rank === 0) {
      const { expected, ...all } = times;
      const more = problem.tell(found);
      if (told.spoil) problem.spoil(found);
      const fault = problem.differs(found, expected);
      if (fault !== undefined)
        throw new WrongResult(`${name}: not the serial result at size ${more.size ?? size}: ${fault}`);
      const flops = problem.flops?.(found);
      const rates = flops === undefined ? {} : ratesOf(flops, times);
      const picture = told.picture === undefined || hasSizes ? undefined : problem.draw?.(found);
      runs.push({ times: all, more: { ...rates, ...more }, picture });
    }
    await problem.free?.();
  }
  if (pe.rank > 0) return undefined;
  const sizes = runs.map(({ times, more }) => ({ ...times, ...more }));
  if (told.picture !== undefined) save("--picture", told.picture, runs[0].picture ?? curves(name, pe.size, sizes));
  const head = { name, pes: pe.size };
  if (!hasSizes) return { ...head, ...sizes[0], checked: true };
  return { ...head, sizes, breakEven: breakEven(sizes), checked: true };
}

/** In 1e9 a second; none on virtual PEs, whose computation takes no time. */
const ratesOf = (flops: number, { seconds, serialSeconds }: Times): Readonly<Record<string, number>> =>
  serialSeconds > 0 ? { gflops: flops / seconds / 1e9, serialGflops: flops / serialSeconds / 1e9 } : {};

/** V8 compiles while code runs: turns are not counted until both forms have run for so many ns, or as often as told. */
const UNCOUNTED_NS = 50e6;

/** Both forms in turn, so that what slows the machine down slows both. All PEs wait while PE 0 runs the serial form. */
async function inTurns<Result, Part>(
  pe: PE,
  size: number,
  { turns, warm }: Pick<Common, "turns" | "warm">,
  problem: Problem<Result, Part>,
): Promise<[Part, Times & { expected: Result }]> {
  const all: number[] = [];
  const alone: number[] = [];
  let spent = 0;
  let isCounted = warm === 0;
  for (let turn = 1; ; turn++) {
    await pe.barrierAsync();
    const began = pe.now;
    const part = await problem.parallel();
    // until the last PE is ready
    const ns = await pe.allreduceAsync(pe.now - began, "max");
    const start = pe.now;
    const expected = pe.rank === 0 ? await problem.serial() : (undefined as Result);
    const serialNs = pe.now - start;
    if (isCounted) {
      all.push(ns);
      alone.push(serialNs);
      if (all.length === turns) return [part, { ...timesOf(size, median(all), median(alone)), expected }];
    } else {
      spent += ns + serialNs;
      // virtual PEs compute in no time, and are not compiled
      const isWarm = serialNs === 0 || spent >= UNCOUNTED_NS || turn === warm;
      isCounted = (await pe.broadcastAsync(isWarm ? 1 : 0)) === 1; // as PE 0 says
    }
  }
}

/** Of ns. */
function timesOf(size: number, all: number, alone: number): Times {
  return {
    size,
    seconds: all / 1e9,
    serialSeconds: alone / 1e9,
    speedup: all > 0 && alone > 0 ? alone / all : null,
  };
}
