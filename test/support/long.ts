/**
 * How long the repetitions of tests are: `npm run test:long` (TUNDISH_TEST_LONG=1) plays every fault, soak and schedule as
 * often as it takes to trust them, a plain run as often as it takes to see that they work.
 */

const wanted = process.env.TUNDISH_TEST_LONG || "0";
if (wanted !== "0" && wanted !== "1") {
  throw new Error(`TUNDISH_TEST_LONG: expected 1, or 0 or nothing, got ${wanted}`);
}

/** Whether this is the long run. */
export const LONG: boolean = wanted === "1";

/** The first number in a plain run, the second in the long one. */
export const rounds = (plain: number, long: number): number => (LONG ? long : plain);
