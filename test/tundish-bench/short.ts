import { LONG } from "../support/long.ts";

/** Options of a benchmark whose shape and sense is tested: few and short batches, in a plain run in one turn (bench.test.ts has the turns). */
export const SHORT: readonly string[] = ["--quick", ...(LONG ? [] : ["--turns", "1"])];
