/** The numbers of a report that matter most, and their meaning in words. All are in the figures below, too. */
import { countText, percentText, ratioText } from "../../../ground/base/units.ts";
import { choiceText } from "../../../plan/text/explain.ts";
import type { CollectiveTime, ConveyorTime, ReportDocument } from "../document.ts";
import { textOf } from "./charts/html.ts";
import { isOurs } from "./charts/series.ts";
import { levelsOf } from "./domains.ts";
import type { Key, ReportFinding } from "./finding.ts";
import { gains } from "./gains.ts";
import { ratioOf } from "./predictions.ts";
import { isThere, note } from "./section.ts";
import { joined, medianOf, pairsOf, pesText, roundTrips, shortDuration, timeIn } from "./words.ts";

const MOST_KEYS = 6;

export function summaryOf(report: ReportDocument): string {
  const findings = [gains, size, distances, trees, collectives, conveyors, predictions, plan, nodes, trust]
    .map((find) => find(report))
    .filter((found): found is ReportFinding => found !== undefined);
  const keys = findings.flatMap(({ key }) => (key === undefined ? [] : [key])).slice(0, MOST_KEYS);
  const meanings = findings.flatMap(({ meaning }) => (meaning === undefined ? [] : [meaning]));
  const headline = findings.find((found) => found.headline !== undefined)?.headline;
  const first = headline === undefined ? "" : `<p class="headline">${textOf(headline)}</p>`;
  const numbers = keys.map(([value, name]) => `<div><dt>${textOf(name)}</dt><dd>${textOf(value)}</dd></div>`).join("");
  const warnings = isThere(report.conditions) ? report.conditions.warnings.map((one) => note(one, "warning")) : [];
  const lines = meanings.map((line) => `<li>${textOf(line)}</li>`).join("");
  return `${first}<dl class="figures">${numbers}</dl><div class="meaning"><h2>What this means</h2><ul>${lines}</ul></div>${warnings.join("")}`;
}

function size({ machine }: ReportDocument): ReportFinding {
  const levels = levelsOf(machine)
    .filter(({ name }) => name !== "core")
    .map(({ name, of }) => countText(new Set(of).size, name));
  return {
    key: [pesText(machine.pes.length), levels.length === 0 ? "in the model" : `in ${joined(levels)}`],
  };
}

/** `48 – 402 ns`: the unit once, where it is the same. */
function fromTo(least: string, greatest: string): string {
  const [[number, unit], [, other]] = [least.split(" "), greatest.split(" ")];
  return unit === other ? `${Math.round(Number(number))} – ${greatest}` : `${least} – ${greatest}`;
}

/** Where the greatest round trip is less than that above the least, places do not matter. */
const ALIKE = 1.15;

function distances({ machine }: ReportDocument): ReportFinding | undefined {
  const pairs = pairsOf(roundTrips(machine));
  if (pairs.length === 0) return undefined;
  const timeOf = timeIn(machine.unit);
  const least = pairs.reduce((a, b) => Math.min(a, b));
  const greatest = pairs.reduce((a, b) => Math.max(a, b));
  if (greatest <= least * ALIKE) {
    return {
      key: [timeOf(medianOf(pairs)), "a message there and back, between any two PEs"],
      meaning:
        machine.pes.length > 2
          ? "All PEs are about as far from each other: it does not matter which CPU a PE gets."
          : `A message between the two PEs is there and back in ${timeOf(medianOf(pairs))}: pieces of work that take no longer than a few of those gain nothing from a second core.`,
    };
  }
  const ratio = least > 0 ? ratioText(greatest / least) : "many times";
  return {
    key: [fromTo(timeOf(least), timeOf(greatest)), "a message there and back, nearest and farthest PEs"],
    meaning: `The farthest PEs are ${ratio} as far apart as the nearest: PEs that talk much should be neighbours, and the trees below tell far ones first.`,
  };
}

