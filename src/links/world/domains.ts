/**
 * Which PEs of a world are near each other: the PEs of a node, and in each node the domains of its machine. All PEs
 * know all of them, as they must make the same choices. So each node finds its own, and tells the others when the world
 * begins (nodes/epoch.ts).
 */
import { treeProblem } from "../../../trees/model/problem.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import type { NodeDomains } from "./nodes/said.ts";

/** Partitions of PEs, the coarse ones first: by PE, the number of its part. */
export type Partitions = readonly Int32Array[];

/** The domains of the first `size` PEs of a model, those of a node. */
export function domainsOfNode(model: MachineModel, size: number): NodeDomains {
  if (size < 3) return [];
  const pes = Array.from({ length: size }, (_, pe) => pe);
  return useful(treeProblem(model, pes).domains)
    .sort((a, b) => partsOf(a) - partsOf(b))
    .map((level) => Array.from(level));
}

/**
 * The partitions of a world: its nodes, if there are several, and the domains of all. Level k has level k of each node;
 * a node that has fewer is a domain by itself there.
 * @param starts the first rank of each node; after the last one, the number of PEs
 */
export function domainsOfWorld(starts: readonly number[], domains: readonly NodeDomains[]): Partitions {
  const sizes = starts.slice(1).map((start, node) => start - (starts[node] as number));
  const levels = domains.reduce((most, { length }) => Math.max(most, length), 0);
  const level = (of: (node: number) => readonly number[] | undefined): Int32Array => {
    let first = 0;
    const parts = sizes.flatMap((size, node) => {
      const own = of(node) ?? new Array<number>(size).fill(0);
      const numbered = own.map((part) => first + part);
      first += 1 + own.reduce((most, part) => Math.max(most, part), 0);
      return numbered;
    });
    return Int32Array.from(parts);
  };
  const all = [
    level(() => undefined),
    ...Array.from({ length: levels }, (_, k) => level((node) => domains[node]?.[k])),
  ];
  return useful(all);
}

/** The partitions of some PEs of a world, in their order. */
export function domainsAmong(world: Partitions, members: readonly number[]): Partitions {
  return useful(world.map((level) => Int32Array.from(members, (member) => level[member] as number)));
}

/** Without those that tell nothing: one part, or only parts of one PE. */
const useful = (all: Partitions): Int32Array[] =>
  all.filter((level) => partsOf(level) > 1 && partsOf(level) < level.length);

const partsOf = (level: Int32Array): number => new Set(level).size;
