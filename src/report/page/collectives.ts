/** Collectives by size and by number of PEs, beside the same calls of others. */
import { bytesText } from "../../base/units.ts";
import type { CollectiveTime, Figures, ReportDocument } from "../document.ts";
import { bars } from "./charts/bars.ts";
import { type Curve, curves } from "./charts/curves.ts";
import { figure } from "./charts/figure.ts";
import { isOurs, legendOf, slotsOf } from "./charts/series.ts";
import { howMeasured, modeText } from "./measured.ts";
import { columns, given, sectionOf } from "./section.ts";
import { pesText, shortDuration } from "./words.ts";

export function collectivesSection({ collectives }: ReportDocument): string {
  return sectionOf({
    id: "collectives",
    title: "Collectives",
    intro:
      "Time of one call, by the bytes of each PE's array and by the number of PEs. Lower is better; both axes are logarithmic, marks are medians, lines through them reach from quartile to quartile.",
    content: given(collectives, (figures) => collectiveFigures(figures)),
  });
}

type Slots = ReadonlyMap<string, number>;

function collectiveFigures(figures: Figures<CollectiveTime>): string {
  const times = figures.times.filter(({ ns }) => ns > 0 && Number.isFinite(ns));
  const slots = slotsOf(times.map(({ name }) => name));
  const calls = [...new Set(times.map(({ call }) => call))];
  const bySize = calls.flatMap((call) =>
    sizeFigures(
      call,
      times.filter((time) => time.call === call),
      slots,
    ),
  );
  const byPEs = calls.flatMap((call) =>
    peFigures(
      call,
      times.filter((time) => time.call === call),
      slots,
    ),
  );
  const others = calls.flatMap((call) =>
    single(
      call,
      times.filter((time) => time.call === call),
    ),
  );
  return [
    bySize.length + byPEs.length === 0 ? "" : legendOf(slots),
    columns([...bySize, ...byPEs, ...others]),
    howMeasured(figures),
  ].join("");
}

/** Those that vary in `key` while `fixed` is the same. */
function groupsOf(times: readonly CollectiveTime[], key: "bytes" | "pes", fixed: "bytes" | "pes") {
  const groups = new Map<number, CollectiveTime[]>();
  for (const time of times) groups.set(time[fixed], [...(groups.get(time[fixed]) ?? []), time]);
  return [...groups].filter(([, own]) => new Set(own.map((time) => time[key])).size > 1);
}

const sizeFigures = (call: string, times: readonly CollectiveTime[], slots: Slots): string[] =>
  groupsOf(times, "bytes", "pes").map(([pes, own]) =>
    curveFigure(`${call} among ${pesText(pes)}`, own, slots, "bytes"),
  );

const peFigures = (call: string, times: readonly CollectiveTime[], slots: Slots): string[] =>
  groupsOf(times, "pes", "bytes").map(([bytes, own]) =>
    curveFigure(bytes === 0 ? call : `${call}, ${bytesText(bytes)}`, own, slots, "pes"),
  );

function curveFigure(
  title: string,
  times: readonly CollectiveTime[],
  slots: Slots,
  key: "bytes" | "pes",
): string {
  const names = [...new Set(times.map(({ name }) => name))];
  const all = names.map((name): Curve => {
    const own = times.filter((time) => time.name === name && time[key] > 0).sort((a, b) => a[key] - b[key]);
    const points = own.map(({ ns, low, high, ...time }) => ({ x: time[key], y: ns, low, high }));
    return { slot: slots.get(name) ?? 6, points };
  });
  const x = key === "bytes" ? { name: "bytes", textOf: bytesText } : { name: "PEs", textOf: String };
  return figure({
    id: `${key}-${title.replace(/[^a-z0-9]+/gi, "-")}`,
    title,
    caption:
      names.length > 1 ? `By ${x.name}: ${names.length} programs.` : `By ${x.name}: ${names[0] ?? ""}.`,
    drawing: curves(
      all.filter(({ points }) => points.length > 0),
      x,
      { name: "time of a call", textOf: shortDuration },
    ),
    table: tableOf(times, key),
  });
}

const tableOf = (times: readonly CollectiveTime[], key: "bytes" | "pes" | "name") => ({
  head: ["program", key === "pes" ? "PEs" : "bytes", "median, ns", "quartiles, ns", "mode"],
  rows: times.map((time) => [
    time.name,
    key === "pes" ? time.pes : time.bytes,
    time.ns.toFixed(1),
    `${time.low.toFixed(1)} to ${time.high.toFixed(1)}`,
    modeText(time),
  ]),
});

/** What was measured at one size on one number of PEs only. */
function single(call: string, times: readonly CollectiveTime[]): string[] {
  const drawn = new Set([
    ...groupsOf(times, "bytes", "pes").flatMap(([, own]) => own),
    ...groupsOf(times, "pes", "bytes").flatMap(([, own]) => own),
  ]);
  const rest = times.filter((time) => !drawn.has(time));
  const groups = new Map<string, CollectiveTime[]>();
  for (const time of rest) {
    const name =
      time.bytes === 0
        ? `${call} among ${pesText(time.pes)}`
        : `${call} of ${bytesText(time.bytes)} among ${pesText(time.pes)}`;
    groups.set(name, [...(groups.get(name) ?? []), time]);
  }
  return [...groups].map(([title, own]) =>
    figure({
      id: `one-${title.replace(/[^a-z0-9]+/gi, "-")}`,
      title,
      caption: "Time of one call, logarithmic.",
      drawing: bars(
        own.map(({ name, ns, low, high }) => ({
          name,
          value: ns,
          text: shortDuration(ns),
          isOurs: isOurs(name),
          low,
          high,
        })),
        { isLogarithmic: true, textOf: shortDuration },
      ),
      table: tableOf(own, "name"),
    }),
  );
}
