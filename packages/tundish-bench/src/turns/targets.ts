/**
 * The targets of Tundish, the programs it is compared with, and whether a measurement reaches a target: data and one
 * function.
 *
 * Example: barriers of 45 ns, of 51 ns in C (two variants, the faster one counts) and of 130 ns in Open MPI: "at most
 * 1.15 x C flags" is reached with 45 / 51 = 0.88, "2.5 x faster than Open MPI" with 2.89.
 */
import type { Measured } from "../../../../microbench/pairs/profiled.ts";

/** One target. */
export interface Target {
  /** Our program. @default "tundish" */
  readonly who?: string;
  /** Our operation. */
  readonly what: string;
  /** Number of our operations that correspond to one of the other program. @default 1 */
  readonly operations?: number;
  /** The programs to compare with: the fastest one counts. Without any, the bound is for our own time. */
  readonly rivals?: { readonly names: readonly string[]; readonly whats: readonly string[] };
  /**
   * `faster`: at least so many times; `within`: ours takes at most so many times theirs; `below`: at most so many ns.
   */
  readonly kind: "faster" | "within" | "below";
  readonly bound: number;
}

/** A time with its quartiles, ns. */
export type Times = Pick<Measured, "name" | "what" | "ns" | "low" | "high" | "mode">;

/** The result for a target. */
export interface TargetResult {
  readonly target: Target;
  /** The mode that both were measured in (see {@link Measured}); null if there is none, or the turns were in none. */
  readonly mode: number | null;
  /** In the terms of the bound; null if one of the two was not measured. */
  readonly reached: number | null;
  readonly verdict: "reached" | "missed" | "not measured" | "in different modes";
  readonly ours: Times | null;
  readonly rival: Times | null;
}

/** The CPU time that a waiting PE uses: the name of that measurement, in ns per second. */
export const IDLE = "CPU time of a waiting PE, per second";
/** Waking a sleeping PE and being woken by it. */
export const WAKE = "wake-up round trip";
/** Numbers of PEs that share the CPUs. */
export const OVERSUBSCRIBED: readonly number[] = [4, 8, 16];

const against = (names: string | readonly string[], ...whats: string[]) => ({
  rivals: { names: [names].flat(), whats },
});
const openMpi = (what: string) => against("Open MPI", what);
/** The end of a name: the results are in two arrays in turn that all PEs share. */
export const SHARED = ", into shared arrays";
/** How many times what a program does by hand with shared arrays a call may take that moves so much. */
const BY_HAND: readonly (readonly [size: string, bound: number])[] = [
  ["1 KiB", 2],
  ["8 KiB", 2],
  ["128 KiB", 1.3],
  ["1 MiB", 1.3],
  ["8 MiB", 1.3],
];

/** All targets; they were set for two PEs. */
export const TARGETS: readonly Target[] = [
  { what: "barrier", ...against("C flags", "barrier", "barrier, seq_cst"), kind: "within", bound: 1.15 },
  { what: "barrier", ...openMpi("barrier"), kind: "faster", bound: 2.5 },
  { what: "barrier", ...against(["GOMP", "GOMP, active"], "barrier"), kind: "faster", bound: 3.5 },
  { what: "broadcast 8 B", ...openMpi("broadcast 8 B"), kind: "faster", bound: 1.3 },
  { what: "broadcast 64 KiB", ...openMpi("broadcast 64 KiB"), kind: "faster", bound: 4 },
  { what: "broadcast 1 MiB", ...openMpi("broadcast 1 MiB"), kind: "faster", bound: 2.5 },
  { what: "allreduce f64", ...openMpi("allreduce f64"), kind: "faster", bound: 1.7 },
  { what: "allreduce f64[8192]", ...openMpi("allreduce f64[8192]"), kind: "faster", bound: 3 },
  ...["alltoall", "gather"].flatMap((call) =>
    BY_HAND.map(([size, bound]): Target => {
      const what = `${call} ${size}`;
      return { what, ...against("by hand", what), kind: "within", bound };
    }),
  ),
  ...BY_HAND.map(([size, bound]): Target => {
    const what = `gather ${size}`;
    return { what: what + SHARED, ...against("by hand", what), kind: "within", bound };
  }),
  ...["alltoall 128 KiB", "alltoall 1 MiB", "alltoallv 1 MiB", "gather 1 MiB"].map(
    (what): Target => ({ what, ...openMpi(what), kind: "faster", bound: 1 }),
  ),
  ...OVERSUBSCRIBED.map((pes): Target => {
    const what = `barrier, ${pes} PEs`;
    return { what, ...against("Open MPI, yielding", what), kind: "faster", bound: 1 };
  }),
  { what: IDLE, kind: "below", bound: 1e7 },
  { what: WAKE, kind: "below", bound: 15_000 },
  // two broadcasts, one from each end, send a value there and back
  {
    what: "broadcast 8 B",
    operations: 2,
    ...against("postMessage", "round trip"),
    kind: "faster",
    bound: 100,
  },
];

/**
 * Compares the targets with the measurements: a result for each mode that a target was measured in, or one that tells
 * why not.
 */
export function checkTargets(measured: readonly Times[], targets: readonly Target[] = TARGETS): TargetResult[] {
  return targets.flatMap((target) => {
    const { who = "tundish", what, rivals } = target;
    const ours = ofThese(measured, [who], [what]);
    const theirs = rivals ? ofThese(measured, rivals.names, rivals.whats) : [];
    // without rivals nothing is compared, and turns during which the mode changed count, too
    const modes = [...new Set(ours.map(({ mode }) => mode))].filter(
      (mode) => !rivals || (mode !== null && theirs.some((one) => one.mode === mode)),
    );
    if (modes.length > 0)
      return modes.map((mode) => compare(target, inMode(ours, mode), rivals ? inMode(theirs, mode) : null));
    const verdict = ours.length > 0 && theirs.length > 0 ? "in different modes" : "not measured";
    return [{ target, mode: null, reached: null, verdict, ours: fastest(ours), rival: fastest(theirs) }];
  });
}

const inMode = (all: readonly Times[], mode: Times["mode"]): Times =>
  fastest(all.filter((one) => one.mode === mode)) as Times;

function compare(target: Target, ours: Times, rival: Times | null): TargetResult {
  const { kind, bound, operations = 1 } = target;
  const own = times(ours, operations);
  const theirs = rival?.ns ?? 1;
  const reached = kind === "faster" ? theirs / own.ns : own.ns / theirs;
  const good = kind === "faster" ? reached >= bound : reached <= bound;
  return { target, mode: ours.mode ?? null, reached, verdict: good ? "reached" : "missed", ours: own, rival };
}

const ofThese = (measured: readonly Times[], names: readonly string[], whats: readonly string[]): Times[] =>
  measured.filter(({ name, what }) => names.includes(name) && whats.includes(what));

const fastest = (all: readonly Times[]): Times | null => [...all].sort((a, b) => a.ns - b.ns)[0] ?? null;

function times({ ns, low, high, ...rest }: Times, count: number): Times {
  return { ...rest, ns: count * ns, low: count * low, high: count * high };
}
