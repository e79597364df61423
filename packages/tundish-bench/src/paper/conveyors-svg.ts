/** Figures 5 to 7 of the paper on conveyors as one SVG: a row for each network, tensor conveyors beside simple ones. */
import { type PlotRow, plotsSvg } from "../curves/curves-svg.ts";
import { type ConveyorsPaper, NETWORKS, type PaperFigure } from "./conveyors.ts";

/** The drawing as a document. */
export function conveyorsSvg({ curves }: Pick<ConveyorsPaper, "curves">): string {
  const names = [...new Set(curves.map(({ itemBytes }) => itemBytes))];
  const rows = (Object.keys(NETWORKS).map(Number) as PaperFigure[]).map((figure): PlotRow => {
    const plot = (by: "tensor" | "simple") => ({
      title: `Figure ${figure}, ${NETWORKS[figure].title}: ${by}, GB/s of a node by nodes`,
      curves: names.map((bytes) => ({
        name: `${bytes} B`,
        points: curves
          .filter((one) => one.figure === figure && one.by === by && one.itemBytes === bytes)
          .map(({ nodes, predicted }) => [nodes, predicted] as const),
      })),
      placeText: String,
      valueText: String,
      least: 2,
    });
    return { names: names.map((bytes) => `${bytes} B`), plots: [plot("tensor"), plot("simple")] };
  });
  return plotsSvg("Conveyors: injection bandwidth of a node by the model", rows);
}
