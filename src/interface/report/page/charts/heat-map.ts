/** A matrix of costs as colours: small ones with a mark for each cell, large ones as one picture (png.ts). */
import type { Matrix } from "../../../../machine/model/machine-model.ts";
import { COLUMN, type Drawing } from "./figure.ts";
import { attributes, letters, n, textOf, widthOf } from "./html.ts";
import { pngOf } from "./png.ts";

/** The data of a heat map. */
export interface Heat {
  readonly matrix: Matrix;
  /** The names of rows and columns. */
  readonly names: readonly (string | number)[];
  readonly textOf: (value: number) => string;
  /** In which order they are, where that is not the order of their numbers. */
  readonly order?: string | undefined;
  /** Where domains begin, at which lines are drawn: indexes above 0. */
  readonly borders: readonly number[];
}

/** Colours from low to high, distinct by lightness (ColorBrewer YlGnBu without its lightest): light is near. */
const STOPS = ["fbfdc9", "edf8b1", "c7e9b4", "7fcdbb", "41b6c4", "1d91c0", "225ea8", "253494", "081d58"];
const LEVELS = 128;
const COLOURS: readonly string[] = Array.from({ length: LEVELS }, (_, i) => colourAt(i / (LEVELS - 1)));
/** From that on colours are dark, and numbers on them white. */
const DARK = LEVELS * 0.56;
/** The colours reach at least so far above the least value, so that small differences look small. */
const LEAST_SPAN = 0.4;
const MOST_MARKS = 16;
/** Larger pictures have fewer colours: they would be a megabyte. */
const MOST_FINE = 192;
const LEGEND_STEPS = 32;
const [LEFT, TOP, LEGEND] = [30, 34, 40];
const SIZE = 10;

/** Between the two stops that are nearest. @param share 0 to 1 */
function colourAt(share: number): string {
  const at = Math.min(STOPS.length - 2, Math.floor(share * (STOPS.length - 1)));
  const part = share * (STOPS.length - 1) - at;
  const [from, to] = [at, at + 1].map((stop) => Buffer.from(STOPS[stop] as string, "hex"));
  return `#${Buffer.from((from as Buffer).map((byte, i) => byte + part * (((to as Buffer)[i] as number) - byte))).toString("hex")}`;
}

/** The matrix without its diagonal. */
function valuesOf(matrix: Matrix): number[] {
  return matrix.flatMap((row, i) => row.filter((_, j) => i !== j));
}

/** The values of the first and of the last colour, and the greatest value. */
export function rangeOf(matrix: Matrix): { least: number; top: number; greatest: number } {
  const values = valuesOf(matrix).sort((a, b) => a - b);
  const [least, greatest] = [values[0] ?? 0, values.at(-1) ?? 0];
  // one outlier among thousands of pairs would leave a single colour to all others
  const isLarge = matrix.length > MOST_MARKS;
  return {
    least,
    top: Math.max(
      (isLarge ? values[Math.floor(values.length * 0.998)] : undefined) ?? greatest,
      least * (1 + LEAST_SPAN),
    ),
    greatest,
  };
}

/** The script's data to tell the values of a picture. */
export function pictureData(matrix: Matrix): Record<string, string> {
  if (matrix.length <= MOST_MARKS) return {};
  const { least, top } = rangeOf(matrix);
  return { "data-least": String(least), "data-top": String(top), "data-palette": COLOURS.join("") };
}

export function heatMap(heat: Heat): Drawing {
  const { matrix, names, borders } = heat;
  const size = matrix.length;
  const side = COLUMN - LEFT;
  const cell = side / size;
  const { least, top, greatest } = rangeOf(matrix);
  const step = size > MOST_FINE ? 4 : 1;
  const levelOf = (value: number) =>
    top > least
      ? Math.min(LEVELS - 1, step * Math.round((((value - least) / (top - least)) * (LEVELS - 1)) / step))
      : 0;
  const digits = size > MOST_MARKS ? 0 : digitsFor(valuesOf(matrix), cell);
  const cells =
    size > MOST_MARKS
      ? picture(matrix, levelOf, side)
      : matrix
          .flatMap((row, i) => row.map((_, j) => (i === j ? "" : mark(heat, i, j, cell, levelOf, digits))))
          .join("");
  const lines = borders.map((at) => {
    const x = n(at * cell);
    return `<path class="border" d="M${x},0V${n(side)}M0,${x}H${n(side)}"/>`;
  });
  const content = [
    letters(LEFT, 10, heat.order ?? "from PE (rows) to PE (columns)", { class: "muted" }),
    ...axis(names, cell),
    `<g class="cells" transform="translate(${LEFT},${TOP})">${cells}${lines.join("")}<rect class="cursor" width="${n(cell)}" height="${n(cell)}" visibility="hidden"/></g>`,
    scale(heat, least, top, greatest, TOP + side + 14),
  ];
  return { width: COLUMN, height: TOP + side + LEGEND, content: content.join("") };
}

