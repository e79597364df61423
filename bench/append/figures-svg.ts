/** Bandwidth and factor by size as one SVG, after figures 2 and 3 of papers/one-sided-append.txt: a row for each place, all axes logarithmic. */
import { bytesText } from "../../src/base/units.ts";
import { bandwidthOf, rivalOf } from "./results.ts";
import type { AppendMeasured } from "./types.ts";

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [460, 300, 72, 52, 40];
const [NAMES_WIDTH, LINE_HEIGHT] = [230, 16];
const PLOT = WIDTH - LEFT - 12;
/** Colours after ColorBrewer Dark2; dashes for those who do not see colours. */
const COLOURS = ["#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#666666"];
const DASHES = ["", "8 4", "2 3", "8 3 2 3"];
/** In one plot, about. */
const MOST_RULES = 6;
/** Of these the row for so many writers at most is drawn. */
const MOST_WRITERS = 2;

/** A curve: places are bytes. */
interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [bytes: number, value: number])[];
}

/** The drawing as a document. @param measured of one place or several */
export function appendSvg(measured: readonly AppendMeasured[]): string {
  const drawn = measured.filter(
    ({ isAlone, writers, name }) => !isAlone && writers <= MOST_WRITERS && name !== "C, add alone",
  );
  const rows = [...new Set(drawn.map(rowOf))].map((row) => ({
    row,
    own: drawn.filter((one) => rowOf(one) === row),
  }));
  const [width, height] = [2 * WIDTH + NAMES_WIDTH, Math.max(1, rows.length) * HEIGHT];
  const title = "Append by size: bandwidth, and how many times that of an addition and a copy in C";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...rows.flatMap(({ row, own }, i) => {
      const names = [...new Set(own.map(({ name }) => name))];
      const curves = (of: (one: AppendMeasured) => number | null): Curve[] =>
        names.map((name) => ({
          name,
          points: own.flatMap((one) => {
            const value = one.name === name ? of(one) : null;
            return value === null ? [] : [[one.bytes, value] as const];
          }),
        }));
      const factor = (one: AppendMeasured) => {
        const rival = rivalOf(measured, one);
        return rival === null || one.name.startsWith("C") ? null : rival.ns / one.ns;
      };
      return [
        `<g transform="translate(0,${i * HEIGHT})">`,
        ...plot(`${row}: bandwidth of a writer`, curves(bandwidthOf), (value) => `${bytesText(value)}/s`, 16),
        "</g>",
        `<g transform="translate(${WIDTH},${i * HEIGHT})">`,
        ...plot(`${row}: factor over C`, curves(factor), factorText, 2),
        "</g>",
        `<g transform="translate(${2 * WIDTH},${i * HEIGHT})">`,
        ...names.flatMap((name, k) => [
          `<path d="M8,${TOP + k * LINE_HEIGHT - 4}h28" fill="none" ${styleOf(k)}/>`,
          text(42, TOP + k * LINE_HEIGHT, name),
        ]),
        "</g>",
      ];
    }),
    "</svg>",
    "",
  ].join("\n");
}

const rowOf = ({ where, writers }: AppendMeasured): string =>
  `${where}, ${writers} writer${writers > 1 ? "s" : ""}`;

const styleOf = (index: number): string =>
  `stroke="${COLOURS[index % COLOURS.length]}" stroke-width="2" stroke-dasharray="${DASHES[index % DASHES.length]}"`;

const text = (left: number, top: number, words: string, more = ""): string =>
  `<text x="${left.toFixed(1)}" y="${top.toFixed(1)}"${more}>${words}</text>`;

/** A power of two: `1/4 x`, `2 x`. */
const factorText = (value: number): string => (value < 1 ? `1/${1 / value} x` : `${value} x`);

/** @param least between two rules, as a factor; its square, and so on, if there would be many */
function plot(
  title: string,
  curves: readonly Curve[],
  wordsOf: (value: number) => string,
  least: number,
): string[] {
  const points = curves.flatMap((curve) => curve.points);
  if (points.length === 0) return [text(LEFT, 24, `${title}: not measured`)];
  const sizes = [...new Set(points.map(([bytes]) => bytes))].sort((a, b) => a - b);
  const values = points.map(([, value]) => value);
  let step = least;
  while (Math.max(...values) / Math.min(...values) > step ** MOST_RULES) step **= 2;
  const low = step ** Math.floor(Math.log(Math.min(...values)) / Math.log(step));
  const rules = [low];
  while (rules[rules.length - 1] < Math.max(...values)) rules.push(rules[rules.length - 1] * step);
  const high = rules.length > 1 ? rules[rules.length - 1] : low * step;
  const [first, last] = [Math.log2(sizes[0]), Math.log2(sizes[sizes.length - 1])];
  const x = (bytes: number) => LEFT + ((Math.log2(bytes) - first) / Math.max(1, last - first)) * PLOT;
  const y = (value: number) =>
    HEIGHT - BOTTOM - (Math.log(value / low) / Math.log(high / low)) * (HEIGHT - TOP - BOTTOM);
  return [
    text(LEFT, 24, title, ' font-size="14"'),
    ...rules.flatMap((value) => [
      `<path d="M${LEFT},${y(value).toFixed(1)}h${PLOT}" stroke="#ddd"/>`,
      text(LEFT - 6, y(value) + 4, wordsOf(value), ' text-anchor="end"'),
    ]),
    ...sizes.map((bytes) =>
      text(
        x(bytes),
        HEIGHT - BOTTOM + 16,
        bytesText(bytes).replace(" ", "").replace("iB", ""),
        ' text-anchor="middle"',
      ),
    ),
    ...curves.flatMap(({ points: own }, i) => {
      const line = own.map(([bytes, value]) => `${x(bytes).toFixed(1)},${y(value).toFixed(1)}`);
      if (line.length === 0) return [];
      return [
        `<polyline points="${line.join(" ")}" fill="none" ${styleOf(i)}/>`,
        ...line.map((at) => `<circle r="2.5" transform="translate(${at})" fill="#fff" ${styleOf(i)}/>`),
      ];
    }),
  ];
}
