/**
 * Whether the calls of the PEs match at the end of a run. A call of which nothing comes back, as a broadcast of its
 * root, may be the last one, so nobody has seen that it does not match; in an open world it would meet a call of the
 * next run.
 */
import { countText } from "../ground/base/units.ts";
import { pesText, sentences } from "../ground/wait/who.ts";
import type { CallsMade, TeamCalls } from "./calls-made.ts";

/** The first call of a team up to number `last` that differs, with advice; undefined if that is not known. */
export type FirstDifference = (team: TeamCalls, last: number) => string | undefined;

const WHEN = "At the end of the run: ";

/** The message of an error. */
export const atTheEnd = (difference: string): string =>
  `${WHEN}${difference}. All PEs must make the same calls in each run, and await them.`;

/**
 * The difference, as the message of an error; null if there is none.
 * @param texts CallsMade as JSON, by the rank of the PE
 * @param firstDifference finds a call that differs
 */
export function differenceIn(texts: ReadonlyMap<number, string>, firstDifference: FirstDifference): string | null {
  if (new Set(texts.values()).size < 2) return null;
  const ranks = [...texts.keys()].sort((a, b) => a - b);
  const all = new Map(ranks.map((rank) => [rank, JSON.parse(texts.get(rank) as string) as CallsMade]));
  const reserved = differenceOfReservations(all);
  return differenceOfTeams(all, firstDifference) ?? (reserved === null ? null : atTheEnd(reserved));
}

/** The calls of the world, as nodes compare them. */
export const worldCallsIn = (text: string): string => (JSON.parse(text) as CallsMade).teams[0]?.[2] ?? "";

function differenceOfTeams(all: ReadonlyMap<number, CallsMade>, firstDifference: FirstDifference): string | null {
  const teams = new Map<number, Map<string, number[]>>();
  const any = new Map<number, TeamCalls>();
  for (const [rank, { teams: own }] of all) {
    for (const one of own) {
      const [id, , calls] = one;
      any.set(id, one);
      const by = teams.get(id) ?? new Map<string, number[]>();
      teams.set(id, by.set(calls, [...(by.get(calls) ?? []), rank]));
    }
  }
  for (const [id, by] of teams) {
    if (by.size < 2) continue;
    const last = Math.max(...[...by.keys()].map((calls) => parseInt(calls, 10)));
    const team = any.get(id) as TeamCalls;
    const first = firstDifference(team, last);
    if (first !== undefined) return `${WHEN}${first}`;
    const who = [...by].map(
      ([calls, ranks]) => `${pesText(ranks)} ${ranks.length > 1 ? "have" : "has"} made ${countOf(calls)}`,
    );
    return atTheEnd(`${who.join("; ")}${team[1]}, or with other ops, types, lengths or roots`);
  }
  return null;
}

const countOf = (calls: string): string => countText(parseInt(calls, 10), "collective call");

function differenceOfReservations(all: ReadonlyMap<number, CallsMade>): string | null {
  const whose = new Map<string, Map<number, number>>();
  for (const [rank, { reservations }] of all)
    for (const [name, count] of reservations)
      whose.set(name, (whose.get(name) ?? new Map<number, number>()).set(rank, count));
  for (const [name, counts] of whose) {
    // PEs that are named and on this node
    const members = (/[\d,]+$/.exec(name)?.[0] ?? "").split(",").map(Number);
    const made = members.flatMap((rank) => (all.has(rank) ? [[rank, counts.get(rank) ?? 0] as const] : []));
    if (new Set(made.map(([, count]) => count)).size < 2) continue;
    const who = sentences(
      made.map(([rank, count]) => ({ rank, text: `has made ${count}` })),
      made.length,
    );
    return `of groups, conveyors and the like among ${pesText(members)}, ${who.join("; ")}`;
  }
  return null;
}
