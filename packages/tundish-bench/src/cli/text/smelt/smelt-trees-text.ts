/**
 * Trees on this machine and on others, as text: ratios first, then times, then whether the model puts them in the same
 * order.
 */
import { OPERATIONS, OURS, type SmeltOperation } from "../../../../../../microbench/trees/tree-cases.ts";
import { mean } from "../../../../../../src/ground/base/math.ts";
import { escaped } from "../../../../../../src/ground/base/short-text.ts";
import { amountText, ratioText } from "../../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../../src/interface/cli/text/table.ts";
import type { TreeFigure, TreeRanking, TreesTable } from "../../../smelt/tree-tables.ts";

/** Longest name of a machine; names can be whole sentences. */
const NAME = 40;

const correlationText = (value: number | null): string => (value === null ? "-" : value.toFixed(2));
const rankingOf = (table: TreesTable, operation: SmeltOperation): TreeRanking | undefined =>
  table.rankings.find((one) => one.operation === operation);
export const nameOf = ({ machine }: TreesTable): string => escaped(machine).slice(0, NAME);

/** Figure 8: a line for each algorithm. */
export function algorithmsText({ figures }: TreesTable): string {
  const of = (algorithm: string, operation: SmeltOperation): TreeFigure | undefined =>
    figures.find((one) => one.algorithm === algorithm && one.operation === operation);
  const row = (algorithm: string): string[] => [
    algorithm === OURS ? "ours" : algorithm,
    ...OPERATIONS.map((operation) => {
      const [own, base] = [of(algorithm, operation), of(OURS, operation)];
      return own === undefined || base === undefined ? "-" : ratioText(own.ns / base.ns);
    }),
    ...OPERATIONS.flatMap((operation) => {
      const own = of(algorithm, operation);
      if (own === undefined) return ["-", "-"];
      const kind = own.kind === "tree" ? "" : ` (${own.kind})`;
      return [amountText(own.ns) + kind, amountText(own.predicted)];
    }),
  ];
  return tableText(
    ["", ...OPERATIONS, ...OPERATIONS.flatMap((operation) => [`${operation}, ns`, "predicted"])],
    [...new Set(figures.map(({ algorithm }) => algorithm))].map(row),
  );
}

/** Both orders, and how far they agree. */
export const rankingsText = ({ rankings, figures }: TreesTable): string =>
  tableText(
    [
      "",
      "by ours",
      "by the contest's",
      "best static",
      "Smelt's by ours",
      "Spearman",
      "Kendall",
      "as predicted",
      "as measured",
    ],
    rankings.map((one) => [
      one.operation,
      ratioText(one.speedup),
      one.chosenSpeedup === null ? "-" : ratioText(one.chosenSpeedup),
      one.bestStatic,
      ratioText(one.overSmelt),
      correlationText(one.spearman),
      correlationText(one.kendall),
      orderText(figures, one.operation, one.predictedOrder, ({ predicted }) => predicted),
      orderText(figures, one.operation, one.measuredOrder, ({ ns }) => ns),
    ]),
    [0, 3, 7, 8],
  );

/** `ours < smelt = mst < cluster` */
function orderText(
  figures: readonly TreeFigure[],
  operation: SmeltOperation,
  names: readonly string[],
  sizeOf: (figure: TreeFigure) => number,
): string {
  const value = (name: string): number => {
    const one = figures.find((figure) => figure.operation === operation && figure.algorithm === name);
    return one === undefined ? Number.NaN : sizeOf(one);
  };
  return names.reduce((text, name, i) => {
    const word = name === OURS ? "ours" : name;
    const sign = i > 0 && value(name) === value(names[i - 1]) ? " = " : " < ";
    return i === 0 ? word : text + sign + word;
  }, "");
}

/** Figure 9: a line for each machine, and the means: of our trees, and of Smelt's. */
export function speedupsText(tables: readonly TreesTable[]): string {
  const rows = tables.map((table) => [
    nameOf(table),
    `${table.pes}`,
    `${table.domains}`,
    ...OPERATIONS.flatMap((operation) => {
      const one = rankingOf(table, operation);
      if (one === undefined) return ["-", "-", "-", "-"];
      const ofSmelt = one.speedup / one.overSmelt;
      return [ratioText(one.speedup), ratioText(ofSmelt), one.bestStatic, correlationText(one.spearman)];
    }),
  ]);
  const means = OPERATIONS.flatMap((operation) => {
    const own = tables.flatMap((table) => rankingOf(table, operation) ?? []);
    const ofSmelt = own.map(({ speedup, overSmelt }) => speedup / overSmelt);
    return [ratioText(mean(own.map(({ speedup }) => speedup))), ratioText(mean(ofSmelt)), "", ""];
  });
  return tableText(
    [
      "machine",
      "PEs",
      "domains",
      ...OPERATIONS.flatMap((operation) => [operation, "Smelt's", "best static", "Spearman"]),
    ],
    [...rows, ["mean", "", "", ...means]],
    [0, 5, 9, 13],
  );
}

/** The same until all PEs have completed. */
export function completedText(tables: readonly TreesTable[]): string {
  const cell = (value: number | null | undefined) => ratioText(value ?? Number.NaN);
  const speedup = (table: TreesTable, operation: SmeltOperation) => rankingOf(table, operation)?.completedSpeedup;
  return tableText(
    ["machine", "PEs", ...OPERATIONS],
    [
      ...tables.map((table) => [
        nameOf(table),
        `${table.pes}`,
        ...OPERATIONS.map((operation) => cell(speedup(table, operation))),
      ]),
      [
        "mean",
        "",
        ...OPERATIONS.map((operation) => cell(mean(tables.map((table) => speedup(table, operation) ?? Number.NaN)))),
      ],
    ],
  );
}

/** Figure 10: a line for each group. */
export const groupsText = (tables: readonly TreesTable[]): string =>
  tableText(
    [
      "PEs",
      "domains",
      "placement",
      ...OPERATIONS.flatMap((operation) => [operation, "best static", "by Smelt's", `ours, ns`]),
    ],
    tables.map((table) => [
      `${table.pes}`,
      `${table.domains}`,
      table.placement ?? "all",
      ...OPERATIONS.flatMap((operation) => {
        const one = rankingOf(table, operation);
        const ours = table.figures.find((own) => own.operation === operation && own.algorithm === OURS);
        if (one === undefined || ours === undefined) return ["-", "-", "-", "-"];
        return [ratioText(one.speedup), one.bestStatic, ratioText(one.overSmelt), amountText(ours.ns)];
      }),
    ]),
    [2, 4, 8, 12],
  );
