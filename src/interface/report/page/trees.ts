/** The trees: drawn over time and on the map of the machine, and their latency beside other algorithms' and a bound. */

import { barrierSchedule } from "../../../../trees/draw/barrier-schedule.ts";
import { toGraph } from "../../../../trees/draw/graph.ts";
import type { Barrier, Operation, Tree, Trees } from "../../../../trees/model/tree.ts";
import { countText, percentText } from "../../../ground/base/units.ts";
import type { MachineModel } from "../../../machine/model/machine-model.ts";
import type { ReportDocument } from "../document.ts";
import { type Bar, bars } from "./charts/bars.ts";
import { figure } from "./charts/figure.ts";
import { textOf } from "./charts/html.ts";
import { type MapMessage, mapPicture } from "./charts/map-picture.ts";
import { MOST_ORDERED, type PELooks, treePicture } from "./charts/tree-picture.ts";
import { colouredLevel, type Level, levelsOf } from "./domains.ts";
import { columns, given, heading, note, sectionOf } from "./section.ts";
import { pesText, timeIn } from "./words.ts";

const MOST_COLOURS = 10;
/** Bars of algorithms that take longer than so many times the kept one are broken. */
const MOST_TIMES = 5;

export function treesSection({ machine, trees }: ReportDocument): string {
  return sectionOf({
    id: "trees",
    title: "Its trees",
    intro:
      "Short collectives are messages along trees, derived from the costs above: near PEs are told by near ones, far ones early. Distance from the root is time: when a PE has the message, and in a reduction how long before the end its values are complete.",
    content: given(trees, (there) => treeFigures(there, machine)),
  });
}

function treeFigures(trees: Trees, machine: MachineModel): string {
  if (trees.cores.length < 2) return note("One PE has nobody to tell: there are no messages.");
  const levels = levelsOf(machine);
  const coloured = colouredLevel(levels, MOST_COLOURS);
  const looks: PELooks = {
    nameOf: (pe) => `PE ${pe}`,
    colourOf: (pe) => (coloured === undefined ? 0 : numberOf(coloured, pe)),
    timeOf: timeIn(machine.unit),
  };
  return [
    coloured === undefined ? "" : domainLegend(coloured),
    columns(
      [
        treeFigure("broadcast", trees, machine, looks),
        treeFigure("reduce", trees, machine, looks),
        barrierFigure(trees, machine, levels, looks),
        ...(levels.length === 0 ? [] : [broadcastMap(trees, machine, levels, looks)]),
      ],
      levels.length === 0 ? "columns" : "halves",
    ),
    heading("Latency beside other algorithms, by the model"),
    trees.cores.length < 3
      ? note("Between two PEs all trees are the same line, so there is nothing to compare.", "small")
      : columns((["broadcast", "reduce", "barrier"] as const).map((operation) => latencies(operation, trees, machine))),
  ].join("");
}

/** Domains are numbered from 0 in the order of their first PE. */
function numberOf({ of }: Level, pe: number): number {
  return [...new Set(of)].indexOf(of[pe] as number);
}

function domainLegend({ name, of }: Level): string {
  const items = [...new Set(of)].map(
    (domain, i) =>
      `<li><svg aria-hidden="true" width="14" height="14" viewBox="0 0 14 14"><circle class="pe domain-${i}" cx="7" cy="7" r="6"/></svg>${textOf(`${name} ${domain}`)}</li>`,
  );
  return `<ul class="legend">${items.join("")}</ul>`;
}

const TITLES = { broadcast: "Broadcast", reduce: "Reduction", barrier: "Barrier" } as const;

function treeFigure(operation: Operation, trees: Trees, machine: MachineModel, looks: PELooks): string {
  const tree: Tree = trees[operation];
  const graph = toGraph(tree, machine, operation);
  const rows = graph
    .mapNodes((_, { pe, level, parent, at, sends }) => ({ pe, level, parent, at, sends }))
    .sort((a, b) => a.at - b.at);
  const isAcross = graph.someDirectedEdge((_, __, ___, ____, a, b) => a.domain !== b.domain);
  const depth = Math.max(...rows.map(({ level }) => level));
  const by = tree.from === "exact" ? "exhaustive search" : tree.from;
  const found = by === undefined || by === tree.algorithm ? "" : `, found by ${by}`;
  const direction = operation === "broadcast" ? "from" : "to";
  return figure({
    id: `tree-${operation}`,
    title: `${TITLES[operation]}: ${looks.timeOf(tree.latency)}`,
    caption: `${tree.algorithm}${found}; ${direction} PE ${tree.root}, ${countText(depth, "level")} deep.${graph.order > MOST_ORDERED ? "" : " Numbers: the order of sends."}${isAcross ? " Red: to another domain." : ""}`,
    drawing: treePicture(graph, looks),
    grow: 1.5,
    table: {
      head: ["PE", "parent", "level", "messages sent", operation === "broadcast" ? "has it at" : "complete at"],
      rows: rows.map(({ pe, parent, level, sends, at }) => [pe, parent ?? "root", level, sends, looks.timeOf(at)]),
    },
  });
}

