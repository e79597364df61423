/** The calls of a PE, and the things that it has made with others: equal at PEs whose calls match. */
import type { Collectives } from "../collectives/collectives.ts";

/** Those in a team: which, its name for messages, the calls ({@link Team.made}), and where its call log is. */
export type TeamCalls = readonly [id: number, where: string, calls: string, offset: number, here: readonly number[]];

/** As data, for the end of a run. */
export interface CallsMade {
  /** Of the world, and of each group that the PE is in. */
  readonly teams: readonly TeamCalls[];
  /** Groups, conveyors and the like: whose, and how many. */
  readonly reservations: readonly (readonly [whose: string, count: number])[];
}

/** @param all of the world and the groups, with their common names @param reserved by whose and how many */
export const callsMadeIn = (
  all: readonly (readonly [id: number, of: Collectives])[],
  reserved: Iterable<readonly [whose: string, count: number]>,
): CallsMade => ({
  teams: all.map(([id, { team }]) => [id, team.where, team.made, team.offset, team.here]),
  reservations: [...reserved],
});
