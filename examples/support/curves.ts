/** The times of both forms by size as curves: what `--sizes` with `--picture` draws. */
import { COLOURS, element, svg, words } from "./svg.ts";
import { duration, type Times } from "./times.ts";

const WIDTH = 560;
const HEIGHT = 320;
const EDGE = { left: 70, right: 90, top: 30, bottom: 40 };

/** Both axes are logarithmic: a ratio is a distance. */
export function curves(name: string, pes: number, times: readonly Times[]): string {
  const rows = [...times].sort((a, b) => a.size - b.size);
  const seconds = rows.flatMap((row) => [row.seconds, row.serialSeconds]).filter((one) => one > 0);
  const x = scale(
    rows.map(({ size }) => size),
    EDGE.left,
    WIDTH - EDGE.right,
  );
  const y = scale(seconds, HEIGHT - EDGE.bottom, EDGE.top);
  const line = (label: string, colour: string, of: (row: Times) => number) => {
    const shown = rows.filter((row) => of(row) > 0);
    if (shown.length === 0) return [];
    const points = shown.map((row) => `${x(row.size).toFixed(1)},${y(of(row)).toFixed(1)}`);
    const last = shown[shown.length - 1];
    return [
      element("polyline", { points: points.join(" "), fill: "none", stroke: colour, "stroke-width": 2 }),
      ...shown.map((row) => element("circle", { cx: x(row.size), cy: y(of(row)), r: 3, fill: colour })),
      words(x(last.size) + 8, y(of(last)) + 4, label),
    ];
  };
  const axis = {
    stroke: "currentColor",
    fill: "none",
    d: `M${EDGE.left} ${EDGE.top}V${HEIGHT - EDGE.bottom}H${WIDTH - EDGE.right}`,
  };
  return svg(WIDTH, HEIGHT, `${name}: time by size, ${pes} PEs and one thread`, [
    element("path", axis),
    ...rows.map(({ size }) => words(x(size), HEIGHT - EDGE.bottom + 18, short(size), "middle")),
    ...[Math.min(...seconds), Math.max(...seconds)]
      .filter(Number.isFinite)
      .map((one) => words(EDGE.left - 6, y(one) + 4, duration(one), "end")),
    words((EDGE.left + WIDTH - EDGE.right) / 2, HEIGHT - 4, "size", "middle"),
    ...line("one thread", COLOURS[1], (row) => row.serialSeconds),
    ...line(`${pes} PEs`, COLOURS[0], (row) => row.seconds),
  ]);
}

/** A logarithmic scale from the least of the values at `from` to the largest at `to`. */
function scale(values: readonly number[], from: number, to: number): (value: number) => number {
  const least = Math.log(Math.min(...values));
  const span = Math.log(Math.max(...values)) - least;
  return (value) => (span > 0 ? from + ((Math.log(value) - least) / span) * (to - from) : (from + to) / 2);
}

const short = (size: number): string => (size >= 1e4 ? size.toExponential().replace("+", "") : `${size}`);