const KINDS: Readonly<Record<Barrier["kind"], string>> = {
  tree: "A reduction, then a broadcast from the same root.",
  dissemination: "Dissemination: in each round every PE tells another one, twice as far along the circle.",
  hybrid: "Each domain reduces to its leader, the leaders disseminate, and each domain is told.",
};

function barrierFigure(trees: Trees, machine: MachineModel, levels: readonly Level[], looks: PELooks): string {
  const { barrier } = trees;
  const lanes = barrierSchedule(barrier, machine);
  const messages = lanes.flatMap(({ pe, sends }): MapMessage[] =>
    sends.map(({ to }, i) => ({ from: pe, to, order: i + 1 })),
  );
  const pes = barrier.kind === "dissemination" ? barrier.order : lanes.map(({ pe }) => pe);
  const isOnMap = barrier.kind !== "dissemination" && levels.length > 0;
  return figure({
    id: "tree-barrier",
    title: `${TITLES.barrier}: ${looks.timeOf(barrier.latency)}`,
    caption: `${KINDS[barrier.kind]} ${messages.length} messages.`,
    drawing: mapPicture(
      {
        pes,
        messages,
        ...(barrier.kind === "tree" ? { root: barrier.root } : {}),
        ...(isOnMap ? { domainsOf: domainsIn(levels) } : {}),
      },
      looks,
    ),
    grow: 1.5,
    table: {
      head: ["PE", "sends to, in order", "leaves at"],
      rows: lanes.map(({ pe, sends, at }) => [
        `PE ${pe}`,
        sends.map(({ to }) => to).join(", ") || "nobody",
        looks.timeOf(at),
      ]),
    },
  });
}

/** Cores are too small to be seen, unless there is nothing else. */
function shownOf(levels: readonly Level[]): readonly Level[] {
  const larger = levels.filter(({ name }) => name !== "core");
  return larger.length > 0 ? larger : levels;
}

const domainsIn =
  (levels: readonly Level[]) =>
  (pe: number): number[] =>
    shownOf(levels).map(({ of }) => of[pe] as number);

function broadcastMap(trees: Trees, machine: MachineModel, levels: readonly Level[], looks: PELooks): string {
  const graph = toGraph(trees.broadcast, machine, "broadcast");
  const messages = graph.mapDirectedEdges(
    (_, { order }, from, to): MapMessage => ({ from: Number(from), to: Number(to), order }),
  );
  const shown = shownOf(levels);
  const names = shown.map(({ name }) => name);
  const across = messages.filter(({ from, to }) => shown.some(({ of }) => of[from] !== of[to]));
  return figure({
    id: "tree-map",
    title: "The broadcast on the map",
    caption: `PEs of a ${names.join(", then of a ")} lie together; ${across.length} of ${messages.length} messages leave it.`,
    drawing: mapPicture(
      { pes: trees.cores, messages, root: trees.broadcast.root, domainsOf: domainsIn(levels) },
      looks,
    ),
    grow: 1.5,
    table: {
      head: ["from PE", "to PE", "order", "leaves"],
      rows: messages.map(({ from, to, order }) => [
        from,
        to,
        order,
        shown.find(({ of }) => of[from] !== of[to])?.name ?? "nothing",
      ]),
    },
  });
}

function latencies(operation: Operation | "barrier", trees: Trees, { relay }: MachineModel): string {
  const own = trees[operation];
  const timeOf = timeIn(trees.unit);
  const bound = operation === "barrier" ? undefined : trees.bound[operation];
  const by = `by a model ${relay === undefined ? "without" : "with"} relays`;
  const name = "kind" in own ? `kept: ${own.kind}` : `kept: ${own.algorithm}`;
  const all = [
    { name, value: own.latency, isOurs: true },
    ...trees.baselines
      .map((one) => ({ name: one.algorithm as string, value: one[operation], isOurs: false }))
      .sort((a, b) => a.value - b.value),
  ];
  const above = bound === undefined || bound <= 0 ? undefined : own.latency / bound - 1;
  return figure({
    id: `latency-${operation}`,
    title: `${TITLES[operation]} among ${pesText(trees.cores.length)}`,
    caption: `${captionOf(above, bound, timeOf, by)}${all.some((one) => one.value > MOST_TIMES * own.latency) ? " Broken bars are longer than drawn." : ""}`,
    drawing: bars(
      all.map((one): Bar => ({ ...one, text: timeOf(one.value) })),
      {
        most: MOST_TIMES * own.latency || Infinity,
        ...(bound === undefined || bound <= 0 ? {} : { limit: { value: bound, text: `lower bound ${timeOf(bound)}` } }),
      },
    ),
    table: {
      head: ["algorithm", `latency, ${trees.unit}`, "of the kept one"],
      rows: all.map((one) => [one.name, one.value.toFixed(1), `${(one.value / (own.latency || 1)).toFixed(2)} x`]),
    },
  });
}

function captionOf(
  above: number | undefined,
  bound: number | undefined,
  timeOf: (time: number) => string,
  by: string,
): string {
  if (bound === undefined) return "No bound is known for barriers.";
  if (above === undefined) return "The costs of the model are 0, and so is the bound.";
  if (above < 0.0005) return `The kept tree reaches the bound: none can be faster, ${by}.`;
  return `The kept tree is ${percentText(above)} above ${timeOf(bound)}, below which none can be, ${by}.`;
}
