/** The measurements of papers, as text. */
import { amountText, bytesText, ratioText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { AppendRate } from "../../paper/append.ts";
import { NETWORKS, type Rate } from "../../paper/conveyors.ts";

/** Figures 5 to 7: a line for each curve, GB/s of a node by the number of nodes. */
export function curvesText(curves: readonly Rate[]): string {
  const numbers = [...new Set(curves.map(({ nodes }) => nodes))];
  const keyOf = ({ figure, by, itemBytes }: Rate) => [`${figure}`, NETWORKS[figure].title, by, `${itemBytes} B`];
  const keys = new Map(curves.map((one) => [keyOf(one).join(), keyOf(one)]));
  const rows = [...keys].map(([key, words]) => {
    const own = curves.filter((one) => keyOf(one).join() === key);
    return [...words, ...own.map(({ predicted, hops }) => `${predicted.toFixed(2)} by ${hops}`)];
  });
  return tableText(["figure", "network", "type", "items", ...numbers.map(String)], rows, [0, 1, 2, 3]);
}

/** The model beside the simulator. */
export const checkedText = (checked: readonly Rate[]): string =>
  tableText(
    ["figure", "type", "items", "hops", "predicted", "simulated", "predicted / simulated"],
    checked.map(({ figure, by, itemBytes, hops, predicted, simulated }) => [
      `${figure}`,
      by,
      `${itemBytes} B`,
      `${hops}`,
      `${amountText(predicted)} GB/s`,
      simulated === null ? "-" : `${amountText(simulated)} GB/s`,
      simulated === null ? "-" : ratioText(predicted / simulated),
    ]),
    [0, 1, 2],
  );

/** A line for each assumption. */
export const reasonsText = (assumed: Readonly<Record<string, string>>): string =>
  Object.entries(assumed)
    .map(([name, reason]) => `${name}: ${reason}`)
    .join("\n");

/** Figures 2 and 3 of the paper on append. */
export const appendText = (rates: readonly AppendRate[]): string =>
  tableText(
    ["bytes", "push", "fetch-and-add, put", "factor"],
    rates.map(({ bytes, push, baseline, factor }) => [
      bytesText(bytes),
      `${amountText(push)} GB/s`,
      `${amountText(baseline)} GB/s`,
      ratioText(factor),
    ]),
    [],
  );
