/** The costs of messages between all pairs of PEs, as heat maps. */
import { ratioText } from "../../../ground/base/units.ts";
import type { MachineModel, Matrix } from "../../../machine/model/machine-model.ts";
import { figure } from "./charts/figure.ts";
import { heatMap, pictureData } from "./charts/heat-map.ts";
import type { HtmlTable } from "./charts/html.ts";
import { type Level, levelsOf, orderOf } from "./domains.ts";
import { columns, list } from "./section.ts";
import { medianOf, pairsOf, roundTrips, shortNumber, timeIn } from "./words.ts";

/** With more PEs the table has domains in place of pairs. */
const MOST_IN_TABLE = 24;

export function distanceFigures(machine: MachineModel): string {
  const levels = levelsOf(machine);
  const order = orderOf(machine, levels);
  const timeOf = timeIn(machine.unit);
  const borders = bordersOf(order, levels);
  const trips = roundTrips(machine);
  const names = order.map((pe) => `${pe}`);
  const maps: readonly (readonly [id: string, title: string, caption: string, matrix: Matrix])[] = [
    ["send", "Send", "How long a send keeps the sender busy.", machine.send],
    ["receive", "Receive", "How long a receive keeps the receiver busy.", machine.receive],
    ["round-trip", "Round trip", "A message there and back, with the way between.", trips],
  ];
  const isOne = ([, , , own]: (typeof maps)[number]) => machine.pes.length < 3 || isOneNumber(pairsOf(own));
  const sentences = maps.filter(isOne).map(([, , caption, own]) => {
    const range = rangeText(pairsOf(own), timeOf);
    return `${caption.slice(0, -1)}: ${range.charAt(0).toLowerCase()}${range.slice(1)}`;
  });
  const figures = maps
    .filter((map) => !isOne(map))
    .map(([id, title, caption, own]) => {
      const matrix = order.map((i) => order.map((j) => (own[i] as readonly number[])[j] as number));
      const pairs = pairsOf(matrix);
      return figure({
        id,
        title: `${title}, ${machine.unit}`,
        caption,
        description: `${caption} ${rangeText(pairs, timeOf)}`,
        drawing: heatMap({
          matrix,
          names,
          borders,
          textOf: timeOf,
          order: orderText(order, levels),
        }),
        class: "heat",
        data: {
          "data-names": names.join(" "),
          "data-unit": machine.unit,
          ...pictureData(matrix),
        },
        more: `<p class="readout">${rangeText(pairs, timeOf)}</p>`,
        table: order.length <= MOST_IN_TABLE ? tableOfPairs(matrix, names) : byDistance(own, levels, timeOf),
      });
    });
  return list(sentences) + (figures.length === 0 ? "" : columns(figures));
}

/** Where PEs are not in the order of their numbers: in which one, with the first of them. */
function orderText(order: readonly number[], levels: readonly Level[]): string | undefined {
  const innermost = levels.at(-1);
  if (innermost === undefined || order.every((pe, i) => pe === i)) return undefined;
  return `rows to columns, by ${innermost.name}: ${order.slice(0, 4).join(", ")} …`;
}

/** A constant, which a heat map would show in one colour. */
const isOneNumber = (pairs: readonly number[]): boolean =>
  pairs.reduce((a, b) => Math.max(a, b), 0) <= ALIKE * pairs.reduce((a, b) => Math.min(a, b), Infinity);
const ALIKE = 1.02;

function rangeText(pairs: readonly number[], timeOf: (time: number) => string): string {
  const [least, greatest] = [
    pairs.reduce((a, b) => Math.min(a, b), Infinity),
    pairs.reduce((a, b) => Math.max(a, b), 0),
  ];
  if (pairs.length === 0) return "One PE has nobody to send to.";
  if (greatest <= least * ALIKE) return `${timeOf(least)} between all of them.`;
  const ratio = least > 0 ? `, ${ratioText(greatest / least)}` : "";
  return `From ${timeOf(least)} to ${timeOf(greatest)}${ratio}; median ${timeOf(medianOf(pairs))}.`;
}

function bordersOf(order: readonly number[], levels: readonly Level[]): number[] {
  const shown = levels.filter(({ name }) => name !== "core");
  const borders: number[] = [];
  for (let i = 1; i < order.length; i++) {
    const [a, b] = [order[i - 1] as number, order[i] as number];
    if (shown.some(({ of }) => of[a] !== of[b])) borders.push(i);
  }
  return borders.length <= 32 ? borders : [];
}

function tableOfPairs(matrix: Matrix, names: readonly string[]): HtmlTable {
  return {
    head: ["from \\ to", ...names],
    rows: matrix.map((row, i) => [names[i] as string, ...row.map((value, j) => (i === j ? "–" : shortNumber(value)))]),
  };
}

/** Pairs by the innermost domain that they share. */
function byDistance(matrix: Matrix, levels: readonly Level[], timeOf: (time: number) => string): HtmlTable {
  const groups = new Map<string, number[]>();
  for (const [i, row] of matrix.entries())
    for (const [j, value] of row.entries()) {
      if (i === j) continue;
      const shared = levels.findLast(({ of }) => of[i] === of[j]);
      const name = shared === undefined ? "all others" : `in the same ${shared.name}`;
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [value]);
      else group.push(value);
    }
  const rows = [...groups]
    .map(([name, values]) => ({ name, values, median: medianOf(values) }))
    .sort((a, b) => a.median - b.median);
  return {
    head: ["pairs", "number", "least", "median", "greatest"],
    rows: rows.map(({ name, values, median }) => [
      name,
      values.length,
      timeOf(values.reduce((a, b) => Math.min(a, b))),
      timeOf(median),
      timeOf(values.reduce((a, b) => Math.max(a, b))),
    ]),
  };
}
