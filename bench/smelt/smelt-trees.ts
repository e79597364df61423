/**
 * Trees on this machine: figures 8 and 9 of Smelt's paper for all PEs, and figure 10 for groups of them, by the method of the
 * last leaf (tree-cases.ts), beside what the model predicts. All algorithms take turns in one world, batch by batch.
 */

import { sibling } from "../../src/ground/base/package-file.ts";
import { channelOf } from "../../src/ground/channel/backends.ts";
import { selectPEs } from "../../src/machine/model/select.ts";
import { measuredTrees } from "../../src/running/contest/contest.ts";
import { launch } from "../../src/running/launch/launch.ts";
import type { Trees } from "../../trees/model/types.ts";
import { probeWords } from "../turns/distance.ts";
import { inFirstMode } from "../turns/figures.ts";
import { turnsOf } from "../turns/options.ts";
import { type Entry, type TurnsMade, takeTurns } from "../turns/turns.ts";
import { groupsOn } from "./group-members.ts";
import {
  firstPEs,
  LIMIT_MS,
  placeOf,
  type SmeltOptions,
  type SmeltPlace,
  type TreesVolume,
} from "./smelt-options.ts";
import type { SmeltTreesAnswer, SmeltTreesJob } from "./smelt-trees.program.ts";
import { casesOf, type TreeCase } from "./tree-cases.ts";
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

/** Part trees: the first PEs, as many as each of the numbers. @throws what {@link placeOf} and {@link launch} throw */
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

async function chosenOf(
  place: SmeltPlace,
  size: number,
  { chosen, signal }: SmeltOptions,
): Promise<Trees | undefined> {
  if (chosen?.cores.length === size) return chosen;
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
  const { quick = false, volume = quick ? QUICK : FULL, signal } = options;
  const cases = groups.map(({ members }, g) => casesOf(selectPEs(machine, members), undefined, chosen[g]));
  const job = {
    groups: groups.map(({ members }, g) => ({ members, cases: cases[g] })),
    ...volume,
  };
  let pinned = true;
  const run = async (): Promise<Entry[]> => {
    const args: SmeltTreesJob = { ...job, words: probeWords(cpus.length, cpus.length) };
    const answers = await launch<SmeltTreesAnswer>(sibling("./smelt-trees.program.js", import.meta.url), {
      ...{ args, pes: cpus.length, machine, timeout: LIMIT_MS },
      // the cases have trees of their own
      trees: "adaptive",
      ...(signal && { signal }),
    });
    pinned &&= answers.every(({ bound }) => bound);
    return entriesOf(answers, job.rounds);
  };
  const contender = { name: "trees", required: true, run };
  const taken = await takeTurns([contender], { ...turnsOf(options), cpus });
  const { complete, measured: _, missing: __, ...counts } = taken;
  const first = inFirstMode(taken);
  const tables = groups.map(({ placement, members, domains }, g): TreesTable => {
    const figures = cases[g].map((one, index): TreeFigure => {
      const leaves = first.filter(({ name }) => name === `${g} ${index}`);
      const last = leaves.reduce((a, b) => (b.ns > a.ns ? b : a));
      return {
        ...figureOf(one),
        lastLeaf: one.leaves.length === 0 ? null : Number(last.what),
        ...{ ns: last.ns, low: last.low, high: last.high, completed: null },
      };
    });
    const { name, measured } = machine;
    const mode = first.find((one) => one.name.startsWith(`${g} `))?.mode ?? null;
    return {
      ...{ machine: name, model: measured, pes: members.length, placement, members, domains, mode, figures },
      rankings: rankingsOf(figures),
    };
  });
  return { cpus, pinned, stable: complete, ...counts, tables };
}

/** What is known of a case before it is measured. */
export const figureOf = (
  one: TreeCase,
): Pick<TreeFigure, "algorithm" | "operation" | "kind" | "root" | "leaves" | "predicted"> => ({
  ...{ algorithm: one.algorithm, operation: one.operation, kind: one.kind, root: one.root },
  ...{ leaves: one.leaves.length, predicted: one.predicted },
});

function entriesOf(answers: readonly SmeltTreesAnswer[], rounds: number): Entry[] {
  const probes = answers[0].probes;
  return answers.flatMap(({ roots }) =>
    roots.map(
      ({ group, index, leaf, samples }): Entry => ({
        ...{ name: `${group} ${index}`, what: `${leaf ?? "root"}`, batch: rounds, samples },
        ...(probes && { probes: probes[group][index] }),
      }),
    ),
  );
}
