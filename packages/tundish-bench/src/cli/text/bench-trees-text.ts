/** The result of `bench trees` as tables. */

import { escaped } from "../../../../../src/ground/base/short-text.ts";
import { baselines } from "../../../../../src/ground/base/tree-algorithms.ts";
import { amountText, countText, percentText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { ModelResult } from "../../trees/bench-trees.ts";
import {
  type Excess,
  type GroupsSummary,
  LEAST,
  type Others,
  type Spread,
  type TreesSummary,
  type TreesTotals,
} from "../../trees/bench-trees-summary.ts";

/** The operations compared. */
export type ComparedOperation = "broadcast" | "reduce" | "barrier";

/** The content of the report. */
export interface TreesReport {
  readonly models: readonly ModelResult[];
  readonly totals: TreesTotals;
  /** If given, the report shows all algorithms in this operation instead of the best in each. */
  readonly operation: ComparedOperation | undefined;
}

/** Longest name of a model; names can be whole sentences. */
const NAME = 40;

/** Prints a row per model, then the means, then groups and long runs, if any. */
export function printTreesBench({ models, totals, operation }: TreesReport, output: CommandOutput): void {
  const { summary, groups, runs, above, comparisons } = totals;
  if (operation === undefined) {
    output.section("Latency of our trees, and other algorithms' latencies relative to it", overview(models));
  } else {
    output.section(
      `Latency of our ${operation}, and other algorithms' latencies relative to it`,
      allAlgorithms(models, operation),
    );
  }
  if (summary === null) output.print(`No model has ${LEAST} PEs or more: no means.\n`);
  else {
    const title = `Other algorithms' latencies relative to ours, over ${countText(summary.models, "model")} with ${LEAST} PEs or more`;
    output.section(title, meansTable(summary));
    output.print(`${boundsText(summary)}\n`);
  }
  if (groups !== null) {
    const title = `Above the optimum, over ${countText(groups.groups, "random group")} of 8 to 13 PEs`;
    output.section(title, groupsTable(groups));
  }
  if (models.some((model) => model.runs !== null)) {
    output.section("Above the best known tree after long searches", runsTable(models, runs));
  }
  if (models.some(({ nodes }) => nodes !== null)) {
    output.section("Over many nodes, each like the model", nodesTable(models));
  }
  output.print(
    `Ours above a published algorithm: ${above} of ${comparisons} comparisons. All trees in ${secondsText(totals.ms)}.`,
  );
}

function overview(models: readonly ModelResult[]): string {
  return tableText(
    [
      "model",
      "PEs",
      "broadcast",
      "unit",
      "smelt",
      "best static",
      "which",
      "above bound",
      "reduce: smelt",
      "barrier: smelt",
      "kind",
      "ms",
    ],
    models.map(({ name, pes, unit, broadcast, reduce, barrier, ms }) => [
      nameText(name),
      String(pes),
      amountText(broadcast.latency),
      unit,
      ratioText(broadcast.ratios.smelt),
      ratioText(broadcast.bestStatic.ratio),
      broadcast.bestStatic.algorithm,
      percentText(broadcast.aboveBound),
      ratioText(reduce.ratios.smelt),
      ratioText(barrier.ratios.smelt),
      barrier.kind,
      ms.toFixed(ms < 10 ? 1 : 0),
    ]),
    [0, 3, 6, 10],
  );
}

function allAlgorithms(models: readonly ModelResult[], operation: ComparedOperation): string {
  const last = operation === "barrier" ? "kind" : "above bound";
  return tableText(
    ["model", "PEs", operation, "unit", ...baselines, last],
    models.map((model) => {
      const { latency, ratios } = model[operation];
      return [
        nameText(model.name),
        String(model.pes),
        amountText(latency),
        model.unit,
        ...baselines.map((name) => ratioText(ratios[name])),
        operation === "barrier" ? model.barrier.kind : percentText(model[operation].aboveBound),
      ];
    }),
    operation === "barrier" ? [0, 3, 4 + baselines.length] : [0, 3],
  );
}

function meansTable({ broadcast, reduce, barrier }: TreesSummary): string {
  const names = ["smelt", "bestStatic", ...baselines.filter((name) => name !== "smelt")] as const;
  const spread = (of: Others, name: keyof Others): string[] => [ratioText(of[name].mean), ratioText(of[name].max)];
  return tableText(
    ["algorithm", ...["broadcast", "reduce", "barrier"].flatMap((operation) => [operation, "at most"])],
    names.map((name) => [
      name === "bestStatic" ? "best static" : name,
      ...[broadcast, reduce, barrier].flatMap((of) => spread(of, name)),
    ]),
  );
}

function boundsText({ aboveBound, ms }: TreesSummary): string {
  const above = ({ mean, max }: Spread): string => `${percentText(mean)} (at most ${percentText(max)})`;
  return (
    `Above the lower bound: broadcast ${above(aboveBound.broadcast)}, reduce ${above(aboveBound.reduce)}.\n` +
    `Time to derive: ${amountText(ms.mean)} ms (at most ${amountText(ms.max)} ms).`
  );
}

function groupsTable({ search, adaptive }: GroupsSummary): string {
  const row = (who: string, operation: string, excess: Excess): string[] => [
    who,
    operation,
    excessText(excess.mean),
    excessText(excess.max),
    percentText(excess.optimal),
    // without an excess there is no worst case
    excess.optimal === 1 ? "" : nameText(excess.worst.name),
  ];
  return tableText(
    ["", "operation", "mean", "at most", "optimal", "worst on"],
    [
      row("search alone", "broadcast", search.broadcast),
      row("search alone", "reduce", search.reduce),
      row("adaptive", "broadcast", adaptive.broadcast),
      row("adaptive", "reduce", adaptive.reduce),
    ],
    [0, 1, 5],
  );
}

function runsTable(models: readonly ModelResult[], runs: TreesTotals["runs"]): string {
  const row = (name: string, pes: string, made: string, broadcast: number, reduce: number): string[] => [
    name,
    pes,
    made,
    excessText(broadcast),
    excessText(reduce),
  ];
  return tableText(
    ["model", "PEs", "runs", "broadcast", "reduce"],
    [
      ...models.flatMap(({ name, pes, runs: own }) =>
        own === null ? [] : [row(nameText(name), String(pes), String(own.made), own.ratio.broadcast, own.ratio.reduce)],
      ),
      ...(runs === null
        ? []
        : [
            row(
              `mean over ${countText(runs.models, "model")} with ${LEAST} PEs or more`,
              "",
              "",
              runs.broadcast.mean,
              runs.reduce.mean,
            ),
            row("at most", "", "", runs.broadcast.max, runs.reduce.max),
          ]),
    ],
  );
}

function nodesTable(models: readonly ModelResult[]): string {
  return tableText(
    ["model", "PEs", "nodes", "ranks", "broadcast", "unit", "above bound", "reduce", "above bound", "ms"],
    models.flatMap(({ name, pes, unit, nodes: found }) => {
      if (found === null) return [];
      const { nodes, ranks, broadcast, reduce, ms } = found;
      return [
        [
          nameText(name),
          String(pes),
          String(nodes),
          String(ranks),
          amountText(broadcast.latency),
          unit,
          percentText(broadcast.aboveBound),
          amountText(reduce.latency),
          percentText(reduce.aboveBound),
          ms.toFixed(0),
        ],
      ];
    }),
    [0, 5],
  );
}

function nameText(name: string): string {
  return escaped(name.length <= NAME ? name : `${name.slice(0, NAME - 1).trimEnd()}…`);
}

/** The amount by which a ratio exceeds 1, which is small. */
function excessText(ratio: number): string {
  return Number.isFinite(ratio) ? `${(100 * (ratio - 1)).toFixed(2)} %` : "-";
}

function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
