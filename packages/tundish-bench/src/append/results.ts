/** The findings of `bench append`: functions of them, without any measuring. */
import type { AppendBench, AppendMeasured } from "./measured.ts";

/** Names of append buffers on threads begin with it. */
const OURS = /^push/;
/** C that appends; "C, add alone" does not. */
const IN_C = /^C(?!, add alone)/;
const TOGETHER = /at a time$/;

const isSamePlace = (a: AppendMeasured, b: AppendMeasured): boolean =>
  a.where === b.where && a.bytes === b.bytes && a.writers === b.writers && a.isAlone === b.isAlone;

/**
 * The C program that does the same, the fastest one; pushes that are waited for together have one that does so, too.
 */
export function rivalOf(measured: readonly AppendMeasured[], one: AppendMeasured): AppendMeasured | null {
  const rivals = measured.filter(
    (other) =>
      isSamePlace(one, other) && IN_C.test(other.name) && TOGETHER.test(other.name) === TOGETHER.test(one.name),
  );
  return rivals.toSorted((a, b) => a.ns - b.ns)[0] ?? null;
}

/** Bytes that a CPU, or over nodes a PE, pushes in a second. */
export const bandwidthOf = ({ bytes, ns }: AppendMeasured): number => (bytes / ns) * 1e9;

/** The time of all writers together by the sum of the times of each alone. */
export interface Share {
  readonly name: string;
  readonly bytes: number;
  readonly writers: number;
  readonly share: number;
}

export function sharesOf({ measured, cpus }: Pick<AppendBench, "measured" | "cpus">): Share[] {
  return measured.flatMap((one) => {
    const { name, bytes, writers, where, isAlone } = one;
    if (isAlone) return [];
    const alone = measured.find(
      (other) => other.isAlone && other.name === name && isSamePlace({ ...one, isAlone: true }, other),
    );
    if (alone === undefined || where !== alone.where) return [];
    // ns are of one CPU
    return [{ name, bytes, writers, share: one.ns / Math.min(writers, cpus.length) / alone.ns }];
  });
}

/** The target, and the worst measured value. */
export interface AppendTarget {
  readonly what: string;
  /** At most. */
  readonly bound: number;
  /** Null if it was not measured. */
  readonly reached: number | null;
  /** Where: name and bytes of what was worst. */
  readonly at: string;
  readonly isReached: boolean;
}

const SMALL = 64;
const SMALL_BOUND = 1.3;
const SHARE_BOUND = 1.5;

/** The targets, which were set for two CPUs. */
export function targetsOf(bench: Pick<AppendBench, "measured" | "cpus">): AppendTarget[] {
  const { measured } = bench;
  const small = measured.flatMap((one) => {
    const isMeant =
      one.where === "threads" && one.writers === 2 && !one.isAlone && one.bytes >= 8 && one.bytes <= SMALL;
    const rival = isMeant && OURS.test(one.name) ? rivalOf(measured, one) : null;
    return rival === null ? [] : [{ ...one, value: one.ns / rival.ns }];
  });
  const eight = sharesOf(bench)
    .filter(({ name, writers }) => OURS.test(name) && writers === 8)
    .map((one) => ({ ...one, value: one.share }));
  return [
    worst("two writers, a push of 8 to 64 bytes by an atomic addition and a copy in C", SMALL_BOUND, small),
    worst("eight writers, time of all by the sum of those of each alone", SHARE_BOUND, eight),
  ];
}

function worst(
  what: string,
  bound: number,
  all: readonly { readonly name: string; readonly bytes: number; readonly value: number }[],
): AppendTarget {
  const [last] = all.toSorted((a, b) => b.value - a.value);
  if (last === undefined) return { what, bound, reached: null, at: "", isReached: false };
  const { name, bytes, value } = last;
  return { what, bound, reached: value, at: `${name}, ${bytes} B`, isReached: value <= bound };
}
