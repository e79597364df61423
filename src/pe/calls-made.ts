/** What a PE has called and made with others: equal at PEs whose calls match. */
import type { Collectives } from "../collectives/collectives.ts";
import type { Registry } from "../collectives/team/registry.ts";

/** As data, for the end of a run of an open world. */
export interface CallsMade {
  /** Of the world, and of each group that the PE is in: which, its name for messages, the calls (team.ts). */
  readonly teams: readonly (readonly [id: number, where: string, calls: string])[];
  /** Groups, conveyors and the like: whose, and how many. */
  readonly reservations: readonly (readonly [whose: string, count: number])[];
}

/** @param all of the world, and of the groups */
export const callsMadeIn = (all: readonly Collectives[], registry: Registry): CallsMade => ({
  teams: all.map(({ team: { offset, where, made } }) => [offset, where, made]),
  reservations: [...registry.made],
});
