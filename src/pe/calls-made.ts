/** The calls of a PE, and the things that it has made with others: equal at PEs whose calls match. */
import type { Collectives } from "../collectives/collectives.ts";

/** As data, for the end of a run. */
export interface CallsMade {
  /** Of the world, and of each group that the PE is in: which, its name for messages, the calls ({@link Team.made}). */
  readonly teams: readonly (readonly [id: number, where: string, calls: string])[];
  /** Groups, conveyors and the like: whose, and how many. */
  readonly reservations: readonly (readonly [whose: string, count: number])[];
}

/** @param all of the world and the groups, with their common names @param reserved by whose and how many */
export const callsMadeIn = (
  all: readonly (readonly [id: number, of: Collectives])[],
  reserved: Iterable<readonly [whose: string, count: number]>,
): CallsMade => ({
  teams: all.map(([id, { team }]) => [id, team.where, team.made]),
  reservations: [...reserved],
});
