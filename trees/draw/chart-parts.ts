/** The pieces of a chart (chart.ts) as SVG, and its measures. */
import { domainColour } from "./colours.ts";
import { printable } from "./printable.ts";
import { timeText } from "./schedule.ts";

export const PAGE_MARGIN = 16;
/** Height of a row, and of what stands above the first. */
export const ROW = 16;
export const TOP = 96;
/** Width of a column of domains. */
export const DOMAIN = 26;
/** Colours of messages. */
export const INSIDE = "#aaa";
export const ACROSS = "#444";

export function domainCell(x: number, y: number, domain: number): string {
  return (
    `<rect x="${round(x)}" y="${y - 7}" width="${DOMAIN - 4}" height="14" fill="${domainColour(domain)}"/>` +
    `<text x="${round(x + DOMAIN / 2 - 2)}" y="${y + 3}" font-size="9" text-anchor="middle">${domain}</text>`
  );
}

export function timeCell(right: number, y: number, text: string): string {
  return `<text x="${round(right)}" y="${y + 4}" text-anchor="end">${escaped(text)}</text>`;
}

export function legend(dot: string): string {
  const y = 56;
  const items: [width: number, sign: string, text: string][] = [
    [110, `<rect y="${y - 8}" width="20" height="8" fill="${domainColour(0)}"/>`, "busy sending"],
    [200, `<path d="M0 ${y - 4}H20" stroke="${INSIDE}"/>`, "message in the same domain"],
    [190, `<path d="M0 ${y - 4}H20" stroke="${ACROSS}"/>`, "message to another domain"],
    [125, `<path d="M0 ${y - 4}H20" stroke="${INSIDE}" stroke-width="3"/>`, "busy receiving"],
    [180, `<ellipse cx="10" cy="${y - 4}" rx="4" ry="4" fill="${domainColour(0)}" stroke="#333"/>`, dot],
    [0, domainCell(0, y - 4, 0), "domain, a column per level"],
  ];
  let x = PAGE_MARGIN;
  const signs = items.map(([width, sign, text]) => {
    const item = `<g transform="translate(${x})">${sign}<text x="26" y="${y}">${escaped(text)}</text></g>`;
    x += width;
    return item;
  });
  return signs.join("");
}

export function gridLine(time: number, x: number, height: number): string {
  return (
    `<line x1="${x}" y1="${TOP - 4}" x2="${x}" y2="${height - PAGE_MARGIN}" stroke="#ddd"/>` +
    `<text x="${x}" y="${TOP - 8}" text-anchor="middle" fill="#666">${timeText(time)}</text>`
  );
}

export function stripe(y: number, width: number): string {
  return `<rect y="${y}" width="${width}" height="${ROW}" fill="#f6f6f6"/>`;
}

/** About eight round times from 0 to `end`. */
export function ticks(end: number): number[] {
  // an eighth of the least numbers is 0
  if (end < Number.MIN_VALUE * 2 ** 60) return [0];
  const rough = end / 8;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function escaped(text: string): string {
  return printable(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
