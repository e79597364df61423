/**
 * The page of a report: one HTML file without references to anything outside of it, readable without its script. It is
 * a function of the document only.
 *
 * Limits: below 1 MB for the models of up to 512 PEs in test/fixtures.
 */

import { createHash } from "node:crypto";
import { bytesText } from "../../../ground/base/units.ts";
import type { ReportDocument, ReportHost } from "../document.ts";
import { textOf } from "./charts/html.ts";
import { collectivesSection } from "./collectives.ts";
import { conditionsSection } from "./conditions.ts";
import { conveyorsSection } from "./conveyors.ts";
import { distanceFigures } from "./distances.ts";
import { gainsSection } from "./gains.ts";
import { internodeSection } from "./internode.ts";
import { planSection } from "./plan.ts";
import { predictionsSection } from "./predictions.ts";
import { SCRIPT } from "./script.ts";
import { facts, given, heading, isThere, list, note, sectionOf } from "./section.ts";
import { STYLE } from "./style.ts";
import { summaryOf } from "./summary.ts";
import { topologyFigure } from "./topology.ts";
import { treesSection } from "./trees.ts";
import { pesText } from "./words.ts";

/** Sections: id, name in the table of contents, HTML. */
type Named = readonly [id: string, name: string, html: string];

/** In their order; those that would say the same of nothing are one. */
function sectionsOf(report: ReportDocument): Named[] {
  const { machine, nodes } = report;
  const unmeasured = unmeasuredReason(report);
  const alone = machine.internode === undefined && !isThere(nodes) ? nodes.absent : undefined;
  const lacking = [
    ...(unmeasured === undefined
      ? []
      : [`Times of this machine (trees, collectives, conveyors, and how quiet it was): ${unmeasured}`]),
    ...(alone === undefined ? [] : [`Between nodes: ${alone}`]),
  ];
  const gains = gainsSection(report);
  return [
    ...(gains === undefined ? [] : ([["gains", "What a loop gains", gains]] as const)),
    ["machine", "Machine", machineSection(report)],
    ["trees", "Trees", treesSection(report)],
    ...(unmeasured === undefined
      ? ([
          ["predictions", "Predicted and measured", predictionsSection(report)],
          ["collectives", "Collectives", collectivesSection(report)],
          ["conveyors", "Conveyors", conveyorsSection(report)],
        ] as const)
      : []),
    ["plan", "Plan", planSection(report)],
    ...(alone === undefined ? ([["nodes", "Between nodes", internodeSection(report)]] as const) : []),
    ...(unmeasured !== undefined && machine.noise === undefined
      ? []
      : ([["conditions", "Noise", conditionsSection(report)]] as const)),
    ...(lacking.length === 0 ? [] : ([["lacking", "Not in this report", lackingSection(lacking)]] as const)),
    ["made", "How it was made", madeSection(report)],
  ];
}

/** Why nothing was measured, if that is the same for all parts. */
function unmeasuredReason(report: ReportDocument): string | undefined {
  const parts = [report.conditions, report.predictions, report.collectives, report.conveyors];
  const reasons = new Set(parts.map((part) => (isThere(part) ? undefined : part.absent)));
  return reasons.size === 1 ? [...reasons][0] : undefined;
}

