/** Advice for the reader on this machine: from which time on loops and items gain on several PEs. */
import { bytesText } from "../../../ground/base/units.ts";
import type { ReportDocument } from "../document.ts";
import { type BreakEven, breakEvens } from "./break-even.ts";
import { scrolling, tableOf } from "./charts/html.ts";
import type { ReportFinding } from "./finding.ts";
import { howMeasured } from "./measured.ts";
import { isThere, list, note, sectionOf } from "./section.ts";
import { joined, pesText, shortDuration } from "./words.ts";

/** `undefined` where nothing of it was measured. */
export function gainsSection(report: ReportDocument): string | undefined {
  const { starts } = report;
  const all = breakEvens(report);
  if (all.length === 0) return undefined;
  const numbers = tableOf(
    {
      head: ["what is paid", "PEs", "gains from", "quartiles"],
      rows: all.map((one) => [wayText(one), one.pes, shortDuration(one.ns), rangeText(one)]),
    },
    "From which time on work gains",
  );
  return sectionOf({
    id: "gains",
    title: "What a loop gains",
    intro:
      "A loop that takes T on one thread takes T / P on P PEs, and what is paid to share it: it gains where T is above that cost times P / (P - 1). The costs are measured, with their quartiles in brackets. Loops with a call at their end are in a program that all PEs run; the time of an item is that of its work. What waits for memory is not P times as fast, and gains less.",
    content: [
      list(byWay(all).map((own) => wordsOf(own))),
      `<details><summary>Numbers<span class="unseen"> of what a loop gains</span></summary>${scrolling("Numbers of what a loop gains", numbers)}</details>`,
      starts === undefined ? "" : isThere(starts) ? howMeasured(starts) : note(starts.absent),
    ].join(""),
  });
}

/** A short form: of loops by the first way that was measured, launches, barriers, and the cheapest way of items. */
export function gains(report: ReportDocument): ReportFinding | undefined {
  const ways = byWay(breakEvens(report));
  const isOfItems = ([{ way }]: Way): boolean => way === "item";
  const [first, ...others] = ways.filter((own) => !isOfItems(own));
  if (first === undefined) return undefined;
  const [least] = first;
  const more = [
    ...others.filter(([{ way, name }]) => way === "launch" || name === "barrier"),
    ...ways
      .filter(isOfItems)
      .sort(([a], [b]) => a.ns - b.ns)
      .slice(0, 1),
  ];
  return {
    headline: wordsOf(first),
    key: [shortDuration(least.ns), `a loop that gains on ${pesText(least.pes)}, ${wayText(least)}`],
    ...(more.length > 0 && { meaning: more.map((own) => wordsOf(own)).join(" ") }),
  };
}

type Way = readonly [BreakEven, ...BreakEven[]];

function byWay(all: readonly BreakEven[]): Way[] {
  const ways = new Map<string, [BreakEven, ...BreakEven[]]>();
  for (const one of all) {
    const own = ways.get(wayText(one));
    if (own === undefined) ways.set(wayText(one), [one]);
    else own.push(one);
  }
  return [...ways.values()];
}

/** `By a run in an open world, a loop of 300 us or more gains on 2 PEs (280 us to 350 us) and of 400 us on 4 …`. */
function wordsOf(own: Way): string {
  const [subject, verb] = own[0].way === "item" ? ["items of", "gain "] : ["a loop of", "gains "];
  const times = own.map((one, i) => {
    return `${i === 0 ? subject : "of"} ${shortDuration(one.ns)} or more ${i === 0 ? verb : ""}on ${pesText(one.pes)} (${rangeText(one)})`;
  });
  const way = wayText(own[0]);
  return `${way.charAt(0).toUpperCase()}${way.slice(1)}, ${joined(times)}.`;
}

const rangeText = ({ low, high }: BreakEven): string => `${shortDuration(low)} to ${shortDuration(high)}`;

function wayText({ way, name, bytes }: BreakEven): string {
  switch (way) {
    case "run":
      return "by a run in an open world";
    case "launch":
      return "by a launch";
    case "call":
      return `with ${/^[aeiou]/.test(name) ? "an" : "a"} ${name}${sizeText(name, bytes)} at its end`;
    case "item":
      return `through a conveyor (${bytesText(bytes)}${name.replace(/^tundish/, "")})`;
  }
}

function sizeText(call: string, bytes: number): string {
  if (bytes === 0) return "";
  if (call === "alltoall") return ` of ${bytesText(bytes)} for each PE`;
  return bytes === 8 ? " of a number" : ` of ${bytesText(bytes)}`;
}
