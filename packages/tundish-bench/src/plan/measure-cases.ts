/** The loads of `bench plan --measure`: items for random PEs, as in a histogram. */

/** One load on some PEs. */
export interface MeasuredCase {
  /** PEs of each node. */
  readonly pes: number;
  readonly itemBytes: number;
  /** Items that a PE pushes in a session. */
  readonly load: number;
}

const PES = [2, 4, 8];
const ITEM_BYTES = [8, 64];
const LOADS = [100, 3000, 30_000];

/** Largest number of bytes that the PEs of a node push in a session. */
const MOST_BYTES = 2 ** 24;

/** 18 cases; a third of them if few are wanted. @param pes PEs of each node */
export function measuredCases(pes: readonly number[] = PES, areFew = false): MeasuredCase[] {
  const loads = areFew ? LOADS.slice(0, 1) : LOADS;
  return pes.flatMap((count) =>
    ITEM_BYTES.flatMap((itemBytes) =>
      loads
        .filter((load) => load * itemBytes * count <= MOST_BYTES)
        .map((load) => ({
          pes: count,
          itemBytes,
          load,
        })),
    ),
  );
}
