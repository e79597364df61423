/** The parts of `bench loops`. */
export const LOOP_PARTS = ["schedules", "synchronisation", "tasks", "uneven", "outside"] as const;
export type LoopPart = (typeof LOOP_PARTS)[number];

/** Who is measured. */
export const OURS = "tundish";
/** The OpenMP runtimes, with the compilers that use them. */
export const RUNTIMES = { GOMP: "gcc", libomp: "clang" } as const;
/** Uneven work in C with OpenMP of gcc. */
export const UNEVEN_C = "C";

/** The name of a contender with so many PEs. */
export const withPes = (name: string, pes: number): string => `${name}, ${pes} PE${pes === 1 ? "" : "s"}`;
