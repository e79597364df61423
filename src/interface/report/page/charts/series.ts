/** How programs look in all charts: Tundish has the accent colour, the others each a colour, a dash and a mark. */
import { attributes, n, textOf } from "./html.ts";

const DASHES = ["", "5 3", "2 2.5", "8 3 2 3", "1 3", "10 3", "4 2 1 2"];
/** Slots of colours in style.ts, `--series-0` to `--series-6`; 0 is the accent. */
const SLOTS = 7;

/** Slots by name: our own first, the others in their order. */
export function slotsOf(names: readonly string[]): ReadonlyMap<string, number> {
  const all = [...new Set(names)];
  const own = all.filter(isOurs);
  let next = 1;
  return new Map(all.map((name) => [name, name === own[0] ? 0 : next++]));
}

export const isOurs = (name: string): boolean => name === "tundish" || name.startsWith("tundish,");

/** The id of a figure, made of words. */
export const idOf = (words: string): string => words.replace(/[^a-z0-9]+/gi, "-");

/** The class with the colour of a slot: `fill` for areas, `line` for lines. */
export const colour = (kind: "fill" | "line", slot: number): string => `${kind}-${slot % SLOTS}`;
export const dash = (slot: number): string | undefined => DASHES[slot % DASHES.length] || undefined;

/** A point of a curve, in the shape of its slot. */
export function mark(slot: number, x: number, y: number, size = 3): string {
  const look = attributes({ class: `mark ${colour("line", slot)}` });
  switch (slot % 4) {
    case 1:
      return `<rect x="${n(x - size)}" y="${n(y - size)}" width="${n(2 * size)}" height="${n(2 * size)}"${look}/>`;
    case 2:
      return `<path d="M${n(x)},${n(y - size - 1)}l${n(size + 1)},${n(2 * size)}h${n(-2 * size - 2)}z"${look}/>`;
    case 3:
      return `<path d="M${n(x)},${n(y - size - 1)}l${n(size + 1)},${n(size + 1)}l${n(-size - 1)},${n(size + 1)}l${n(-size - 1)},${n(-size - 1)}z"${look}/>`;
    default:
      return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(size)}"${look}/>`;
  }
}

/** The names beside their lines and marks, for a group of charts. */
export function legendOf(slots: ReadonlyMap<string, number>): string {
  const items = [...slots].map(
    ([name, slot]) =>
      `<li><svg aria-hidden="true" width="30" height="12" viewBox="0 0 30 12"><path d="M1,6h28"${attributes({ class: `curve ${colour("line", slot)}`, "stroke-dasharray": dash(slot) })}/>${mark(slot, 15, 6)}</svg>${textOf(name)}</li>`,
  );
  return `<ul class="legend">${items.join("")}</ul>`;
}
