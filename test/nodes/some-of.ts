import { LONG } from "../support/long.ts";

/**
 * Two of seven, or all in the long run. What varies from one case to the next does so by twos, threes and fives: each
 * of these comes up among them still.
 */
export const someOf = <T>(cases: readonly T[]): readonly T[] =>
  LONG ? cases : cases.filter((_, i) => i % 7 < 2);
