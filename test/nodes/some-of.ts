import { KINDS, type Kind } from "../machine/mpi/launchers.ts";
import { LONG } from "../support/long.ts";
import { drawn } from "../support/sample.ts";

/**
 * Two of seven, or all in the long run. What varies from one case to the next does so by twos, threes and fives: each
 * of these comes up among them still.
 */
export const someOf = <T>(cases: readonly T[]): readonly T[] => (LONG ? cases : cases.filter((_, i) => i % 7 < 2));

/** The MPIs of a case that is the same to all: this one, or all in the long run. */
export const oneOf = (kind: Kind): readonly Kind[] => (LONG ? KINDS : [kind]);

/** The same where cases of one file take turns: this one's MPI and that of the next differ, and change from run to run. */
export const inTurn = (number: number, what = ""): readonly Kind[] =>
  oneOf(KINDS[(number + drawn(KINDS.length, "MPI", what)) % KINDS.length] as Kind);
