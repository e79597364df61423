/** The plan of conveyors: what was chosen, what else was thought of, and why not. */
import { bytesText, countText } from "../../../ground/base/units.ts";
import type { PlanDocument, PlannedConveyor } from "../../../plan/document/document.ts";
import type { Prediction } from "../../../plan/model/predict.ts";
import { choiceText } from "../../../plan/text/explain.ts";
import type { ReportDocument } from "../document.ts";
import { bars } from "./charts/bars.ts";
import { figure } from "./charts/figure.ts";
import { columns, facts, given, heading, list, sectionOf } from "./section.ts";
import { pesText, shortDuration } from "./words.ts";

export function planSection({ plan }: ReportDocument): string {
  return sectionOf({
    id: "plan",
    title: "The plan",
    intro:
      "For a load that a program names, the choices of its conveyors are compared by the model, and the fastest is taken: how many hops, through which groups, with which buffers.",
    content: given(plan, planFigures),
  });
}

function planFigures({ world, conveyors, exchanges = {} }: PlanDocument): string {
  const where = `${pesText(world.pes)} on ${countText(world.nodes, "node")}`;
  return [
    ...Object.entries(conveyors).map(([name, plan], i) => conveyorPlan(name, plan, where, i)),
    ...Object.entries(exchanges).map(
      ([name, { reasons = [] }]) => heading(name === "*" ? "Exchanges" : `Exchange ${name}`) + list(reasons),
    ),
  ].join("");
}

function conveyorPlan(name: string, plan: PlannedConveyor, where: string, number: number): string {
  const { workload, expected, others = [], reasons = [], candidates, choice, forced = [] } = plan;
  const title = name === "*" ? "Every conveyor" : `Conveyor ${name}`;
  const decisions = facts([
    ["Load", `${workload.load.toLocaleString("en")} items of ${workload.itemBytes} B from each PE`],
    ["World", where],
    ...decisionsOf(expected ?? choice),
    ...(candidates === undefined ? [] : ([["Compared", countText(candidates, "candidate")]] as const)),
    ...(forced.length === 0 ? [] : ([["Forced", forced.join(", ")]] as const)),
  ]);
  const drawn =
    expected === undefined
      ? ""
      : columns([
          timesFigure(expected, others, number),
          memoryFigure(expected, others, number),
          hopsFigure(expected, number),
        ]);
  const why = reasons.length === 0 ? "" : `<details class="reasons"><summary>Why</summary>${list(reasons)}</details>`;
  return heading(title) + decisions + drawn + why;
}

type Decided = PlannedConveyor["choice"] | Prediction;

function decisionsOf(choice: Decided): (readonly [string, string])[] {
  const { type, hops, groupSize, mesh, bufferBytes, buffersPerLink } = choice;
  const way = mesh === undefined ? undefined : `a mesh of ${mesh.join(" x ")}`;
  const groups = hops === undefined || hops === 1 || groupSize === undefined ? "" : ` in groups of ${groupSize}`;
  const all: (readonly [string, string | undefined])[] = [
    ["Type", type],
    ["Way", way ?? (hops === undefined ? undefined : `${countText(hops, "hop")}${groups}`)],
    [
      "Buffers",
      bufferBytes === undefined ? undefined : `${buffersPerLink ?? 2} of ${bytesText(bufferBytes)} for each link`,
    ],
    ["Memory", "memory" in choice ? `${bytesText(choice.memory)} for each PE` : undefined],
  ];
  return all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function timesFigure(expected: Prediction, others: readonly Prediction[], number: number): string {
  const all = [expected, ...others];
  const part = (one: Prediction) => [one.work, one.network, Math.max(0, one.time - one.work - one.network)];
  return figure({
    id: `plan-times-${number}`,
    title: "The choice and its alternatives",
    caption:
      "Predicted time of a session. From left to right: a PE's work, the network, waiting. 2 hops by 8: in groups of 8.",
    drawing: bars(
      all.map((one, i) => ({
        name: briefly(one),
        value: one.time,
        text: shortDuration(one.time),
        isOurs: i === 0,
        parts: part(one),
      })),
    ),
    table: {
      head: ["choice", "time", "work", "network", "waiting", "memory of a PE"],
      rows: all.map((one) => [
        choiceText(one),
        shortDuration(one.time),
        shortDuration(one.work),
        shortDuration(one.network),
        shortDuration(one.waiting),
        bytesText(one.memory),
      ]),
    },
  });
}

/** The choice without what all of them have, so that what differs has room. */
const briefly = (one: Prediction): string =>
  choiceText(one).replace(" for each link", "").replace(" in groups of ", " by ").replace(" in a mesh of ", " by ");

function memoryFigure(expected: Prediction, others: readonly Prediction[], number: number): string {
  return figure({
    id: `plan-memory-${number}`,
    title: "What they take of the heap",
    caption: "Bytes for each PE: of equally fast choices the smaller one is taken.",
    drawing: bars(
      [expected, ...others].map((one, i) => ({
        name: briefly(one),
        value: one.memory,
        text: bytesText(one.memory),
        isOurs: i === 0,
      })),
    ),
    table: {
      head: ["choice", "memory of a PE"],
      rows: [expected, ...others].map((one) => [choiceText(one), bytesText(one.memory)]),
    },
  });
}

function hopsFigure({ hopsTaken }: Prediction, number: number): string {
  return figure({
    id: `plan-hops-${number}`,
    title: "What each hop sends",
    caption: "How full its buffers are when a PE sends them.",
    drawing: bars(
      hopsTaken.map(({ fill, buffers, links }, i) => ({
        name: `hop ${i + 1}: ${Math.round(buffers).toLocaleString("en")} buffers over ${countText(links, "link")}`,
        value: fill,
        text: `${Math.round(100 * fill)} % full`,
        isOurs: true,
      })),
      { limit: { value: 1, text: "full" } },
    ),
    table: {
      head: ["hop", "links", "buffers", "to other nodes", "full"],
      rows: hopsTaken.map(({ links, buffers, remote, fill }, i) => [
        i + 1,
        links,
        Math.round(buffers),
        Math.round(remote),
        `${Math.round(100 * fill)} %`,
      ]),
    },
  });
}