function trees({ trees, machine }: ReportDocument): ReportFinding | undefined {
  if (!isThere(trees) || trees.cores.length < 2) return undefined;
  const timeOf = timeIn(trees.unit);
  const { broadcast, bound, baselines } = trees;
  const key: Key = [timeOf(broadcast.latency), `a broadcast to ${pesText(trees.cores.length)}, by the model`];
  if (machine.pes.length < 3 || broadcast.latency <= 0) return { key };
  const published = baselines.filter(({ algorithm }) => algorithm !== "bad");
  const best = [...published].sort((a, b) => a.broadcast - b.broadcast)[0];
  const sequential = baselines.find(({ algorithm }) => algorithm === "sequential");
  const above = bound.broadcast > 0 ? broadcast.latency / bound.broadcast - 1 : 0;
  const limit = above < 0.0005 ? "which no tree can beat" : `${percentText(above)} above the lower bound for any tree`;
  const others = [
    ...(best === undefined
      ? []
      : [
          `the best published algorithm (${best.algorithm}) takes ${ratioText(best.broadcast / broadcast.latency)} that`,
        ]),
    ...(sequential === undefined
      ? []
      : [`telling one PE after the other ${ratioText(sequential.broadcast / broadcast.latency)}`]),
  ];
  return {
    key,
    meaning: `A broadcast along its tree takes ${timeOf(broadcast.latency)}, ${limit}; ${joined(others)}.`,
  };
}

/** The fastest of others, by each other call with the same size and PEs. */
function besides<Time extends { readonly name: string; readonly ns: number }>(
  own: Time,
  all: readonly Time[],
  isSame: (other: Time) => boolean,
): Time | undefined {
  return all
    .filter((other) => !isOurs(other.name) && other.ns > 0 && isSame(other) && other !== own)
    .sort((a, b) => a.ns - b.ns)[0];
}

function collectives({ collectives, machine }: ReportDocument): ReportFinding | undefined {
  if (!isThere(collectives)) return undefined;
  const { times } = collectives;
  // more PEs than those of the model share CPUs
  const ours = times
    .filter(({ name, pes }) => isOurs(name) && pes <= machine.pes.length)
    .sort((a, b) => b.pes - a.pes || a.bytes - b.bytes);
  const short = ours.find(({ call }) => call === "barrier") ?? ours[0];
  if (short === undefined) return undefined;
  const same = (own: CollectiveTime) => (other: CollectiveTime) =>
    other.call === own.call && other.bytes === own.bytes && other.pes === own.pes;
  const beside = besides(short, times, same(short));
  const post = times.find(({ name, ...other }) => /postMessage/.test(name) && same(short)({ name, ...other }));
  const parts = [beside, post === beside ? undefined : post].flatMap((other) =>
    other === undefined ? [] : [`${other.name} takes ${shortDuration(other.ns)} (${ratioText(other.ns / short.ns)})`],
  );
  const first = `a ${short.call} of ${pesText(short.pes)}`;
  return {
    key: [shortDuration(short.ns), `${first}, measured`],
    ...(parts.length === 0
      ? {}
      : { meaning: `Measured, ${first} takes ${shortDuration(short.ns)}; of the others, ${joined(parts)}.` }),
  };
}

/** Ways to use a conveyor, in the names of `tundish bench conveyors`. */
const [ITEM_WISE, BATCH_WISE] = ["item-wise", "batch-wise"] as const;

