/**
 * Growing groups of the PEs of a model, in two placements over its domains: round-robin, as in figure 10 of Smelt's
 * paper, with a member in each domain before any has a second; and compact, one domain after the other. Where they are
 * the same, there is one.
 *
 * Example: domains {0, 1} and {2, 3}, groups of two: 0 and 2, or 0 and 1.
 */
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { membersByDomain } from "../../../../trees/model/domains.ts";
import { treeProblem } from "../../../../trees/model/problem.ts";
import type { MemberGroup } from "./tree-tables.ts";

/** Different sizes of groups, at most: they are two apart, or more. */
const MOST_SIZES = 16;

/** The domains of a model: those of the operating system, or those that its costs show; and its groups. */
export function groupsOn(machine: MachineModel): {
  readonly domains: number;
  readonly groups: MemberGroup[];
} {
  const all = machine.pes.map((_, pe) => pe);
  const lists = membersByDomain(treeProblem(machine, all).domains[0]);
  const compact = lists.flat();
  const longest = Math.max(...lists.map((list) => list.length));
  const dealt = Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list[i] ?? [])).flat();
  const groups = sizesUpTo(all.length).flatMap((size): MemberGroup[] => {
    const spread = dealt.slice(0, size).sort((a, b) => a - b);
    const close = compact.slice(0, size).sort((a, b) => a - b);
    const group = (placement: MemberGroup["placement"], members: readonly number[]): MemberGroup => ({
      placement,
      members,
      domains: lists.filter((list) => list.some((pe) => members.includes(pe))).length,
    });
    const first = group("round-robin", spread);
    return spread.join() === close.join() ? [first] : [first, group("compact", close)];
  });
  return { domains: lists.length, groups };
}

/** 2, 4, 6 and so on, and the last. */
function sizesUpTo(most: number): number[] {
  const step = 2 * Math.ceil(most / 2 / MOST_SIZES);
  const sizes = Array.from({ length: Math.floor(most / step) }, (_, i) => (i + 1) * step);
  return [...new Set([2, ...sizes, most])].sort((a, b) => a - b);
}
