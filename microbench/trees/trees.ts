/** Trees on this machine, by the method of the last leaf (tree-cases.ts), batch by batch in turn in one world. */
import { sibling } from "../../src/ground/base/package-file.ts";
import { launch } from "../../src/running/launch/launch.ts";
import type { Measured } from "../pairs/profiled.ts";
import { probeWords } from "../turns/distance.ts";
import type { OurPart } from "../turns/part.ts";
import type { Contender, Entry } from "../turns/turns.ts";
import type { TreeCase } from "./tree-cases.ts";
import type { TreesAnswer, TreesGroup, TreesJob } from "./trees.program.ts";

/** Batches of an operation, and operations in a batch. */
export interface TreesVolume {
  readonly batches: number;
  readonly rounds: number;
}

/** Time of a case, ns: that of the leaf that took longest. */
export interface TreeTime extends Pick<Measured, "ns" | "low" | "high"> {
  /** Null for a reduction. */
  readonly lastLeaf: number | null;
  /** Round trip of a cache line meanwhile, ns; null if it changed. */
  readonly mode: number | null;
}

/** A limit for one world, ms: under load it may take a hundred times as long as alone. */
const LIMIT_MS = 600_000;

/** A world of all CPUs of a part, whose PEs play all cases of all groups. */
export function trees(
  { cpus, machine, signal, sawBound }: Omit<OurPart, "quick">,
  groups: readonly TreesGroup[],
  volume: TreesVolume,
): Contender {
  return {
    name: "trees",
    required: true,
    run: async () => {
      const args: TreesJob = { groups, ...volume, words: probeWords(cpus.length, cpus.length) };
      const answers = await launch<TreesAnswer>(sibling("./trees.program.js", import.meta.url), {
        args,
        pes: cpus.length,
        machine,
        timeout: LIMIT_MS,
        // the cases have trees of their own
        trees: "adaptive",
        ...(signal && { signal }),
      });
      sawBound(answers.every(({ bound }) => bound));
      return entriesOf(answers, volume.rounds);
    },
  };
}

function entriesOf(answers: readonly TreesAnswer[], rounds: number): Entry[] {
  const probes = answers[0].probes;
  return answers.flatMap(({ roots }) =>
    roots.map(
      ({ group, index, leaf, samples }): Entry => ({
        name: `${group} ${index}`,
        what: `${leaf ?? "root"}`,
        batch: rounds,
        samples,
        ...(probes && { probes: probes[group][index] }),
      }),
    ),
  );
}

/**
 * The times of a group's cases.
 * @param measured by the contender, in the first mode
 * @param group its number
 */
export const treeTimes = (measured: readonly Measured[], group: number, cases: readonly TreeCase[]): TreeTime[] =>
  cases.map(({ leaves }, index): TreeTime => {
    const own = measured.filter(({ name }) => name === `${group} ${index}`);
    const { what, ns, low, high, mode = null } = own.reduce((a, b) => (b.ns > a.ns ? b : a));
    return { ns, low, high, mode, lastLeaf: leaves.length === 0 ? null : Number(what) };
  });
