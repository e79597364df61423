/** Both forms by size as curves: what `--sizes` with `--picture` draws. */
import { COLOURS, element, svg, words } from "./svg.ts";
import { duration, type Times } from "./times.ts";

const WIDTH = 560;
const HEIGHT = 320;
const LEFT = 70;
const RIGHT = WIDTH - 90;
const TOP = 30;
const BOTTOM = HEIGHT - 40;
const ALONE = "one thread";

/** What is drawn of each row: two values, and how they are written. */
interface Axis {
  readonly title: string;
  readonly all: (row: Times) => number;
  readonly one: (row: Times) => number;
  readonly show: (value: number) => string;
}
const SECONDS: Axis = {
  title: "time",
  all: ({ seconds }) => seconds,
  one: ({ serialSeconds }) => serialSeconds,
  show: duration,
};
const RATE: Axis = {
  title: "GFLOP/s",
  all: ({ gflops }) => gflops as number,
  one: ({ serialGflops }) => serialGflops as number,
  show: (value) => value.toPrecision(2),
};

/** Times, or GFLOP/s where the rows have them. Both axes are logarithmic: a ratio is a distance. */
export function curves(name: string, pes: number, times: readonly Times[]): string {
  const rows = [...times].sort((a, b) => a.size - b.size);
  const { title, all, one, show } = rows.every(({ gflops }) => typeof gflops === "number") ? RATE : SECONDS;
  const sizes = rows.map(({ size }) => size);
  const x = scale(sizes, LEFT, RIGHT);
  const values = rows.flatMap((row) => [all(row), one(row)]).filter((value) => value > 0);
  const y = scale(values, BOTTOM, TOP);
  // the names of lines that end side by side are parted
  const [end] = rows.slice(-1).filter((row) => one(row) > 0 && all(row) > 0);
  const gap = end === undefined ? Number.NaN : y(one(end)) - y(all(end));
  const away = (label: string): number => {
    if (!(Math.abs(gap) < 14)) return 0;
    return (label === ALONE) === gap < 0 ? -7 : 7;
  };
  const line = (label: string, colour: string, of: (row: Times) => number): string[] => {
    const points = rows.filter((row) => of(row) > 0).map((row) => [x(row.size), y(of(row))] as const);
    const last = points.at(-1);
    if (last === undefined) return [];
    return [
      element("polyline", {
        points: points.map((point) => point.map((at) => at.toFixed(1)).join(",")).join(" "),
        fill: "none",
        stroke: colour,
        "stroke-width": 2,
      }),
      ...points.map(([cx, cy]) => element("circle", { cx, cy, r: 3, fill: colour })),
      words(last[0] + 8, last[1] + 4 + away(label), label),
    ];
  };
  const axes = `M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}`;
  const marks = values.length > 0 ? marksBetween(Math.min(...values), Math.max(...values)) : [];
  const grid = [
    ...marks.map((mark) => `M${LEFT} ${y(mark).toFixed(1)}H${RIGHT}`),
    ...sizes.map((of) => `M${x(of).toFixed(1)} ${TOP}V${BOTTOM}`),
  ];
  return svg(WIDTH, HEIGHT, `${name}: ${title} by size, ${pes} PEs and one thread`, [
    element("path", { d: grid.join(""), stroke: "currentColor", "stroke-opacity": 0.2 }),
    element("path", { d: axes, fill: "none", stroke: "currentColor" }),
    ...sizes.map((size) => words(x(size), BOTTOM + 18, short(size), "middle")),
    ...marks.map((mark) => words(LEFT - 6, y(mark) + 4, show(mark), "end")),
    words((LEFT + RIGHT) / 2, HEIGHT - 4, "size, logarithmic", "middle"),
    words(12, TOP - 14, `${title}, logarithmic`),
    ...line(ALONE, COLOURS[1], one),
    ...line(`${pes} PEs`, COLOURS[0], all),
  ]);
}

/** Marks of an axis between two values: powers of ten, with their double and fivefold if there are few; else both values. */
function marksBetween(least: number, most: number): number[] {
  for (const steps of [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]]) {
    const marks: number[] = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power++)
      for (const step of steps) marks.push(step * 10 ** power);
    const within = marks.filter((mark) => mark >= least && mark <= most);
    if (within.length >= 3) return within.length <= 12 ? within : within.filter((_, i) => i % 3 === 0);
  }
  return least < most ? [least, most] : [most];
}

/** A logarithmic scale from the least of the values at `from` to the largest at `to`. */
function scale(values: readonly number[], from: number, to: number): (value: number) => number {
  const least = Math.log(Math.min(...values));
  const span = Math.log(Math.max(...values)) - least;
  return (value) => (span > 0 ? from + ((Math.log(value) - least) / span) * (to - from) : (from + to) / 2);
}

const short = (size: number): string => (size >= 1e4 ? `${size.toExponential()}`.replace("+", "") : `${size}`);
