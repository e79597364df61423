/** Horizontal bars, each below its name and its value: they read the same on a phone as on a wide screen. */
import { COLUMN, type Drawing } from "./figure.ts";
import { attributes, fitted, letters, n, widthOf } from "./html.ts";
import { linear, log10, logarithmic, type Scale } from "./scale.ts";

/** One bar. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The value in words, at the right. */
  readonly text: string;
  /** In the accent colour. */
  readonly isOurs: boolean;
  /** Quartiles. */
  readonly low?: number;
  readonly high?: number;
  /** Parts of the value from left to right, in shades of the colour. */
  readonly parts?: readonly number[];
}

/** How bars are drawn. */
export interface BarOptions {
  /** @default false: from zero */
  readonly isLogarithmic?: boolean;
  /** A value that none can be below (or above), as a line at each bar. */
  readonly limit?: { readonly value: number; readonly text: string };
  /** Bars of greater values are broken, so that the others can be told apart. @default none */
  readonly most?: number;
  /** Of the ticks of a logarithmic scale. */
  readonly textOf?: (value: number) => string;
}

const [ROW, BAR, SIZE] = [34, 9, 12];

export function bars(all: readonly Bar[], options: BarOptions = {}): Drawing {
  const { isLogarithmic = false, limit, most = Infinity, textOf = String } = options;
  const greatest = Math.min(most, Math.max(...all.map(({ value, high }) => high ?? value), limit?.value ?? 0));
  const least = Math.min(...all.map(({ value, low }) => low ?? value));
  const floor = 10 ** Math.floor(log10(least) - 0.3);
  const scale: Scale = isLogarithmic
    ? logarithmic([floor, greatest], [0, COLUMN - 2])
    : linear([0, greatest || 1], [0, COLUMN - 2]);
  const head = limit === undefined ? 0 : 20;
  const bottom = head + all.length * ROW;
  const content = [
    ...(isLogarithmic ? decades(floor, greatest, scale, bottom, textOf) : []),
    ...all.flatMap((bar, i) => barAt(bar, head + i * ROW, scale, most)),
    ...(limit === undefined ? [] : limitLine(limit, scale(limit.value), head, all.length)),
  ];
  return { width: COLUMN, height: bottom + (isLogarithmic ? 24 : 0), content: content.join("") };
}

function barAt(bar: Bar, top: number, scale: Scale, most: number): string[] {
  const { name, value, text, isOurs, low, high, parts } = bar;
  const room = COLUMN - widthOf(text, SIZE) - 14;
  const y = top + 18;
  const fill = (from: number, to: number, shade = "") =>
    `<rect x="${n(from)}" y="${n(y)}" width="${n(Math.max(0.5, to - from))}" height="${BAR}"${attributes({
      class: `bar-${isOurs ? 0 : 6}${shade}`,
      rx: parts === undefined ? 1.5 : undefined,
    })}/>`;
  const look = isOurs ? "strong halo" : "halo";
  return [
    letters(0, top + 12, fitted(name, SIZE, room), { class: look, size: SIZE }),
    letters(COLUMN, top + 12, text, { class: isOurs ? look : "muted halo", anchor: "end", size: SIZE }),
    ...(parts === undefined ? [fill(0, Math.max(1.5, scale(value)))] : piled(parts, scale, fill)),
    value > most ? `<path class="break" d="M${COLUMN - 30},${y + BAR + 2}l6,${-BAR - 4}m4,0l-6,${BAR + 4}"/>` : "",
    low === undefined || high === undefined || scale(high) - scale(low) < 2
      ? ""
      : `<path class="whisker" d="M${n(Math.max(0, scale(low)))},${y + BAR / 2}H${n(scale(high))}"/>`,
  ];
}

function piled(
  parts: readonly number[],
  scale: Scale,
  fill: (from: number, to: number, shade: string) => string,
): string[] {
  let sum = 0;
  return parts.flatMap((part, i) => {
    const from = scale(sum);
    sum += part;
    return scale(sum) - from < 0.5 ? [] : [fill(from, scale(sum), ` part-${i}`)];
  });
}

function decades(
  floor: number,
  greatest: number,
  scale: Scale,
  bottom: number,
  textOf: (value: number) => string,
): string[] {
  const powers = Math.floor(log10(greatest) + 1e-9) - Math.round(log10(floor));
  const all = Array.from({ length: Math.max(0, powers + 1) }, (_, i) => floor * 10 ** i);
  const longest = Math.max(...all.map((value) => widthOf(textOf(value), 11))) + 8;
  const every = Math.max(1, Math.ceil((longest * (powers + 1)) / COLUMN));
  return all.flatMap((value, i) => {
    const words = textOf(value);
    const half = widthOf(words, 11) / 2;
    const x = Math.min(COLUMN - half, Math.max(half, scale(value)));
    return [
      `<path class="rule" d="M${n(scale(value))},0V${n(bottom + 4)}"/>`,
      i % every > 0 ? "" : letters(x, bottom + 18, words, { class: "muted", anchor: "middle" }),
    ];
  });
}

function limitLine({ text }: { readonly text: string }, x: number, head: number, count: number): string[] {
  const half = widthOf(text, 11) / 2;
  return [
    ...Array.from({ length: count }, (_, i) => `<path class="limit" d="M${n(x)},${n(head + i * ROW + 15)}v15"/>`),
    letters(Math.min(COLUMN - half, Math.max(half, x)), 11, text, { class: "muted", anchor: "middle" }),
  ];
}
