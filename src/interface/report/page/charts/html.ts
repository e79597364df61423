/** Pieces of HTML and SVG. Texts may come from files of others: {@link textOf} is the only way into the page. */
import { escaped } from "../../../../../trees/draw/chart-parts.ts";

/** A text for the content of elements and for attributes in double quotes. */
export const textOf = (words: string | number): string => escaped(String(words)).replaceAll('"', "&quot;");

/** A number in a drawing: short, and never anything that SVG cannot read. */
export function n(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`expected a finite number in a drawing, got ${value}`);
  return String(Math.round(value * 10) / 10);
}

/** Attributes; those that are undefined are left out. */
export const attributes = (of: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(of)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${textOf(value)}"`]))
    .join("");

/** Width of a text of a drawing, about: system fonts differ. */
export const widthOf = (words: string, size: number): number => words.length * size * 0.58;

/** As much of a text as there is room for. */
export function fitted(words: string, size: number, room: number): string {
  if (widthOf(words, size) <= room) return words;
  const most = Math.max(1, Math.floor(room / (size * 0.58)) - 1);
  return `${words.slice(0, most).trimEnd()}…`;
}

/** Where a text of a drawing stands, and how it looks. */
export interface Lettering {
  /** Classes of style.ts: `muted`, `strong`, … */
  readonly class?: string | undefined;
  readonly anchor?: "middle" | "end";
  readonly size?: number;
}

/** A text in a drawing, at its baseline. */
export const letters = (x: number, y: number, words: string | number, look: Lettering = {}): string =>
  `<text x="${n(x)}" y="${n(y)}"${attributes({
    class: look.class,
    "text-anchor": look.anchor,
    "font-size": look.size,
  })}>${textOf(words)}</text>`;

/** A table. Numbers are aligned to the right. */
export interface HtmlTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

const isNumeric = (cell: string | number): boolean => typeof cell === "number" || /^[-≥]?[\d.]/.test(cell);

/** @param caption what it is, for those who cannot see where it stands */
export function tableOf({ head, rows }: HtmlTable, caption: string): string {
  const right = head.map((_, i) => rows.length > 0 && rows.every((row) => isNumeric(row[i] ?? "0")));
  const look = (i: number) => (right[i] ? ' class="number"' : "");
  return [
    `<table><caption class="unseen">${textOf(caption)}</caption><thead><tr>`,
    ...head.map((name, i) => `<th scope="col"${look(i)}>${textOf(name)}</th>`),
    "</tr></thead><tbody>",
    ...rows.map((row) => {
      const cells = row.slice(1).map((cell, i) => `<td${look(i + 1)}>${textOf(cell)}</td>`);
      return `<tr><th scope="row"${look(0)}>${textOf(row[0] ?? "")}</th>${cells.join("")}</tr>`;
    }),
    "</tbody></table>",
  ].join("");
}

/** A region that scrolls by itself, reachable by keyboard. */
export const scrolling = (name: string, content: string): string =>
  `<div class="scroll" role="region" tabindex="0" aria-label="${textOf(name)}">${content}</div>`;
