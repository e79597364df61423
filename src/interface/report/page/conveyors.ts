/** Conveyors beside messages by `postMessage` and other programs that move items. */
import { amountText } from "../../../ground/base/units.ts";
import type { ConveyorTime, Figures, ReportDocument } from "../document.ts";
import { bars } from "./charts/bars.ts";
import { figure } from "./charts/figure.ts";
import { isOurs } from "./charts/series.ts";
import { howMeasured } from "./measured.ts";
import { columns, given, sectionOf } from "./section.ts";
import { pesText, shortDuration } from "./words.ts";

export function conveyorsSection({ conveyors }: ReportDocument): string {
  return sectionOf({
    id: "conveyors",
    title: "Conveyors",
    intro:
      "Many small items from every PE to every PE. A conveyor gathers them into buffers; postMessage sends each as a message, or arrays of them. Time for an item that a PE pushes, on a logarithmic scale: lower is better.",
    content: given(conveyors, conveyorFigures),
  });
}

function conveyorFigures(figures: Figures<ConveyorTime>): string {
  const groups = new Map<string, ConveyorTime[]>();
  for (const time of figures.times) if (time.ns > 0) groups.set(time.what, [...(groups.get(time.what) ?? []), time]);
  const drawn = [...groups].map(([what, times], i) => groupFigure(what, times, i));
  return (drawn.length === 0 ? "" : columns(drawn)) + howMeasured(figures);
}

function groupFigure(what: string, times: readonly ConveyorTime[], number: number): string {
  const sorted = [...times].sort((a, b) => a.ns - b.ns);
  const [first] = sorted as [ConveyorTime];
  return figure({
    id: `items-${number}`,
    title: what,
    caption: `Time for an item of ${first.bytes} B among ${pesText(first.pes)}; the fastest first.`,
    drawing: bars(
      sorted.map(({ name, ns, low, high }) => ({
        name,
        value: ns,
        text: shortDuration(ns),
        isOurs: isOurs(name),
        low,
        high,
      })),
      { isLogarithmic: true, textOf: shortDuration },
    ),
    table: {
      head: ["program", "an item, ns", "quartiles, ns", "items/s of a PE", "MB/s of a PE", "mode"],
      rows: sorted.map(({ name, ns, low, high, bytes, mode }) => [
        name,
        amountText(ns),
        `${amountText(low)} to ${amountText(high)}`,
        Math.round(1e9 / ns).toLocaleString("en"),
        amountText((1e3 * bytes) / ns),
        mode === null ? "changing" : shortDuration(mode),
      ]),
    },
  });
}
