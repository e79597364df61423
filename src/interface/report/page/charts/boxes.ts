/** Boxes in boxes, as lstopo draws a machine: those that contain others wrap them into rows. */
import type { Drawing } from "./figure.ts";
import { attributes, fitted, letters, n, widthOf } from "./html.ts";

/** A box; without content it is small, with its name in the middle. */
export interface Box {
  readonly name: string;
  /** Smaller, behind the name. */
  readonly note?: string;
  /** A class of style.ts: `box-package`, `box-core`, … */
  readonly look: string;
  readonly content: readonly Box[];
}

/** Its size, and how it is drawn at a place. */
interface Placed {
  readonly width: number;
  readonly height: number;
  draw(x: number, y: number): string;
}

const [PAD, GAP, HEAD, LEAF, LEAF_HEIGHT] = [8, 6, 20, 30, 24];
const MOST_COLUMNS = 8;
/** So many small boxes take the room of a large one. */
const SMALL = 8;

/** The drawing of a box in so much width. */
export function boxes(box: Box, width: number): Drawing {
  const placed = place(box, width - 2);
  return {
    width: Math.max(width, placed.width + 2),
    height: placed.height + 2,
    content: placed.draw(1, 1),
  };
}

/** Equal boxes side by side beyond some are one that says so. @param small as many small boxes are kept */
export function collapsed(box: Box, most: number, small: number = SMALL * most): Box {
  const content = box.content.map((one) => collapsed(one, most, small));
  const shapes = new Set(box.content.map(shapeOf));
  const [first] = box.content;
  const isSmall = first === undefined || first.content.length === 0 || first.look === "box-core";
  // a row of cores is still read easily
  const kept = isSmall ? small : most;
  if (content.length <= kept || shapes.size > 1) return { ...box, content };
  const rest = box.content.slice(kept - 1);
  const [from, to] = [rest[0] as Box, rest.at(-1) as Box];
  const more: Box = {
    name: `${rest.length} more: ${from.name} to ${to.name}`,
    look: "box-more",
    content: [],
  };
  return { ...box, content: [...content.slice(0, kept - 1), more] };
}

const shapeOf = (box: Box): string =>
  box.content.length === 0 ? box.look : `${box.look}(${box.content.map(shapeOf).join("")})`;

function place(box: Box, most: number): Placed {
  return box.content.length === 0 ? leaf(box, most) : container(box, most);
}

function leaf({ name, look }: Box, most: number): Placed {
  const isWide = look === "box-more";
  const width = isWide ? most : Math.max(LEAF, widthOf(name, 11) + 10);
  const words = fitted(name, 11, most - 8);
  return {
    width: Math.min(width, most),
    height: LEAF_HEIGHT,
    draw: (x, y) =>
      rect(x, y, Math.min(width, most), LEAF_HEIGHT, look) +
      letters(x + Math.min(width, most) / 2, y + 16, words, {
        anchor: "middle",
        size: 11,
        class: `${look}-name`,
      }),
  };
}

function container(box: Box, most: number): Placed {
  const { name, note = "", look, content } = box;
  const inner = most - 2 * PAD;
  const rows = rowsOf(content, inner);
  const widths = rows.map((row) => row.reduce((sum, { width }) => sum + width + GAP, -GAP));
  const heights = rows.map((row) => Math.max(...row.map(({ height }) => height)));
  // names of these are bold, and often in capital letters
  const size = look === "box-machine" || look === "box-package" ? 13.5 : 12;
  const titled = widthOf(name, size) + widthOf(note, 11) + 10;
  const width = Math.min(most, Math.max(...widths, Math.min(inner, titled)) + 2 * PAD);
  const height = HEAD + heights.reduce((sum, height) => sum + height + GAP, -GAP) + 2 * PAD - 2;
  return {
    width,
    height,
    draw(x, y) {
      const room = width - 2 * PAD;
      const title = fitted(name, size, room);
      const left = room - widthOf(title, size) - 8;
      let top = y + HEAD + PAD - 2;
      // rows of boxes reach from side to side
      const fullest = rows.reduce((a, b) => (b.length > a.length ? b : a));
      const free = room - fullest.reduce((sum, one) => sum + one.width, 0);
      const isFilled = fullest.length > 2 && (content[0]?.content.length ?? 0) > 0;
      const gap = isFilled ? Math.max(GAP, free / (fullest.length - 1)) : GAP;
      const parts = rows.map((row, i) => {
        let at = x + PAD;
        const drawn = row.map((one) => {
          const one_ = one.draw(at, top);
          at += one.width + gap;
          return one_;
        });
        top += (heights[i] as number) + GAP;
        return drawn.join("");
      });
      return [
        rect(x, y, width, height, look),
        letters(x + PAD, y + 18, title, { size: 12, class: `${look}-name` }),
        note === "" || left < 30
          ? ""
          : letters(x + width - PAD, y + 18, fitted(note, 11, left), {
              size: 11,
              class: "muted",
              anchor: "end",
            }),
        ...parts,
      ].join("");
    },
  };
}

/** Rows for the content: the number of columns that makes the box lowest; of equal ones, the most columns. */
function rowsOf(content: readonly Box[], inner: number): Placed[][] {
  const last = content.at(-1);
  if (last?.look === "box-more" && content.length > 1)
    return [...rowsOf(content.slice(0, -1), inner), [place(last, inner)]];
  if (content.every((one) => one.content.length === 0)) {
    const all = content.map((one) => place(one, inner));
    const widest = Math.max(...all.map(({ width }) => width));
    const columns = Math.max(1, Math.floor((inner + GAP) / (widest + GAP)));
    return chunked(all, even(content.length, columns));
  }
  let best: Placed[][] | undefined;
  let lowest = Infinity;
  for (let columns = 1; columns <= Math.min(MOST_COLUMNS, content.length); columns++) {
    const room = (inner - (columns - 1) * GAP) / columns;
    if (room < 70) break;
    const rows = chunked(
      content.map((one) => place(one, room)),
      columns,
    );
    if (rows.some((row) => row.reduce((sum, { width }) => sum + width + GAP, -GAP) > inner + 0.01)) continue;
    const height = rows.reduce((sum, row) => sum + Math.max(...row.map(({ height }) => height)) + GAP, 0);
    if (height <= lowest) [best, lowest] = [rows, height];
  }
  return best ?? content.map((one) => [place(one, inner)]);
}

/** As many columns as possible that leave no short last row where that is possible with not much fewer. */
function even(count: number, columns: number): number {
  if (count <= columns) return count;
  for (let fewer = columns; fewer > columns / 2; fewer--) if (count % fewer === 0) return fewer;
  return columns;
}

function chunked<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

const rect = (x: number, y: number, width: number, height: number, look: string): string =>
  `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"${attributes({ class: `box ${look}`, rx: 4 })}/>`;