function conveyors({ conveyors }: ReportDocument): ReportFinding | undefined {
  if (!isThere(conveyors)) return undefined;
  const { times } = conveyors;
  const isPost = ({ name }: ConveyorTime) => name.startsWith("postMessage");
  const what = times.find(isPost)?.what ?? times[0]?.what;
  const all = times.filter((time) => time.what === what && time.ns > 0);
  const ways = all.filter(({ name }) => isOurs(name));
  const own = ways.find(({ name }) => name.includes(ITEM_WISE)) ?? ways[0];
  if (own === undefined) return undefined;
  const wayOf = ({ name }: ConveyorTime) => name.replace(/^tundish(, )?/, "");
  const way = wayOf(own) === "" ? "" : `, ${wayOf(own)}`;
  const key: Key = [shortDuration(own.ns), `an item of ${own.bytes} B through a conveyor${way}`];
  // like with like: items one by one with messages for one item, batches with messages for many
  const pairs = ways.flatMap((one) => {
    const kind = [ITEM_WISE, BATCH_WISE].find((wise) => one.name.includes(wise));
    const post = all.find((other) => isPost(other) && /each item/.test(other.name) === (kind === ITEM_WISE));
    if (kind === undefined || post === undefined) return [];
    const times = `${wayOf(one)} ${shortDuration(one.ns)}, by ${post.name} ${shortDuration(post.ns)}`;
    return [`${times} (${ratioText(post.ns / one.ns)})`];
  });
  if (pairs.length === 0) return { key };
  return { key, meaning: `Time of an item through a conveyor: ${pairs.join("; ")}.` };
}

function predictions({ predictions }: ReportDocument): ReportFinding | undefined {
  if (!isThere(predictions)) return undefined;
  const ratios = predictions.times.map(ratioOf).filter((ratio) => Number.isFinite(ratio) && ratio > 0);
  if (ratios.length === 0) return undefined;
  const off = medianOf(ratios.map((ratio) => Math.max(ratio, 1 / ratio)));
  const ratio = medianOf(ratios);
  return {
    key: [ratioText(ratio), "measured times, of those that the model predicts"],
    meaning:
      off < 1.25
        ? `The model predicts measured times within ${percentText(off - 1)} in the median: its trees and plans can be trusted for this machine.`
        : `Measured times are ${ratioText(ratio)} the predicted ones in the median: compare what the model says of alternatives, rather than trust its times.`,
  };
}

function plan({ plan }: ReportDocument): ReportFinding | undefined {
  if (!isThere(plan)) return undefined;
  const [planned] = Object.values(plan.conveyors);
  if (planned?.expected === undefined) return undefined;
  const { expected, others = [], workload } = planned;
  const next = others[0];
  const gain = next === undefined ? "" : `; the next best takes ${ratioText(next.time / expected.time)} that`;
  return {
    meaning: `For ${workload.load.toLocaleString("en")} items of ${workload.itemBytes} B from ${plan.world.pes === 1 ? "" : "each of "}${pesText(plan.world.pes)} the plan is ${choiceText(expected)}: ${shortDuration(expected.time)}${gain}.`,
  };
}

function nodes({ machine }: ReportDocument): ReportFinding | undefined {
  const { internode } = machine;
  if (internode === undefined) return undefined;
  return {
    key: [shortDuration(internode.alpha), "a short message to another node"],
    meaning: `A message to another node takes ${shortDuration(internode.alpha)} and ${shortDuration(1000 * internode.beta)} for each 1000 bytes: gather what goes to one node before it is sent.`,
  };
}

const ORIGINS = {
  measured: undefined,
  file: "The model is from a file, of another machine than the one that made this report.",
  guessed:
    "The model is a guess from the topology: `tundish profile` measures it, and then trees and plans fit the machine.",
} as const;

function trust({ conditions, host, origin, machine }: ReportDocument): ReportFinding | undefined {
  const unsteady =
    (isThere(conditions) && !conditions.stable) || (origin === "measured" && machine.noise?.stable === false)
      ? "The machine changed or was busy while it was measured: measure again on an idle machine before numbers are compared."
      : undefined;
  // a file of the machine that made the report is its profile
  const source = origin === "file" && isThere(host) ? undefined : ORIGINS[origin];
  const meaning = [source, unsteady].filter((one) => one !== undefined).join(" ");
  return meaning === "" ? undefined : { meaning };
}
