/** Curves as SVG: plots with logarithmic axes, side by side in rows, and the names of their curves. */
import { polyline, rule, stroke, svgDocument, text } from "./svg.ts";

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [460, 300, 72, 52, 40];
const [NAMES_WIDTH, LINE_HEIGHT] = [230, 16];
const PLOT = WIDTH - LEFT - 12;
/** Colours after ColorBrewer Dark2; dashes for those who do not see colours. */
const COLOURS = ["#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#666666"];
const DASHES = ["", "8 4", "2 3", "8 3 2 3"];
/** In one plot, about. */
const MOST_RULES = 6;

/** A curve: places are places, numbers of PEs, or the like. */
export interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [place: number, value: number])[];
}

/** A row of two plots that share their curves. */
export interface PlotRow {
  readonly names: readonly string[];
  readonly plots: readonly [Plot, Plot];
}

/** One plot. */
export interface Plot {
  readonly title: string;
  readonly curves: readonly Curve[];
  readonly placeText: (place: number) => string;
  readonly valueText: (value: number) => string;
  /** Between two rules, as a factor; its square, and so on, if there would be many. */
  readonly least: number;
}

/** The drawing as a document. */
export function plotsSvg(title: string, rows: readonly PlotRow[]): string {
  const [width, height] = [2 * WIDTH + NAMES_WIDTH, Math.max(1, rows.length) * HEIGHT];
  return svgDocument(
    title,
    width,
    height,
    rows.flatMap(({ names, plots: [left, right] }, i) => [
      ...group(0, i, plotted(left)),
      ...group(WIDTH, i, plotted(right)),
      ...group(
        2 * WIDTH,
        i,
        names.flatMap((name, k) => [
          `<path d="M8,${TOP + k * LINE_HEIGHT - 4}h28" fill="none" ${styleOf(k)}/>`,
          text(42, TOP + k * LINE_HEIGHT, name),
        ]),
      ),
    ]),
  );
}

const group = (x: number, row: number, content: readonly string[]): string[] => [
  `<g transform="translate(${x},${row * HEIGHT})">`,
  ...content,
  "</g>",
];

const styleOf = (index: number): string => stroke([COLOURS[index % COLOURS.length], DASHES[index % DASHES.length]]);

function plotted({ title, curves, placeText, valueText, least }: Plot): string[] {
  const points = curves.flatMap((curve) => curve.points);
  if (points.length === 0) return [text(LEFT, 24, `${title}: not measured`)];
  const places = [...new Set(points.map(([place]) => place))].sort((a, b) => a - b);
  const values = points.map(([, value]) => value);
  let step = least;
  while (Math.max(...values) / Math.min(...values) > step ** MOST_RULES) step **= 2;
  const low = step ** Math.floor(Math.log(Math.min(...values)) / Math.log(step));
  const rules = [low];
  while (rules[rules.length - 1] < Math.max(...values)) rules.push(rules[rules.length - 1] * step);
  const high = rules.length > 1 ? rules[rules.length - 1] : low * step;
  const [first, last] = [Math.log2(places[0]), Math.log2(places[places.length - 1])];
  const x = (place: number) => LEFT + ((Math.log2(place) - first) / Math.max(1, last - first)) * PLOT;
  const y = (value: number) =>
    HEIGHT - BOTTOM - (Math.log(value / low) / Math.log(high / low)) * (HEIGHT - TOP - BOTTOM);
  return [
    text(LEFT, 24, title, 'font-size="14"'),
    ...rules.flatMap((value) => rule(LEFT, LEFT + PLOT, y(value), valueText(value))),
    ...places.map((place) => text(x(place), HEIGHT - BOTTOM + 16, placeText(place), 'text-anchor="middle"')),
    ...curves.flatMap(({ points: own }, i) => {
      const line = own.map(([place, value]) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`);
      if (line.length === 0) return [];
      return [
        polyline(line, styleOf(i)),
        ...line.map((at) => `<circle r="2.5" transform="translate(${at})" fill="#fff" ${styleOf(i)}/>`),
      ];
    }),
  ];
}
