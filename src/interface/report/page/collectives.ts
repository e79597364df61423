/** Collectives by size and by number of PEs, beside the same calls of others. */
import { bytesText } from "../../../ground/base/units.ts";
import type { CollectiveTime, Figures, ReportDocument } from "../document.ts";
import { bars } from "./charts/bars.ts";
import { type Axis, type Curve, curves } from "./charts/curves.ts";
import { figure } from "./charts/figure.ts";
import { type HtmlTable, scrolling, tableOf } from "./charts/html.ts";
import { idOf, isOurs, legendOf, slotsOf } from "./charts/series.ts";
import { howMeasured, modeText } from "./measured.ts";
import { columns, given, sectionOf } from "./section.ts";
import { pesText, shortDuration } from "./words.ts";

export function collectivesSection({ collectives, machine }: ReportDocument): string {
  return sectionOf({
    id: "collectives",
    title: "Collectives",
    intro:
      "Time of one call, by the bytes of each PE's array and by the number of PEs. Lower is better; both axes are logarithmic, marks are medians, lines through them reach from quartile to quartile.",
    content: given(collectives, (figures) => collectiveFigures(figures, machine.pes.length)),
  });
}

type Slots = ReadonlyMap<string, number>;
type Key = "bytes" | "pes";

/** @param usual number of PEs that have a CPU each */
function collectiveFigures(figures: Figures<CollectiveTime>, usual: number): string {
  const times = figures.times.filter(({ ns }) => ns > 0 && Number.isFinite(ns));
  const slots = slotsOf(times.map(({ name }) => name));
  const calls = [...new Set(times.map(({ call }) => call))].map((call) => times.filter((time) => time.call === call));
  const cpus = figures.cpus.length;
  const drawn = [
    ...calls.flatMap((own) => bySize(own, usual, slots)),
    ...calls.flatMap((own) => byPEs(own, cpus, slots)),
    ...calls.flatMap(atOne),
  ];
  const whole = scrolling("All times of collectives", tableOf(allTimes(times), "All times of collectives"));
  return [
    times.length === 0 ? "" : legendOf(slots),
    columns(drawn),
    `<details><summary>All ${times.length} times, of all sizes and numbers of PEs</summary>${whole}</details>`,
    howMeasured(figures),
  ].join("");
}

/** Of the groups in which `key` varies the one that is wanted, else the one with the most times. */
function varying(times: readonly CollectiveTime[], key: Key, wanted?: number): readonly CollectiveTime[] {
  const fixed = key === "bytes" ? "pes" : "bytes";
  const groups = new Map<number, CollectiveTime[]>();
  for (const time of times) groups.set(time[fixed], [...(groups.get(time[fixed]) ?? []), time]);
  const some = [...groups].filter(([, own]) => new Set(own.map((time) => time[key])).size > 1);
  const best = [...some].sort(([a, own], [b, other]) => other.length - own.length || a - b)[0];
  return (some.find(([of]) => of === wanted) ?? best)?.[1] ?? [];
}

function bySize(times: readonly CollectiveTime[], usual: number, slots: Slots): string[] {
  const own = varying(times, "bytes", usual);
  const [first] = own;
  if (first === undefined) return [];
  return [curveFigure(`${first.call} among ${pesText(first.pes)}`, "By bytes.", own, slots, "bytes")];
}

function byPEs(times: readonly CollectiveTime[], cpus: number, slots: Slots): string[] {
  const own = varying(times, "pes");
  const [first] = own;
  if (first === undefined) return [];
  const shared = own.some(({ pes }) => pes > cpus) ? ` More than ${cpus} share CPUs.` : "";
  const title = first.bytes === 0 ? first.call : `${first.call} of ${bytesText(first.bytes)}`;
  return [curveFigure(title, `By number of PEs.${shared}`, own, slots, "pes")];
}

const AXES: Readonly<Record<Key, Axis>> = {
  bytes: { name: "bytes", textOf: bytesText },
  pes: { name: "PEs", textOf: String },
};

function curveFigure(title: string, caption: string, times: readonly CollectiveTime[], slots: Slots, key: Key): string {
  const names = [...new Set(times.map(({ name }) => name))];
  const all = names.map((name): Curve => {
    const own = times.filter((time) => time.name === name && time[key] > 0).sort((a, b) => a[key] - b[key]);
    const points = own.map(({ ns, low, high, ...time }) => ({ x: time[key], y: ns, low, high }));
    return { slot: slots.get(name) ?? 6, points };
  });
  return figure({
    id: idOf(`${key} ${title}`),
    title,
    caption,
    drawing: curves(
      all.filter(({ points }) => points.length > 0),
      AXES[key],
      { name: "time of a call", textOf: shortDuration },
    ),
    table: allTimes(times),
  });
}

const allTimes = (times: readonly CollectiveTime[]): HtmlTable => ({
  head: ["program", "call", "PEs", "bytes", "median, ns", "quartiles, ns", "mode"],
  rows: times.map((time) => [
    time.name,
    time.call,
    time.pes,
    time.bytes,
    time.ns.toFixed(1),
    `${time.low.toFixed(1)} to ${time.high.toFixed(1)}`,
    modeText(time),
  ]),
});

/** A call that was measured at one size on one number of PEs only. */
function atOne(times: readonly CollectiveTime[]): string[] {
  const [first] = times;
  if (first === undefined || varying(times, "bytes").length + varying(times, "pes").length > 0) return [];
  const size = first.bytes === 0 ? "" : ` of ${bytesText(first.bytes)}`;
  const title = `${first.call}${size} among ${pesText(first.pes)}`;
  return [
    figure({
      id: idOf(`one ${title}`),
      title,
      caption: "Time of one call, logarithmic.",
      drawing: bars(
        times.map(({ name, ns, low, high }) => ({
          name,
          low,
          high,
          value: ns,
          text: shortDuration(ns),
          isOurs: isOurs(name),
        })),
        { isLogarithmic: true, textOf: shortDuration },
      ),
      table: allTimes(times),
    }),
  ];
}
