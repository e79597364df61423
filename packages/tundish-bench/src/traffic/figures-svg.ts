/** A figure as SVG: bandwidth by the logarithm of the block size, or busy senders over time. */
import { bytesText, durationText } from "../../../../src/ground/base/units.ts";
import { figureSvg, LINES, polyline, stroke, text } from "../curves/svg.ts";
import type { TrafficFigure } from "./figures.ts";

/** Of the lines, for a curve that is alone. */
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
  return figureSvg({
    title: `Figure ${figure.number}. ${figure.title}, ${figure.machine}, ${figure.nodes} nodes`,
    subtitle: `${beside}, simulated`,
    below,
    left: 56,
    right: 28,
    rules: Array.from({ length: MARKS + 1 }, (_, i) => (most * i) / MARKS).map((value) => [
      value,
      String(Number(value.toPrecision(3))),
    ]),
    marks,
    across: (place) => (place - first) / Math.max(1e-9, last - first),
    up: (value) => value / most,
    curves: ({ at, right, bottom }) =>
      lines.flatMap(({ name, points }, i) => {
        const style = stroke(LINES[lines.length === 1 ? SOLID : i]);
        const top = bottom - 12 - 16 * (lines.length - 1 - i);
        return [
          polyline(
            points.map(([place, value]) => at(place, value)),
            style,
          ),
          `<path d="M${right - 180},${top - 4}h28" ${style}/>`,
          text(right - 146, top, name),
        ];
      }),
  });
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
