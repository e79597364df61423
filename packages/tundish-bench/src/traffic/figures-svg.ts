/** A figure as SVG: bandwidth by the logarithm of the block size, or busy senders over time. */
import { bytesText, durationText } from "../../../../src/ground/base/units.ts";
import type { TrafficFigure } from "./figures.ts";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 400, 56, 28, 48, 48];
/** By curve; apart for those who do not see colours, too (after ColorBrewer Dark2). */
const LINES: readonly (readonly [colour: string, dashes: string])[] = [
  ["#d95f02", "2 3"],
  ["#7570b3", "8 4"],
  ["#1b9e77", ""],
  ["#e7298a", "8 3 2 3"],
];
/** Of these, for a curve that is alone. */
const SOLID = 2;
const MARKS = 4;

/** A curve, and what its horizontal places are called. */
interface Plot {
  readonly lines: readonly {
    readonly name: string;
    readonly points: readonly (readonly [number, number])[];
  }[];
  readonly marks: readonly (readonly [place: number, words: string])[];
  readonly most: number;
  readonly below: string;
  readonly beside: string;
}

/** The drawing as a document. */
export function trafficSvg(figure: TrafficFigure): string {
  const { lines, marks, most, below, beside } = figure.isOverTime ? overTime(figure) : bySize(figure);
  const places = lines.flatMap(({ points }) => points.map(([place]) => place));
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const x = (place: number) =>
    LEFT + ((place - first) / Math.max(1e-9, last - first)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
  const text = (left: number, top: number, words: string, more = "") =>
    `<text x="${left.toFixed(1)}" y="${top.toFixed(1)}" ${more}>${words}</text>`;
  const title = `Figure ${figure.number}. ${figure.title}, ${figure.machine}, ${figure.nodes} nodes`;
  const rules = Array.from({ length: MARKS + 1 }, (_, i) => (most * i) / MARKS).flatMap((value) => [
    `<path d="M${LEFT},${y(value).toFixed(1)}H${WIDTH - RIGHT}" stroke="#ddd"/>`,
    text(LEFT - 6, y(value) + 4, String(Number(value.toPrecision(3))), 'text-anchor="end"'),
  ]);
  const curves = lines.flatMap(({ name, points }, i) => {
    const [colour, dashes] = LINES[lines.length === 1 ? SOLID : i];
    const style = `stroke="${colour}" stroke-width="2" stroke-dasharray="${dashes}"`;
    const line = points.map(([place, value]) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    const top = HEIGHT - BOTTOM - 12 - 16 * (lines.length - 1 - i);
    return [
      `<polyline points="${line}" fill="none" ${style}/>`,
      `<path d="M${WIDTH - RIGHT - 180},${top - 4}h28" ${style}/>`,
      text(WIDTH - RIGHT - 146, top, name),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(LEFT, 20, title, 'font-size="14"'),
    text(LEFT, 38, `${beside}, simulated`, 'fill="#555"'),
    ...rules,
    ...marks.map(([place, words]) => text(x(place), HEIGHT - BOTTOM + 16, words, 'text-anchor="middle"')),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, below, 'text-anchor="middle"'),
    ...curves,
    "</svg>",
    "",
  ].join("\n");
}

function bySize({ curves }: TrafficFigure): Plot {
  const most = Math.max(...curves.flatMap(({ runs }) => runs.map(({ bandwidth }) => bandwidth)));
  const sizes = curves[0].runs.map(({ blockBytes }) => blockBytes);
  return {
    lines: curves.map(({ name, runs }) => ({
      name,
      points: runs.map(({ blockBytes, bandwidth }) => [Math.log2(blockBytes), bandwidth]),
    })),
    marks: sizes.map((bytes) => [Math.log2(bytes), bytesText(bytes)]),
    most,
    below: "block size",
    beside: "MB/s out of a node",
  };
}

function overTime({ curves, nodes }: TrafficFigure): Plot {
  const length = Math.max(...curves.map(({ runs: [{ time }] }) => time));
  return {
    lines: curves.map(({ name, runs: [{ interval, senders }] }) => ({
      name,
      points: senders.map((busy, i) => [(i + 1) * interval, busy]),
    })),
    marks: Array.from({ length: MARKS - 1 }, (_, i) => {
      const time = (length * (i + 1)) / MARKS;
      return [time, durationText(Number(time.toPrecision(2)))];
    }),
    most: nodes,
    below: "time",
    beside: "Nodes that send",
  };
}
