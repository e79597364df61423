/** Says what the groups of a conveyor are, and in which order its links are served. */
import { countText } from "../../ground/base/units.ts";
import { RULES } from "../disciplines/explain.ts";
import type { CompleteChoice } from "./conveyor-choice.ts";
import { type Levels, membersOfParts, sizeOfParts } from "./grid.ts";
import { disciplinedHop } from "./lane-numbers.ts";
import { fractionsOf, sendingText } from "./sending.ts";

/**
 * Lines of text.
 * @param itemBytes 0 for items of any length
 * @param levels which PEs are near each other @param nodeSize PEs of each node, if they have as many
 * @param hasGroups whether the groups are told elsewhere
 */
export function geometryLines(
  { type, route, bufferBytes, discipline, sending, adapt }: CompleteChoice,
  itemBytes: number,
  levels: Levels,
  nodeSize: number | undefined,
  hasGroups: boolean,
): string[] {
  const { size, hops, groupSize, mesh } = route;
  const told = mesh === null ? "groups" : "the greatest dimension is between";
  const groups = hops === 1 || hasGroups ? [] : [`  ${told}: ${groupsText(size, groupSize, levels, nodeSize)}`];
  // items of any length need a threshold and a cutoff, of which one may follow from the other
  const limits = itemBytes === 0 ? { ...sending, ...fractionsOf(sending) } : sending;
  const early = sendingText(limits, hops, itemBytes / bufferBytes);
  if (early !== "") groups.push(`  a buffer is sent ${early}`);
  if (adapt) groups.push("  when a buffer is sent follows the traffic; stats() has what it has come to");
  if (type === "simple") return [...groups, "  links: in a random order"];
  const ruled =
    discipline === "eager"
      ? []
      : [`  discipline ${discipline}, hop ${disciplinedHop(route) + 1}: a PE sends ${RULES[discipline]}`];
  if (levels.length === 0) return [...groups, ...ruled, "  links: after its own, by rank"];
  return [
    ...groups,
    ...ruled,
    "  links: after its own, in the order of the domains",
    ...levels.map((level) => `    ${levelText(level)}`),
  ];
}

function groupsText(size: number, n: number, levels: Levels, nodeSize: number | undefined): string {
  if (nodeSize === n) return `the ${size / n} nodes`;
  if (levels.some((level) => sizeOfParts(level) === n)) return `the ${size / n} domains of ${n} PEs`;
  return levels.length === 0 ? "neighbours by rank" : "neighbours in the order of the domains";
}

/** Example: `4 of 8 PEs`. */
function levelText(level: Int32Array): string {
  const sizes = membersOfParts(level);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return `${sizes.length} of ${least === most ? countText(most, "PE") : `${least} to ${most} PEs`}`;
}
