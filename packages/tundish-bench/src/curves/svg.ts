/** SVG as the figures of the benchmarks need it: a document, texts, lines, and a figure with rules and axes. */

/** Colours after ColorBrewer Dark2; dashes for those who do not see colours. */
export const LINES: readonly (readonly [colour: string, dashes: string])[] = [
  ["#d95f02", "2 3"],
  ["#7570b3", "8 4"],
  ["#1b9e77", ""],
  ["#e7298a", "8 3 2 3"],
];

const [WIDTH, HEIGHT, TOP, BOTTOM] = [640, 400, 48, 48];

/** A text at its baseline. @param more attributes */
export const text = (x: number, y: number, words: string, more = ""): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${more && ` ${more}`}>${words}</text>`;

export const stroke = ([colour, dashes]: readonly [colour: string, dashes: string, ...unknown[]]): string =>
  `stroke="${colour}" stroke-width="2" stroke-dasharray="${dashes}"`;

/** @param points each `x,y` @param style as of {@link stroke} */
export const polyline = (points: readonly string[], style: string): string =>
  `<polyline points="${points.join(" ")}" fill="none" ${style}/>`;

/** A rule across a plot, with its value beside it. */
export const rule = (left: number, right: number, y: number, words: string, gap = 6): string[] => [
  `<path d="M${left},${y.toFixed(1)}H${right}" stroke="#ddd"/>`,
  text(left - gap, y + 4, words, 'text-anchor="end"'),
];

export const svgDocument = (title: string, width: number, height: number, content: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...content,
    "</svg>",
    "",
  ].join("\n");

/** A figure with one plot. */
export interface PlotFigure {
  readonly title: string;
  readonly subtitle: string;
  /** The name of the horizontal axis. */
  readonly below: string;
  /** Margins. */
  readonly left: number;
  readonly right: number;
  readonly rules: readonly (readonly [value: number, words: string])[];
  readonly marks: readonly (readonly [place: number, words: string])[];
  /** From 0 at the left or below to 1. */
  readonly across: (place: number) => number;
  readonly up: (value: number) => number;
  /** Between the axis and its words. @default 16 */
  readonly drop?: number;
  /** Between the rules and their words. @default 6 */
  readonly gap?: number;
  readonly curves: (plot: PlotArea) => readonly string[];
}

/** Places in a plot. */
export interface PlotArea {
  readonly x: (place: number) => number;
  readonly y: (value: number) => number;
  /** `x,y` */
  readonly at: (place: number, value: number) => string;
  /** Its edges. */
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The drawing as a document. */
export function figureSvg(figure: PlotFigure): string {
  const { title, subtitle, below, left, rules, marks, across, up, drop = 16, gap = 6, curves } = figure;
  const [right, bottom] = [WIDTH - figure.right, HEIGHT - BOTTOM];
  const x = (place: number) => left + across(place) * (right - left);
  const y = (value: number) => bottom - up(value) * (bottom - TOP);
  const at = (place: number, value: number) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`;
  return svgDocument(title, WIDTH, HEIGHT, [
    text(left, 20, title, 'font-size="14"'),
    text(left, 38, subtitle, 'fill="#555"'),
    ...rules.flatMap(([value, words]) => rule(left, right, y(value), words, gap)),
    ...marks.map(([place, words]) => text(x(place), bottom + drop, words, 'text-anchor="middle"')),
    text((left + right) / 2, HEIGHT - 12, below, 'text-anchor="middle"'),
    ...curves({ x, y, at, right, top: TOP, bottom }),
  ]);
}
