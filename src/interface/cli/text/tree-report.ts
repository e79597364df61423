/** Trees as text, drawings and a table: the output of `tundish tree` and `tundish start`. */
import { treeText } from "../../../../trees/draw/text.ts";
import type { Barrier, Contest, Tree, Trees } from "../../../../trees/model/tree.ts";
import { escaped } from "../../../ground/base/short-text.ts";
import { amountText, countText, percentText, ratioText } from "../../../ground/base/units.ts";
import type { MachineModel } from "../../../machine/model/machine-model.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { wrapText } from "../terminal/wrap.ts";
import { tableText } from "./table.ts";

/** Prints a complete report about trees. */
export function printTrees(trees: Trees, machine: MachineModel, output: CommandOutput): void {
  const { broadcast, reduce, barrier } = trees;
  const size = trees.cores.length;
  output.print(`${wrapText(`${escaped(machine.name)}: ${countText(size, "PE")}; ${escaped(machine.measured)}`, 0)}\n`);
  if (size === 1) {
    output.print("One PE: the tree is a single point, and nothing has to be sent.\n");
    return;
  }
  if (size === 2) output.print("Two PEs: every algorithm builds the same tree, a single edge.\n");
  output.section(`Broadcast: ${treeTitle(broadcast, trees)}`, treeText(broadcast, machine, "broadcast"));
  output.print(`${wrapText(boundText(broadcast, trees.bound.broadcast, machine), 0)}\n`);
  const sameTree =
    reduce.root === broadcast.root && JSON.stringify(reduce.children) === JSON.stringify(broadcast.children);
  output.section(
    `Reduce: ${treeTitle(reduce, trees)}`,
    sameTree && size > 2 ? "the broadcast tree, upwards" : treeText(reduce, machine, "reduce"),
  );
  output.print(`${wrapText(boundText(reduce, trees.bound.reduce, machine), 0)}\n`);
  output.section("Barrier", barrierText(barrier, trees));
  if (trees.contest !== undefined) {
    output.section("Measured on this machine, ns", contestTable(trees.contest, trees.unit));
    if (!trees.contest.steady) {
      output.print(
        "The measurements differ too much: later runs use this choice for ten minutes,\nthen they measure again.\n",
      );
    }
  }
  output.section(`All algorithms, ${trees.unit}`, comparisonTable(trees));
}

/** The measured candidates; the first of each operation was kept. Turns are won against the model's favourite. */
function contestTable(contest: Contest, unit: string): string {
  return tableText(
    ["operation", "contender", "measured", "spread", "won", `predicted, ${unit}`],
    (["broadcast", "reduce", "barrier"] as const).flatMap((operation) =>
      contest[operation].map(({ name, measured, spread, won, predicted }, i) => [
        i === 0 ? operation : "",
        i === 0 && contest[operation].length > 1 ? `${name} (kept)` : name,
        amountText(measured),
        percentText(spread),
        `${won} of ${contest.turns}`,
        amountText(predicted),
      ]),
    ),
    [0, 1],
  );
}

/** The table of all algorithms: for each operation the latency relative to the chosen one, then the latency. */
export function comparisonTable(trees: Trees): string {
  const chosen = {
    broadcast: trees.broadcast.latency,
    reduce: trees.reduce.latency,
    barrier: trees.barrier.latency,
  };
  const operations = ["broadcast", "reduce", "barrier"] as const;
  const row = (name: string, latency: typeof chosen): string[] => [
    name,
    ...operations.flatMap((operation) => [
      ratioText(latency[operation] / chosen[operation]),
      amountText(latency[operation]),
    ]),
  ];
  return tableText(
    ["algorithm", ...operations.flatMap((operation) => ["ratio", operation])],
    [
      row(`${trees.broadcast.algorithm} (chosen)`, chosen),
      ...trees.baselines.map((baseline) => row(baseline.algorithm, baseline)),
    ],
  );
}

function treeTitle(tree: Tree, { unit }: Trees): string {
  const from = tree.from === undefined ? "" : `, found by ${tree.from}`;
  return `${tree.algorithm}${from}, root PE ${tree.root}, ${amountText(tree.latency)} ${unit}`;
}

/** The certificate of a tree, and for which model it holds: whether what forwarding costs is in it. */
function boundText({ latency }: Tree, bound: number, { unit, relay }: MachineModel): string {
  const by = `by this model, ${relay === undefined ? "without" : "with"} relays`;
  if (bound === 0) return "No tree can be faster.";
  const above = latency / bound - 1;
  if (above < 1e-9) return `Optimal ${by}: no tree can be faster.`;
  return `Within ${percentText(above)} of optimal ${by}: no tree takes less than ${amountText(bound)} ${unit}.`;
}

function barrierText(barrier: Barrier, { unit, cores }: Trees): string {
  const latency = `${amountText(barrier.latency)} ${unit}`;
  if (barrier.kind === "dissemination") {
    const rounds = Math.ceil(Math.log2(cores.length));
    return `dissemination, ${latency}: ${countText(rounds, "round")} in which each PE signals another`;
  }
  if (barrier.kind === "hybrid") {
    const { leaders } = barrier;
    return `hybrid, ${latency}: a reduction in each of ${countText(leaders.length, "domain")}, dissemination among their roots (PE ${leaders.join(", ")}), a broadcast in each`;
  }
  return `tree, ${latency}: a reduction to PE ${barrier.root} (${amountText(barrier.reduce.latency)}), then a broadcast from it (${amountText(barrier.broadcast.latency)})`;
}
