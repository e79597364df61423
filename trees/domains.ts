/**
 * Domains: which members of a group are near each other.
 *
 * What: partitions of the group taken from what the model says of its PEs: NUMA node, last-level
 * cache, package, in this order. A level counts when it is known for every member and tells some
 * members apart. Members outside the group do not count: Smelt's multicast drops empty domains.
 * Limits: nothing is looked for in the matrix itself; without a level there is one domain.
 * Source: Smelt (OSDI'16) section 3.3; its Simulator takes Linux NUMA nodes.
 *
 * Example: numa 4, 4, 7, 7 gives domains 0, 0, 1, 1; numa 4, 4, null, 7 gives one domain.
 */
import type { MachinePE } from "../src/machine/types.ts";

const levels = ["numa", "l3", "package"] as const;

/**
 * Every partition of the given PEs that the model knows, the preferred one first; at least one.
 * Domains are numbered from 0 by ascending number in the model.
 */
export function domainsOf(pes: readonly MachinePE[]): Int32Array[] {
  const found: Int32Array[] = [];
  for (const level of levels) {
    const numbers = pes.map((pe) => pe[level] ?? null);
    if (numbers.includes(null)) continue;
    const distinct = [...new Set(numbers as number[])].sort((a, b) => a - b);
    if (distinct.length > 1) found.push(Int32Array.from(numbers as number[], (n) => distinct.indexOf(n)));
  }
  return found.length > 0 ? found : [new Int32Array(pes.length)];
}
