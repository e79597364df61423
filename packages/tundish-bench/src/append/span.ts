/** Times batches of pushes, and checks what came. */
import type { PE } from "../../../../src/index.ts";
import type { Load } from "./jobs.ts";

/**
 * ns from the first of the PEs that work, which begins when all PEs have met, to the end of the last one. All have
 * ended when it returns. Collective.
 * @param now a clock that the PEs share, ms @param work null at PEs that only wait
 */
export function spanOf(pe: PE, now: () => number, work: (() => void) | null): number {
  pe.barrier();
  const began = now();
  work?.();
  const ended = now();
  const isWorking = work !== null;
  const last = pe.allreduce(isWorking ? ended : Number.NEGATIVE_INFINITY, "max");
  return (last + pe.allreduce(isWorking ? -began : Number.NEGATIVE_INFINITY, "max")) * 1e6;
}

/** ns of the PE that works longest: where the PEs have no clock in common. Collective. */
export function longestOf(pe: PE, work: (() => void) | null): number {
  pe.barrier();
  const began = performance.now();
  work?.();
  return pe.allreduce(work === null ? 0 : performance.now() - began, "max") * 1e6;
}

/** The items that PE `rank` pushes: its number in each byte. */
export const markOf = (rank: number): number => rank + 1;

/**
 * Checks that each record is whole, and that there are as many of each writer as it has pushed. @throws Error otherwise
 */
export function checkRecords(came: readonly Uint8Array[], { bytes, pushes }: Load, writers: readonly number[]): void {
  const counts = new Map(writers.map((rank) => [markOf(rank), 0]));
  for (const part of came) {
    for (let at = 0; at < part.length; at += bytes) {
      const mark = part[at];
      for (let i = at; i < at + bytes; i++) if (part[i] !== mark) throw new Error("a record is not as it was pushed");
      counts.set(mark, (counts.get(mark) ?? Number.NaN) + 1);
    }
  }
  for (const [mark, count] of counts)
    if (count !== pushes) throw new Error(`of ${pushes} records with ${mark}, ${count} came`);
}
