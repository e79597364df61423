/** Tables of text without lines, the same on a terminal and in a pipe. */
import { stripVTControlCharacters } from "node:util";

const GAP = "   ";

/** Formats rows below a head, right-aligned as for numbers. @param words indices of the left-aligned columns */
export function tableText(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  words: readonly number[] = [0],
): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => lines.reduce((most, line) => Math.max(most, widthOf(line[column])), 0));
  return lines
    .map((line) =>
      widths
        .map((width, column) => {
          const blanks = " ".repeat(width - widthOf(line[column]));
          return words.includes(column) ? `${line[column]}${blanks}` : `${blanks}${line[column]}`;
        })
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}

/** Columns that a text takes on a terminal; colours take none. */
const widthOf = (text: string): number => [...stripVTControlCharacters(text)].length;
