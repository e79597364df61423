/** Tables of text without lines, the same on a terminal and in a pipe. */
import Table from "cli-table3";

const sides = [
  "top",
  "top-mid",
  "top-left",
  "top-right",
  "bottom",
  "bottom-mid",
  "bottom-left",
  "bottom-right",
  "left",
  "left-mid",
  "mid",
  "mid-mid",
  "right",
  "right-mid",
] as const;

/**
 * Lays out rows below a head. Columns are aligned to the right, as numbers are read, except those
 * named in `words`.
 * @param words places of the columns to align to the left
 */
export function tableText(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  words: readonly number[] = [0],
): string {
  const table = new Table({
    chars: { ...Object.fromEntries(sides.map((side) => [side, ""])), middle: "   " },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    colAligns: head.map((_, column) => (words.includes(column) ? "left" : "right")),
  });
  table.push(...[head, ...rows].map((row) => [...row]));
  return table.toString().replace(/ +$/gm, "");
}
