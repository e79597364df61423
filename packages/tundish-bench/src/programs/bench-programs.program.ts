/**
 * The PEs of `bench programs`: one job, the first thing that their process does. Each result is compared with the one
 * alone.
 */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { PROGRAMS, type ProgramJob } from "./jobs.ts";
import { compareValues, type Part, type Program, type Run } from "./program.ts";

/** The measurements of a PE. */
export interface ProgramAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  /** When its main began, ms since 1970. */
  readonly begun: number;
  /** ns of the first run, and of those after a while. */
  readonly first: number;
  readonly later: readonly number[];
}

const program: Spmd = spmd((pe: PE, args: unknown): ProgramAnswer => {
  const begun = performance.timeOrigin + performance.now();
  const job = args as ProgramJob;
  const times = job.kind === "launch" ? { first: 0, later: [] } : timesOf(pe, job);
  return { bound: pe.cpu !== null, begun, ...times };
});

function timesOf(
  pe: PE,
  { kind, name, size, warmMs, runs }: Exclude<ProgramJob, { kind: "launch" }>,
): Pick<ProgramAnswer, "first" | "later"> {
  const chosen: Program = PROGRAMS[name];
  const one = kind === "alone" ? chosen.alone(size) : (chosen[kind] ?? chosen.together)(pe, size);
  const first = timed(pe, one);
  const results = [copyOf(one)];
  const begun = performance.now();
  while (pe.broadcast(Number(performance.now() - begun < warmMs), 0)) one.run();
  const later = Array.from({ length: runs }, () => timed(pe, one));
  results.push(copyOf(one));
  if (kind !== "alone") {
    const whole = chosen.alone(size);
    whole.run();
    for (const part of results) compare(pe, name, part, whole.result().values, chosen.tolerance ?? 0);
  }
  return { first, later };
}

/** ns from when all PEs have come until all have finished. */
function timed(pe: PE, one: Run): number {
  pe.barrier();
  const start = performance.now();
  one.run();
  pe.barrier();
  return (performance.now() - start) * 1e6;
}

function copyOf(one: Run): Part {
  const { first, values } = one.result();
  return { first, values: Float64Array.from(values) };
}

/** Collective. @throws Error if a value differs, or the parts of all PEs are not the whole */
export function compare(
  pe: Pick<PE, "rank" | "allreduce">,
  name: string,
  { first, values }: Part,
  whole: ArrayLike<number>,
  tolerance: number,
): void {
  const all = pe.allreduce(values.length, "sum");
  const isWhole = values.length === whole.length;
  if (!isWhole && all !== whole.length) {
    throw new Error(`${name}: expected ${whole.length} values of all PEs together, got ${all}`);
  }
  compareValues(`${name}: PE ${pe.rank}`, { first, values }, whole, tolerance);
}

export default program;
