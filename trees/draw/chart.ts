/**
 * Messages over time as SVG: one row per PE with a table at the left and the chart at the right.
 *
 *     PE     domains    informed at, ns   0      5      10
 *     4      0 0                      0   ●━━┃━━┓
 *       1    0 1                      5      ┗━━●━━┓
 *         0  1 2                     10            ┗━━●
 *
 * The table has the PE, indented by its level in the tree, its domain at every level (number and colour), and
 * its time. In the chart a bar is the time in which a PE sends, cut where one message ends and the next begins;
 * a line is a message, dark when it goes to another domain of the first level, and thick while the receiver is
 * busy with it; the dot is the PE's time.
 *
 * Rows have a fixed height and the chart contains no text, so that 128 PEs are as readable as 8.
 */

import {
  ACROSS,
  DOMAIN,
  domainCell,
  escaped,
  gridLine,
  INSIDE,
  legend,
  PAGE_MARGIN,
  ROW,
  round,
  stripe,
  TOP,
  ticks,
  timeCell,
} from "./chart-parts.ts";
import { domainColour } from "./colours.ts";
import { type Send, timeText } from "./schedule.ts";

/** One row of the drawing: a PE. */
export interface Lane {
  readonly pe: number;
  /** Its indentation; roots have 0 and are printed bold, unless all PEs are roots. */
  readonly level: number;
  readonly domains: readonly number[];
  /** The time when it is done: the time in the table, and the dot. */
  readonly at: number;
  readonly sends: readonly Send[];
}

/** The texts around a chart. */
export interface ChartText {
  readonly title: string;
  readonly subtitle: string;
  /** Heads the column of times, with the unit. */
  readonly time: string;
  /** Meaning of the dot. */
  readonly dot: string;
}

const CHART = 760;
const INDENT = 14;
const MAX_INDENT = 240;
const TIME = 110;

/** Draws lanes from top to bottom as an SVG document. */
export function chart(lanes: readonly Lane[], text: ChartText): string {
  const levels = Math.max(...lanes.map(({ level }) => level));
  // a long chain is compressed to fit the page
  const indent = Math.min(INDENT, MAX_INDENT / Math.max(levels, 1));
  const columns = PAGE_MARGIN + Math.max(indent * levels + 48, 36);
  const times = columns + DOMAIN * Math.max(2, lanes[0]?.domains.length ?? 0) + TIME;
  const left = times + 24;
  const end = Math.max(...lanes.flatMap(({ at, sends }) => [at, ...sends.map(({ seen }) => seen)]));
  const width = round(left + CHART + PAGE_MARGIN + 12);
  const height = TOP + lanes.length * ROW + PAGE_MARGIN;

  const x = (time: number): number => round(left + (end > 0 ? (time / end) * CHART : 0));
  const place = new Map(lanes.map((lane, i) => [lane.pe, { y: TOP + i * ROW + ROW / 2, lane }]));
  const y = (pe: number): number => place.get(pe)?.y as number;
  const home = (pe: number): number | undefined => place.get(pe)?.lane.domains[0];

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    `<title>${escaped(`${text.title}: ${text.subtitle}`)}</title>`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...lanes.filter((_, i) => i % 2 === 0).map(({ pe }) => stripe(y(pe) - ROW / 2, width)),
    `<text x="${PAGE_MARGIN}" y="20" font-size="14" font-weight="bold">${escaped(text.title)}</text>`,
    `<text x="${PAGE_MARGIN}" y="37">${escaped(text.subtitle)}</text>`,
    legend(text.dot),
    `<g fill="#666"><text x="${PAGE_MARGIN}" y="${TOP - 8}">PE</text><text x="${columns}" y="${TOP - 8}">domains</text>${timeCell(times, TOP - 12, text.time)}</g>`,
    ...ticks(end).map((time) => gridLine(time, x(time), height)),
    `<g stroke-width="1" fill="none">`,
    ...lanes.map(({ pe, sends }) => sends.map((send) => message(send, pe)).join("")),
    "</g>",
    ...lanes.map((lane) => lane.sends.map((send) => bar(send, lane)).join("")),
    ...lanes.map((lane) => tableRow(lane)),
    "</svg>\n",
  ].join("\n");

  function message({ to, end: sent, taken, seen }: Send, from: number): string {
    const stroke = home(to) === home(from) ? INSIDE : ACROSS;
    const way = `<path d="M${x(sent)} ${y(from)}V${y(to)}H${x(taken)}" stroke="${stroke}"/>`;
    // as with bars, a gap between consecutive ones
    const until = Math.max(x(seen) - 1, x(taken));
    return `${way}<path d="M${x(taken)} ${y(to)}H${round(until)}" stroke="${stroke}" stroke-width="3"/>`;
  }

  function bar({ start, end: sent }: Send, { pe, domains }: Lane): string {
    // the gap shows where the next one begins
    const length = Math.max(x(sent) - x(start) - 1, 1);
    return `<rect x="${x(start)}" y="${y(pe) - 4}" width="${round(length)}" height="8" fill="${domainColour(domains[0] as number)}"/>`;
  }

  function tableRow({ pe, level, domains, at }: Lane): string {
    const weight = level === 0 && levels > 0 ? ' font-weight="bold"' : "";
    const label = `<text x="${round(PAGE_MARGIN + indent * level)}" y="${y(pe) + 4}"${weight}>${pe}</text>`;
    const cells = domains.map((domain, i) => domainCell(columns + i * DOMAIN, y(pe), domain));
    const dot = `<circle cx="${x(at)}" cy="${y(pe)}" r="4" fill="${domainColour(domains[0] as number)}" stroke="#333"/>`;
    return `${label}${cells.join("")}${timeCell(times, y(pe), timeText(at))}${dot}`;
  }
}
