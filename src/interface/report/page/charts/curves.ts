/** Curves on logarithmic axes. */
import { COLUMN, type Drawing } from "./figure.ts";
import { attributes, letters, n, widthOf } from "./html.ts";
import { log10, logarithmic, type Scale } from "./scale.ts";
import { colour, dash, mark } from "./series.ts";

/** One curve: its points by place, ascending. */
export interface Curve {
  readonly slot: number;
  readonly points: readonly Point[];
  /** Without marks, and thinner: a fit. */
  readonly isFit?: boolean;
}

export interface Point {
  readonly x: number;
  readonly y: number;
  /** Quartiles, drawn as a line through the mark. */
  readonly low?: number;
  readonly high?: number;
}

/** An axis. */
export interface Axis {
  readonly name: string;
  readonly textOf: (value: number) => string;
}

const [HEIGHT, TOP, RIGHT, BOTTOM] = [230, 26, 10, 42];
const MOST_TICKS = 6;

/** Places at which something was measured, thinned until their names fit. */
function placesOf(curves: readonly Curve[], room: number, textOf: Axis["textOf"]): number[] {
  const marked = curves.some(({ isFit }) => !isFit) ? curves.filter(({ isFit }) => !isFit) : curves;
  let places = [...new Set(marked.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const longest = Math.max(...places.map((place) => widthOf(textOf(place), 11))) + 10;
  const [first, last] = [Math.log(places[0] as number), Math.log(places.at(-1) as number)];
  const at = (place: number) => (last > first ? ((Math.log(place) - first) / (last - first)) * room : 0);
  const kept: number[] = [];
  for (const place of places) {
    const before = kept.at(-1);
    if (before === undefined || at(place) - at(before) >= longest) kept.push(place);
  }
  places = kept;
  return places;
}

/** Round values from below the least to above the greatest: decades, or 1, 2 and 5 of them within one. */
function ruleValues(least: number, greatest: number): number[] {
  const low = Math.floor(log10(least) + 1e-9);
  const high = Math.ceil(log10(greatest) - 1e-9);
  const steps = high - low <= 2 ? [1, 2, 5] : [1];
  const all: number[] = [];
  for (let power = low; power <= high; power++) all.push(...steps.map((step) => step * 10 ** power));
  const from = Math.max(
    0,
    all.findLastIndex((value) => value <= least * 1.0001),
  );
  const to = all.findIndex((value) => value >= greatest * 0.9999);
  const rules = all.slice(from, (to < 0 ? all.length - 1 : to) + 1);
  if (rules.length < 2) return [least / 2, least * 2];
  const every = Math.ceil((rules.length - 1) / MOST_TICKS);
  return every === 1 ? rules : thinned(low, high, Math.ceil((high - low) / MOST_TICKS));
}

function thinned(low: number, high: number, step: number): number[] {
  const count = Math.ceil((high - low) / step) + 1;
  return Array.from({ length: count }, (_, i) => 10 ** (low + i * step));
}

/** A chart of curves; places and values are above 0. */
export function curves(all: readonly Curve[], x: Axis, y: Axis, width: number = COLUMN): Drawing {
  const values = all.flatMap(({ points }) => points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]));
  const rules = ruleValues(Math.min(...values), Math.max(...values));
  const left = Math.max(...rules.map((rule) => widthOf(y.textOf(rule), 11))) + 10;
  const room = width - left - RIGHT;
  const xs = all.flatMap(({ points }) => points.map((point) => point.x));
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const isOne = first === last;
  const across = logarithmic(isOne ? [first / 2, first * 2] : [first, last], [left + 8, width - RIGHT - 8]);
  const up = logarithmic([rules[0] as number, rules.at(-1) as number], [HEIGHT - BOTTOM, TOP]);
  const places = placesOf(all, room - 16, x.textOf);
  const content = [
    letters(0, 11, y.name, { class: "muted" }),
    ...rules.flatMap((rule) => [
      `<path class="rule" d="M${n(left)},${n(up(rule))}H${n(width - RIGHT)}"/>`,
      letters(left - 8, up(rule) + 4, y.textOf(rule), { class: "muted", anchor: "end" }),
    ]),
    ...places.flatMap((place) => {
      const words = x.textOf(place);
      const at = Math.min(width - widthOf(words, 11) / 2, across(place));
      return [
        `<path class="tick" d="M${n(across(place))},${n(HEIGHT - BOTTOM)}v4"/>`,
        letters(at, HEIGHT - BOTTOM + 17, words, { class: "muted", anchor: "middle" }),
      ];
    }),
    letters(width - RIGHT, HEIGHT - 6, x.name, { class: "muted", anchor: "end" }),
    // ours over the others
    ...[...all].sort((a, b) => b.slot - a.slot).flatMap((curve) => drawn(curve, across, up)),
  ];
  return { width, height: HEIGHT, content: content.join("") };
}

function drawn({ slot, points, isFit }: Curve, across: Scale, up: Scale): string[] {
  const line = points.map((point, i) => `${i === 0 ? "M" : "L"}${n(across(point.x))},${n(up(point.y))}`);
  const path = `<path d="${line.join("")}"${attributes({
    class: `${isFit ? "fit" : "curve"} ${colour("line", slot)}`,
    "stroke-dasharray": isFit ? "3 3" : dash(slot),
  })}/>`;
  if (isFit) return [path];
  const spread = points.flatMap(({ x, low, high }) =>
    low === undefined || high === undefined || up(low) - up(high) < 3
      ? []
      : [`<path class="spread ${colour("line", slot)}" d="M${n(across(x))},${n(up(low))}V${n(up(high))}"/>`],
  );
  return [path, ...spread, ...points.map((point) => mark(slot, across(point.x), up(point.y)))];
}