function mark(
  { matrix, names, textOf: wordsOf }: Heat,
  i: number,
  j: number,
  cell: number,
  levelOf: (value: number) => number,
  digits: number,
): string {
  const value = (matrix[i] as readonly number[])[j] as number;
  const level = levelOf(value);
  const title = `<title>${textOf(`${names[i]} to ${names[j]}: ${wordsOf(value)}`)}</title>`;
  const gap = cell > 12 ? 1 : 0.5;
  const rect = `<rect x="${n(j * cell + gap / 2)}" y="${n(i * cell + gap / 2)}" width="${n(cell - gap)}" height="${n(cell - gap)}" fill="${COLOURS[level]}">${title}</rect>`;
  if (digits === 0) return rect;
  const size = letterSize(cell);
  const look = level < DARK ? "value dark" : "value light";
  return `${rect}<text x="${n(j * cell + cell / 2)}" y="${n(i * cell + cell / 2 + size * 0.35)}"${attributes({ "text-anchor": "middle", "font-size": n(size), class: look })}>${shortly(value, digits)}</text>`;
}

const letterSize = (cell: number): number => Math.min(13, cell * 0.42);
const shortly = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));

/** Digits of the numbers in cells: as many as all cells have room for; 0: no numbers. */
function digitsFor(values: readonly number[], cell: number): number {
  const size = letterSize(cell);
  const fits = (digits: number) =>
    size >= 7.5 && values.every((value) => widthOf(shortly(value, digits), size) <= cell - 2);
  return [3, 2].find(fits) ?? 0;
}

function picture(matrix: Matrix, levelOf: (value: number) => number, side: number): string {
  const size = matrix.length;
  const cells = new Uint8Array(size * size);
  matrix.forEach((row, i) => {
    row.forEach((value, j) => {
      cells[i * size + j] = i === j ? LEVELS : levelOf(value);
    });
  });
  return `<image width="${n(side)}" height="${n(side)}" preserveAspectRatio="none" href="${pngOf(cells, size, COLOURS)}"/>`;
}

/** Names of rows and columns, as many as there is room for. */
function axis(names: readonly (string | number)[], cell: number): string[] {
  const longest = Math.max(...names.map((name) => widthOf(String(name), SIZE)));
  const every = stepFor(Math.max(1, Math.ceil(Math.max(longest + 5, SIZE + 3) / cell)));
  return names.flatMap((name, i) => {
    if (i % every !== 0) return [];
    const at = (i + 0.5) * cell;
    return [
      letters(LEFT + at, TOP - 6, name, { class: "muted", anchor: "middle", size: SIZE }),
      letters(LEFT - 6, TOP + at + SIZE * 0.35, name, { class: "muted", anchor: "end", size: SIZE }),
    ];
  });
}

/** 1, 2, 4, 8, 16 …: CPUs come in such groups. */
const stepFor = (least: number): number => 2 ** Math.ceil(Math.log2(least));

function scale({ textOf: wordsOf }: Heat, least: number, top: number, greatest: number, y: number): string {
  const width = COLUMN - LEFT;
  const step = width / LEGEND_STEPS;
  // equal cells need none
  if (greatest <= least) return "";
  // it ends where the values do
  const end = Math.min(top, greatest);
  const levels = Math.max(1, (LEVELS * (end - least)) / (top - least));
  const bar = Array.from(
    { length: LEGEND_STEPS },
    (_, i) =>
      `<rect x="${n(LEFT + i * step)}" y="${n(y)}" width="${n(step + 0.5)}" height="8" fill="${COLOURS[Math.floor((i * levels) / LEGEND_STEPS)]}"/>`,
  ).join("");
  const words = `${top < greatest ? "≥ " : ""}${wordsOf(end)}`;
  return [
    bar,
    letters(LEFT, y + 22, wordsOf(least), { class: "muted" }),
    letters(LEFT + width / 2, y + 22, wordsOf((least + end) / 2), { class: "muted", anchor: "middle" }),
    letters(COLUMN, y + 22, words, { class: "muted", anchor: "end" }),
  ].join("");
}