const lackingSection = (lines: readonly string[]): string =>
  sectionOf({
    id: "lacking",
    title: "Not in this report",
    intro: "What a report may have, and why it is not here.",
    content: `<div class="absent">${list(lines)}</div>`,
  });

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page as a string of HTML. */
export function reportPage(report: ReportDocument): string {
  const policy = `default-src 'none'; img-src data:; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; base-uri 'none'; form-action 'none'`;
  const sections = sectionsOf(report);
  const contents = sections.map(([id, name]) => `<li><a href="#${id}">${name}</a></li>`).join("");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="generator" content="tundish ${textOf(report.versions.tundish)}">`,
    `<title>${textOf(report.title)}</title>`,
    `<style>${STYLE}</style>`,
    "</head>",
    "<body>",
    '<a class="skip" href="#content">Skip to the content</a>',
    '<div class="page">',
    '<header class="masthead"><span><b>Tundish</b> report</span><button id="theme" type="button" aria-pressed="false" hidden>Dark colours</button></header>',
    '<main id="content" tabindex="-1">',
    `<div class="cover"><h1>${textOf(report.title)}</h1><p class="lead">${lead(report)}</p>${summaryOf(report)}`,
    `<nav aria-label="Contents"><ul>${contents}</ul></nav></div>`,
    ...sections.map(([, , html]) => html),
    "</main>",
    `<footer>Made by Tundish ${textOf(report.versions.tundish)}. Tundish is a TypeScript library for programs on all cores: collectives along trees that fit the machine, and streams of small items. This page needs no network and sends nothing.</footer>`,
    "</div>",
    `<script>${SCRIPT}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function lead({ machine, host, created, origin, title }: ReportDocument): string {
  const there = isThere(host) ? host : undefined;
  const profile =
    there === undefined || machine.created === undefined
      ? "from a model file"
      : `profiled on ${textOf(dateText(machine.created))}`;
  const from = { measured: "measured", file: profile, guessed: "guessed from its topology" }[origin];
  const brand = there?.brand ?? machine.name;
  const where = [title.includes(brand) ? "" : `${brand}. `, there === undefined ? "" : `On ${there.name}: `].join("");
  return `${textOf(where)}${textOf(pesText(machine.pes.length))}, ${from}; <time datetime="${textOf(created)}">${textOf(dateText(created))}</time>.`;
}

/** `26 November 2026, 12:05 UTC`; what is no date is left as it is. */
function dateText(created: string): string {
  const date = new Date(created);
  if (Number.isNaN(date.getTime())) return created;
  const day = date.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return `${day}, ${date.toISOString().slice(11, 16)} UTC`;
}

function machineSection(report: ReportDocument): string {
  const { host, machine } = report;
  return sectionOf({
    id: "machine",
    title: "The machine",
    intro:
      "A PE (processing element) is a thread that takes part in a parallel program, one for each core. What shares a cache is near; how long a message takes depends on how far apart two cores are. Everything else in this report follows from that.",
    content: [
      given(host, hostFacts),
      topologyFigure(report),
      heading("What a message costs, from each PE to each other"),
      machine.pes.length < 2 ? note("One PE has nobody to send to.") : distanceFigures(machine),
    ].join(""),
  });
}

function hostFacts({ name, platform, arch, cores, threads, quota, memoryBytes }: ReportHost): string {
  return `${facts([
    ["Host", name],
    ["System", `${platform}, ${arch}`],
    ["Usable", `${cores} cores, ${threads} hardware threads`],
    ...(quota === null ? [] : [["CPU time", `at most ${quota} cores`] as const]),
    ...(memoryBytes === null ? [] : [["Memory", bytesText(memoryBytes)] as const]),
  ])}<div class="gap"></div>`;
}

function madeSection({ command, versions, machine, created }: ReportDocument): string {
  const all = [
    ["Made", dateText(created)],
    ["Node", versions.node],
    ["Tundish", versions.tundish],
    ["Model", machine.name],
    ["Its source", machine.source],
    ...(machine.created === undefined ? [] : [["Model of", dateText(machine.created)]]),
    ["Its numbers", machine.measured],
    ["Unit", machine.unit === "ns" ? "ns" : "cycles of the processor"],
  ] as const;
  const about = machine.notes === undefined ? "" : `<p class="small">${textOf(machine.notes)}</p>`;
  return sectionOf({
    id: "made",
    title: "How it was made",
    intro: "To make it again, on this machine or another one:",
    content: `<p><code>${textOf(command)}</code></p><div class="gap"></div>${facts(all.map(([name, value]) => [name as string, value as string]))}${about}`,
  });
}
