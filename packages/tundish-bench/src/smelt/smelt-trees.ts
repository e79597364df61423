/**
 * Trees on this machine: figures 8 and 9 of Smelt's paper for all PEs, and figure 10 for groups of them, by the method
 * of the last leaf (tree-cases.ts), beside what the model predicts. All algorithms take turns in one world, batch by
 * batch.
 */

import { casesOf, type TreeCase } from "../../../../microbench/trees/tree-cases.ts";
import { type TreesVolume, trees, treeTimes } from "../../../../microbench/trees/trees.ts";
import { inFirstMode } from "../../../../microbench/turns/figures.ts";
import { turnsOf } from "../../../../microbench/turns/options.ts";
import { type TurnsMade, takeTurns } from "../../../../microbench/turns/turns.ts";
import { channelOf } from "../../../../src/ground/channel/backends.ts";
import { selectPEs } from "../../../../src/machine/model/select.ts";
import { measuredTrees } from "../../../../src/running/contest/contest.ts";
import type { Trees } from "../../../../trees/model/tree.ts";
import { groupsOn } from "./group-members.ts";
import { firstPEs, placeOf, type SmeltOptions, type SmeltPlace } from "./smelt-options.ts";
import { type MemberGroup, rankingsOf, type TreeFigure, type TreesTable } from "./tree-tables.ts";

/** The result of a part on this machine. */
export interface MeasuredTrees extends Omit<TurnsMade, "complete"> {
  readonly cpus: readonly number[];
  /** Whether all PEs were bound to their CPUs. */
  readonly pinned: boolean;
  readonly stable: boolean;
  readonly tables: readonly TreesTable[];
}

const FULL: TreesVolume = { batches: 15, rounds: 100 };
const QUICK: TreesVolume = { batches: 2, rounds: 4 };

/** Part trees: the first PEs, as many as each of the numbers. @throws what {@link placeOf} and launch throw */
export async function smeltTrees(options: SmeltOptions): Promise<MeasuredTrees> {
  const place = await placeOf(options);
  const groups = place.pes.map((size): MemberGroup => {
    const members = Array.from({ length: size }, (_, rank) => rank);
    return { placement: null, members, domains: groupsOn(selectPEs(place.machine, members)).domains };
  });
  const chosen: (Trees | undefined)[] = [];
  for (const size of place.pes) chosen.push(await chosenOf(place, size, options));
  return await measure(place, groups, options, chosen);
}

async function chosenOf(place: SmeltPlace, size: number, { signal }: SmeltOptions): Promise<Trees | undefined> {
  // a guess is not worth a contest
  if (place.fingerprint === null) return undefined;
  return await measuredTrees(firstPEs(place, size), channelOf(undefined), signal);
}

/** Part groups: growing groups of the PEs, in both placements. @throws as {@link smeltTrees} */
export async function smeltGroups(options: SmeltOptions): Promise<MeasuredTrees> {
  const place = await placeOf(options);
  return await measure(place, groupsOn(place.machine).groups, options);
}

async function measure(
  place: SmeltPlace,
  groups: readonly MemberGroup[],
  options: SmeltOptions,
  chosen: readonly (Trees | undefined)[] = [],
): Promise<MeasuredTrees> {
  const { cpus, machine } = place;
  const { quick = false, signal } = options;
  const volume = quick ? QUICK : FULL;
  const cases = groups.map(({ members }, g) => casesOf(selectPEs(machine, members), undefined, chosen[g]));
  let pinned = true;
  const sawBound = (bound: boolean): void => {
    pinned &&= bound;
  };
  const played = groups.map(({ members }, g) => ({ members, cases: cases[g] }));
  const taken = await takeTurns([trees({ cpus, machine, signal, sawBound }, played, volume)], {
    ...turnsOf(options),
    cpus,
  });
  const { complete, measured: _, missing: __, ...counts } = taken;
  const first = inFirstMode(taken);
  const tables = groups.map(({ placement, members, domains }, g): TreesTable => {
    const times = treeTimes(first, g, cases[g]);
    const figures = cases[g].map((one, index): TreeFigure => {
      const { lastLeaf, ns, low, high } = times[index];
      return { ...figureOf(one), lastLeaf, ns, low, high, completed: null };
    });
    const { name, measured } = machine;
    const mode = first.find((one) => one.name.startsWith(`${g} `))?.mode ?? null;
    return {
      machine: name,
      model: measured,
      pes: members.length,
      placement,
      members,
      domains,
      mode,
      figures,
      rankings: rankingsOf(figures),
    };
  });
  return { cpus, pinned, stable: complete, ...counts, tables };
}

/** A case before it is measured. */
export const figureOf = (
  one: TreeCase,
): Pick<TreeFigure, "algorithm" | "operation" | "kind" | "root" | "leaves" | "predicted"> => ({
  algorithm: one.algorithm,
  operation: one.operation,
  kind: one.kind,
  root: one.root,
  leaves: one.leaves.length,
  predicted: one.predicted,
});
