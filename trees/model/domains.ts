/**
 * Domains: which members of a group are near each other, at every known or visible level.
 *
 * Domains are partitions of the group, from two sources: the fields of the model's PEs (NUMA node, last-level cache,
 * package, core), where a level counts if it is known for every member and distinguishes some; and the costs
 * (linkage.ts). Members outside the group do not count: Smelt's multicast drops empty domains. The first partition is
 * the one that Smelt would use: the operating system's NUMA nodes, or the most similar level; without any level it is
 * one domain of all.
 *
 * Source: Smelt (OSDI'16) section 3.3; its Simulator uses Linux NUMA nodes and no other level.
 *
 * Example: numa 4, 4, 7, 7 gives domains 0, 0, 1, 1 first; with numa 4, 4, null, 7 the costs decide.
 */
import type { MachinePE } from "../../src/machine/model/machine-model.ts";
import { linkageLevels, numbered } from "./linkage.ts";

const levels = ["numa", "l3", "package", "core"] as const;

/**
 * Every partition of the given PEs, the preferred one first; at least one, all different. Domains are numbered from 0.
 *
 * @param cost size x size: time from the start of a send until the receiver has the message
 * @param order all members, the order in which ties are decided
 */
export function domainsOf(
  pes: readonly MachinePE[],
  cost: Float64Array,
  order: readonly number[] = pes.map((_, member) => member),
): Int32Array[] {
  return domainsBeside(saidDomains(pes), cost, order);
}

/** As {@link domainsOf}, with the result of {@link saidDomains}. */
export function domainsBeside(said: readonly Int32Array[], cost: Float64Array, order: readonly number[]): Int32Array[] {
  const size = order.length;
  // cores are too fine to stand for NUMA nodes
  const preferred = said.filter((domain) => Math.max(...domain) < size / 2 - 1);
  const seen = linkageLevels(cost, order).reverse();
  const found = [...preferred, ...seen, ...said];
  if (found.length === 0) return [new Int32Array(size)];
  // reversed, so that of equal ones the first is kept
  const different = new Map(found.toReversed().map((domain) => [numbered(domain).join(), domain]));
  return [...new Set(found)].filter((domain) => different.get(numbered(domain).join()) === domain);
}

/** The partitions in the model's fields: every level that distinguishes some of the PEs. */
export function saidDomains(pes: readonly MachinePE[]): Int32Array[] {
  return levels.flatMap((level) => partitionBy(pes.map((pe) => pe[level] ?? null)));
}

/** The members of each domain, in ascending order or the one given. */
export function membersByDomain(domain: Int32Array, order: Iterable<number> = domain.keys()): number[][] {
  const lists: number[][] = [];
  for (const home of domain) lists[home] ??= [];
  for (const member of order) (lists[domain[member] as number] as number[]).push(member);
  return lists;
}

/** The partition by a number of each PE; none if it is unknown for one, or the same for all. */
function partitionBy(numbers: readonly (number | null)[]): Int32Array[] {
  if (numbers.includes(null)) return [];
  const distinct = [...new Set(numbers as number[])].sort((a, b) => a - b);
  if (distinct.length < 2 || distinct.length === numbers.length) return [];
  const place = new Map(distinct.map((number, i) => [number, i]));
  return [Int32Array.from(numbers as number[], (number) => place.get(number) as number)];
}
