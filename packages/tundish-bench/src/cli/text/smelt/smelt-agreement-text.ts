/** Part agreement of `bench smelt` as text. */

import { countText, durationText } from "../../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../../src/interface/cli/text/table.ts";
import { type AgreementFigure, agreementFigures } from "../../../smelt/smelt-agreement.ts";
import type { MeasuredRivals } from "../../../smelt/smelt-rivals.ts";
import { fasterText } from "../bench-mpi-text.ts";

/** A line for each kind and number of replicas: sequential sending by the tree, then both. */
export function agreementText({ measured }: MeasuredRivals): string {
  const figures = agreementFigures(measured);
  const along = figures.filter(({ dissemination }) => dissemination === "tree");
  return tableText(
    ["", "replicas", "per command", "tree", "sequential", "reply", "tree", "sequential"],
    along.map((tree) => {
      const other = figures.find(
        ({ kind, pes, dissemination }) =>
          kind === tree.kind && pes === tree.pes && dissemination !== tree.dissemination,
      );
      return [tree.kind, countText(tree.pes, "PE"), ...columns(tree, other, "each"), ...columns(tree, other, "reply")];
    }),
  );
}

function columns(tree: AgreementFigure, other: AgreementFigure | undefined, what: "each" | "reply"): string[] {
  const text = (ns: number) => durationText(Number(ns.toPrecision(3)));
  if (other === undefined) return ["-", text(tree[what]), "-"];
  return [fasterText(other[what] / tree[what]), text(tree[what]), text(other[what])];
}
