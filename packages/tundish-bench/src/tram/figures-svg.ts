/** The figures of TRAM's thesis as SVG: time by bytes, PEs, or the effective size of buffers, both axes logarithmic. */
import { bytesText, durationText } from "../../../../src/ground/base/units.ts";
import { figureSvg, polyline, stroke, text } from "../curves/svg.ts";
import {
  FIGURES,
  type FigureName,
  type TramCurve,
  type TramFigure,
  type TramFigures,
  type TramPoint,
} from "./figures.ts";

/** By curve: colour (after ColorBrewer Dark2), dashes, and a mark of its own for those who do not see colours. */
const LINES: Readonly<Record<TramCurve, readonly [colour: string, dashes: string, mark: string]>> = {
  without: ["#e7298a", "8 3 2 3", "M-4,-4L4,4M4,-4L-4,4"],
  "1D": ["#d95f02", "2 3", "M-4,-4H4V4H-4Z"],
  "2D": ["#1b9e77", "", "M0,-5L5,4H-5Z"],
  "3D": ["#7570b3", "8 4", "M0,-5L5,0L0,5L-5,0Z"],
};
const NAMES: Readonly<Record<TramCurve, string>> = {
  without: "no aggregation",
  "1D": "1D",
  "2D": "2D mesh",
  "3D": "3D mesh",
};
/** Between two names. */
const LINE_HEIGHT = 16;

/** Drawings by the number of the figure. */
export const tramSvgs = ({ drawn }: TramFigures): readonly (readonly [name: FigureName, svg: string])[] =>
  (Object.keys(FIGURES) as FigureName[]).map((name) => [name, svg(drawn[name], name)]);

/** The place of a point on the horizontal axis, and what stands there. */
const PLACES: Readonly<Record<TramFigure["by"], (point: TramPoint) => readonly [place: number, words: string]>> = {
  bytes: ({ bytes }) => [bytes, String(bytes)],
  PEs: ({ pes }) => [pes, String(pes)],
  buffer: ({ bufferBytes, threshold }) => {
    const effective = bufferBytes * threshold;
    return [effective, bytesText(Math.round(effective))];
  },
};
const BELOW = { bytes: "bytes of a message", PEs: "PEs", buffer: "effective size of buffers" } as const;

function svg(points: readonly TramPoint[], name: FigureName): string {
  const { machine, title, by } = FIGURES[name];
  const placeOf = PLACES[by];
  const places = new Map(points.map(placeOf));
  const [first, last] = [Math.min(...places.keys()), Math.max(...places.keys())].map(Math.log2);
  const times = points.map(({ time }) => time);
  const low = niceBelow(Math.min(...times));
  const rules = [low];
  while (rules[0] < Math.max(...times)) rules.unshift(rules[0] * 2);
  const high = rules[0];
  const curves = (Object.keys(LINES) as TramCurve[])
    .map((curve) => ({ curve, own: points.filter((point) => point.curve === curve) }))
    .filter(({ own }) => own.length > 0);
  return figureSvg({
    title: `Figure ${name}. ${title}, ${machine}`,
    subtitle: "time, simulated",
    below: BELOW[by],
    left: 64,
    right: 132,
    rules: rules.map((time) => [time, durationText(time)]),
    gap: 8,
    marks: [...places],
    drop: 18,
    across: (place) => (Math.log2(place) - first) / Math.max(last - first, Number.MIN_VALUE),
    up: (time) => Math.log(time / low) / Math.log(high / low),
    curves: ({ y, at, right }) => {
      const ends = apart(curves.map(({ own }) => y(own[own.length - 1].time)));
      return curves.flatMap(({ curve, own }, i) => {
        const [colour, , mark] = LINES[curve];
        const line = own.map((one) => at(placeOf(one)[0], one.time));
        return [
          polyline(line, stroke(LINES[curve])),
          ...line.map(
            (place) =>
              `<path d="${mark}" transform="translate(${place})" fill="#fff" stroke="${colour}" stroke-width="2"/>`,
          ),
          text(right + 12, ends[i] + 4, NAMES[curve], `fill="${colour}"`),
        ];
      });
    },
  });
}

/** The same heights, moved down where two names would lie upon each other. */
function apart(heights: readonly number[]): number[] {
  const moved = [...heights];
  let free = 0;
  for (const i of heights.map((_, at) => at).sort((a, b) => heights[a] - heights[b])) {
    moved[i] = Math.max(free, heights[i]);
    free = moved[i] + LINE_HEIGHT;
  }
  return moved;
}

/** The largest of 1, 2, 5 times a power of ten that is not above. */
function niceBelow(value: number): number {
  const ten = 10 ** Math.floor(Math.log10(value));
  return ten * ([5, 2, 1].find((one) => one * ten <= value) as number);
}
