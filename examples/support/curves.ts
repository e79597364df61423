/** Both forms by size as curves: what `--sizes` with `--picture` draws. */
import { COLOURS, element, svg, words } from "./svg.ts";
import { duration, type Times } from "./times.ts";

const WIDTH = 560;
const HEIGHT = 320;
const LEFT = 70;
const RIGHT = WIDTH - 90;
const TOP = 30;
const BOTTOM = HEIGHT - 40;

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
      words(last[0] + 8, last[1] + 4, label),
    ];
  };
  const axes = `M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}`;
  const ends = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [];
  return svg(WIDTH, HEIGHT, `${name}: ${title} by size, ${pes} PEs and one thread`, [
    element("path", { d: axes, fill: "none", stroke: "currentColor" }),
    ...sizes.map((size) => words(x(size), BOTTOM + 18, short(size), "middle")),
    ...ends.map((end) => words(LEFT - 6, y(end) + 4, show(end), "end")),
    words((LEFT + RIGHT) / 2, HEIGHT - 4, "size", "middle"),
    words(LEFT, TOP - 12, title, "middle"),
    ...line("one thread", COLOURS[1], one),
    ...line(`${pes} PEs`, COLOURS[0], all),
  ]);
}

/** A logarithmic scale from the least of the values at `from` to the largest at `to`. */
function scale(values: readonly number[], from: number, to: number): (value: number) => number {
  const least = Math.log(Math.min(...values));
  const span = Math.log(Math.max(...values)) - least;
  return (value) => (span > 0 ? from + ((Math.log(value) - least) / span) * (to - from) : (from + to) / 2);
}

const short = (size: number): string =>
  size >= 1e4 ? `${size.toExponential()}`.replace("+", "") : `${size}`;
