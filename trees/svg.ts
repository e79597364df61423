/**
 * A tree drawn as SVG: an outline of the tree at the left, the course of the messages over time at
 * the right, one row per PE. Levels are the indentation, the order of sends is the order of rows from
 * top to bottom, times are to scale, and the colour of a row is its domain:
 *
 *     13          ●━━┓━━━━┓            bar: sending; line: the message; dot: has the message
 *       4            ┗━━●━━┓           (in a reduction: has the values of its subtree)
 *         9               ┗━━━●
 *       19             ┗━●
 *
 * Rows have a fixed height, so that 128 PEs are as readable as 8.
 */
import type { MachineModel } from "../src/machine/types.ts";
import { domainColour } from "./colours.ts";
import { type Row, schedule, timeText, timeTitle } from "./schedule.ts";
import type { Operation, Tree } from "./types.ts";

const ROW = 16;
const TOP = 64;
const CHART = 760;
const INDENT = 14;
const MAX_INDENT = 240;
const PAGE_MARGIN = 16;

/**
 * Draws a tree as an SVG document.
 *
 * @throws UsageError when `tree` is no tree over PEs of the model
 */
export function treeSvg(tree: Tree, machine: MachineModel, operation: Operation = "broadcast"): string {
  const rows = schedule(tree, machine, operation);
  const levels = Math.max(...rows.map((row) => row.level));
  // a long chain is squeezed instead of running off the page
  const indent = Math.min(INDENT, MAX_INDENT / Math.max(levels, 1));
  const left = PAGE_MARGIN + indent * levels + 48;
  const end = Math.max(...rows.map((row) => Math.max(row.at, row.sends.at(-1)?.end ?? 0)));
  const width = left + CHART + 72;
  const height = TOP + rows.length * ROW + PAGE_MARGIN;

  const x = (time: number): number => round(left + (end > 0 ? (time / end) * CHART : 0));
  const yOf = new Map(rows.map(({ pe }, i) => [pe, TOP + i * ROW + ROW / 2]));
  const y = (pe: number): number => yOf.get(pe) as number;
  const title = `${operation} on ${machine.name}`;
  const subtitle = `${tree.algorithm}, ${rows.length} PEs, ${levels} levels, ${timeText(tree.latency)} ${machine.unit}`;

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${height}" width="${round(width)}" height="${height}" font-family="sans-serif" font-size="11">`,
    `<title>${escaped(`${title}: ${subtitle}`)}</title>`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...rows.filter((_, i) => i % 2 === 0).map(({ pe }) => stripe(y(pe) - ROW / 2, width)),
    `<text x="${PAGE_MARGIN}" y="20" font-size="14" font-weight="bold">${escaped(title)}</text>`,
    `<text x="${PAGE_MARGIN}" y="37">${escaped(`${subtitle}; PE, then ${timeTitle(machine, operation)}`)}</text>`,
    ...ticks(end).map((time) => gridLine(time, x(time), height)),
    ...rows.map((row) => sends(row, x, y)),
    ...rows.map((row) => peMark(row, x(row.at), y(row.pe), PAGE_MARGIN + indent * row.level)),
    "</svg>\n",
  ].join("\n");
}

function gridLine(time: number, x: number, height: number): string {
  return (
    `<line x1="${x}" y1="${TOP - 4}" x2="${x}" y2="${height - PAGE_MARGIN}" stroke="#ddd"/>` +
    `<text x="${x}" y="${TOP - 8}" text-anchor="middle" fill="#666">${timeText(time)}</text>`
  );
}

function stripe(y: number, width: number): string {
  return `<rect y="${y}" width="${round(width)}" height="${ROW}" fill="#f6f6f6"/>`;
}

function sends(row: Row, x: (time: number) => number, y: (pe: number) => number): string {
  const own = y(row.pe);
  return row.sends
    .map(({ to, start, end, seen }) => {
      const bar = `<line x1="${x(start)}" y1="${own}" x2="${x(end)}" y2="${own}" stroke="${domainColour(row.domains[0] as number)}" stroke-width="7"/>`;
      return `${bar}<path d="M${x(end)} ${own}V${y(to)}H${x(seen)}" stroke="#999" fill="none"/>`;
    })
    .join("");
}

function peMark(row: Row, x: number, y: number, label: number): string {
  const text = `dy="4" y="${y}"`;
  return (
    `<text x="${round(label)}" ${text} font-weight="${row.level === 0 ? "bold" : "normal"}">${row.pe}</text>` +
    `<circle cx="${x}" cy="${y}" r="4" fill="${domainColour(row.domains[0] as number)}" stroke="#333"/>` +
    `<text x="${round(x + 7)}" ${text} fill="#333">${timeText(row.at)}</text>`
  );
}

/** About eight round times from 0 to `end`. */
function ticks(end: number): number[] {
  if (end === 0) return [0];
  const rough = end / 8;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
