/** A figure: its drawing, what it shows in words, and the same data as a table. */
import { attributes, type HtmlTable, n, scrolling, tableOf, textOf } from "./html.ts";

/** The content of an SVG element; without marks there is nothing to draw. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly content: string;
}

/** Width of a column of the page, and of the whole page; on a phone there is one column. */
export const COLUMN = 340;
export const PAGE = 1068;

/** The parts of a figure. */
export interface Figure {
  /** Unique in the page. */
  readonly id: string;
  readonly title: string;
  /** A reading of it: a sentence or two, printed below the title. */
  readonly caption: string;
  /** The text for those who do not see it. @default the caption */
  readonly description?: string;
  readonly drawing: Drawing;
  /** For phones. @default the same */
  readonly narrow?: Drawing;
  /** How much larger it may get than it is drawn, where there is room. @default 1 */
  readonly grow?: number;
  /** Above the drawing, HTML. */
  readonly legend?: string;
  /** Below the drawing, HTML. */
  readonly more?: string;
  /** Classes and data for the script. */
  readonly class?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly table?: HtmlTable;
  /** The title of the table. @default `The numbers of TITLE` */
  readonly tableTitle?: string;
}

export function figure(of: Figure): string {
  const { id, title, caption, drawing, narrow, table, legend = "", more = "" } = of;
  const drawn =
    narrow === undefined
      ? svg(of, drawing, id, "")
      : `${svg(of, drawing, id, "wide")}${svg(of, narrow, `${id}-narrow`, "narrow")}`;
  const numbers =
    table === undefined || table.rows.length === 0
      ? ""
      : `<details><summary>Numbers<span class="unseen"> of ${textOf(title)}</span></summary>${scrolling(`Numbers of ${title}`, tableOf(table, of.tableTitle ?? title))}</details>`;
  const kind = attributes({ class: of.class, ...of.data });
  return [
    `<figure id="${textOf(id)}"${kind}>`,
    `<figcaption><strong>${textOf(title)}</strong><span>${textOf(caption)}</span></figcaption>`,
    `<div>${legend}<div class="drawn">${drawn}</div>${more}${numbers}</div></figure>`,
  ].join("");
}

function svg(of: Figure, { width, height, content }: Drawing, id: string, look: string): string {
  const grow = of.grow ?? 1;
  const [title, description] = [`${id}-title`, `${id}-text`];
  const named = attributes({ class: look || undefined, "aria-labelledby": `${title} ${description}` });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img"${named} viewBox="0 0 ${n(width)} ${n(height)}" width="${n(width * grow)}" height="${n(height * grow)}">`,
    `<title id="${textOf(title)}">${textOf(of.title)}</title>`,
    `<desc id="${textOf(description)}">${textOf(of.description ?? of.caption)}</desc>`,
    `${content}</svg>`,
  ].join("");
}
