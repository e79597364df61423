/** Sentences in the columns of a usual terminal. */

const COLUMNS = 80;

/** Breaks long lines between words; columns are not kept. @param hang by how much more a broken line is indented */
export function wrapText(text: string, hang = 4, columns: number = COLUMNS): string {
  return text
    .split("\n")
    .flatMap((line) => (line.length <= columns ? [line] : broken(line, hang, columns)))
    .join("\n");
}

function broken(line: string, hang: number, columns: number): string[] {
  const begin = (/^ */.exec(line) as RegExpExecArray)[0];
  const lines: string[] = [];
  let current = begin;
  for (const word of line.trimStart().split(" ")) {
    const isFirst = current.trim() === "";
    if (!isFirst && current.length + 1 + word.length > columns) {
      lines.push(current);
      current = begin + " ".repeat(hang) + word;
    } else {
      current += isFirst ? word : ` ${word}`;
    }
  }
  return [...lines, current];
}
