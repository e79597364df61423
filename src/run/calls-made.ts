/**
 * Whether the calls of the PEs match at the end of a run of an open world. A call that some PEs have not made would meet another one
 * of theirs in the next run.
 */
import { countText } from "../base/units.ts";
import type { CallsMade } from "../pe/calls-made.ts";
import { pesText, sentences } from "../wait/who.ts";

/** What differs, in words; null if nothing does. @param texts CallsMade as JSON, by the rank of the PE */
export function differenceIn(texts: ReadonlyMap<number, string>): string | null {
  if (new Set(texts.values()).size < 2) return null;
  const ranks = [...texts.keys()].sort((a, b) => a - b);
  return difference(new Map(ranks.map((rank) => [rank, JSON.parse(texts.get(rank) as string) as CallsMade])));
}

/** The calls of the world, as nodes compare them. */
export const worldCallsIn = (text: string): string => (JSON.parse(text) as CallsMade).teams[0]?.[2] ?? "";

function difference(all: ReadonlyMap<number, CallsMade>): string | null {
  const teams = new Map<number, Map<string, number[]>>();
  const names = new Map<number, string>();
  for (const [rank, { teams: own }] of all) {
    for (const [id, where, calls] of own) {
      names.set(id, where);
      const by = teams.get(id) ?? new Map<string, number[]>();
      teams.set(id, by.set(calls, [...(by.get(calls) ?? []), rank]));
    }
  }
  for (const [id, by] of teams) {
    if (by.size < 2) continue;
    const who = [...by].map(([calls, ranks]) => `${pesText(ranks)} ${countOf(calls)}`);
    return `${who.join("; ")}${names.get(id)}, or with other ops, types, lengths or roots`;
  }
  return differenceOfReservations(all);
}

const countOf = (calls: string): string => `has made ${countText(parseInt(calls, 10), "collective call")}`;

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
