/** Explains a plan: what was chosen, the alternatives, and why they are slower. */
import { amountText, besideText, bytesText, countText, durationText, percentText } from "../../ground/base/units.ts";
import { sizeOfParts } from "../../route/geometry/grid.ts";
import { meshText } from "../../route/geometry/make-route.ts";
import type { Unplanned } from "../../route/geometry/options.ts";
import { sendingOf, sendingText } from "../../route/geometry/sending.ts";
import type { Candidate, ConveyorWorkload, CostModel } from "../model/cost-model.ts";
import type { ConveyorAggregation } from "../model/delay.ts";
import { FIT } from "../model/fit.ts";
import { bytesOfLink, openPush } from "../model/open-buffers.ts";
import { type Prediction, usedLinks } from "../model/predict.ts";
import type { Servers } from "../model/servers.ts";
import { aggregationLines, dearerText } from "./delay-text.ts";

/** The parts of an explanation. */
export interface ExplainedPlan {
  readonly model: CostModel;
  readonly workload: ConveyorWorkload;
  readonly expected: Prediction;
  /** With other buffers, by the model; the same where those are taken. */
  readonly fastest: Prediction;
  /** Why they are not, of {@link DOUBTS}. */
  readonly doubt: keyof typeof DOUBTS;
  readonly others: readonly Prediction[];
  /** The forced discipline, and rules of when buffers are sent early. */
  readonly sending: Unplanned;
  /** Names of the forced choices that are kept. */
  readonly forced: readonly string[];
  /** The others, with their values. */
  readonly lost: readonly string[];
  readonly candidates: number;
  /** The cost of an item, where the workload has a rate. */
  readonly aggregationOf?: ((one: Prediction) => ConveyorAggregation) | undefined;
}

/** Example: `tensor, 2 hops in groups of 8, 2 buffers of 1 KiB for each link`. */
export function choiceText({ type, hops, groupSize, mesh, bufferBytes, buffersPerLink }: Candidate): string {
  const grid = mesh === undefined ? `groups of ${groupSize}` : `a mesh of ${meshText(mesh)}`;
  const way = hops === 1 ? "1 hop" : `${hops} hops in ${grid}`;
  return `${type}, ${way}, ${buffersPerLink} x ${bytesText(bufferBytes)} for each link`;
}

export function explain(plan: ExplainedPlan): string {
  const { model, workload, expected, fastest, doubt, others, sending, forced, lost, candidates, aggregationOf } = plan;
  const { pes, nodes } = model;
  const { load, itemBytes, maxBytes } = workload;
  const early = sendingText(sendingOf(sending), expected.hops, itemBytes / expected.bufferBytes);
  // with room for one item it is sent with each anyway
  const uncounted = expected.bufferBytes < 2 * itemBytes ? "" : ", which the times and buffers here do not count";
  const budget = maxBytes === undefined ? "" : `, at most ${bytesText(maxBytes)} a PE`;
  return [
    `${load} items of ${itemBytes} B from ${pes === 1 ? "1 PE" : `each of ${pes} PEs`} on ${countText(nodes, "node")}${budget}:`,
    `${choiceText(expected)}: ${durationText(expected.time)}, ${bytesText(expected.memory)} a PE` +
      ` (${fastest === expected ? "the best " : ""}of ${candidates})`,
    ...expected.hopsTaken.map((_, hop) => `  ${hopText(expected, hop)}`),
    ...(expected.hops === 1 ? [] : [`  ${wayText(expected)}: ${groupText(model, expected.groupSize)}`]),
    ...(aggregationOf === undefined
      ? []
      : aggregationLines(workload, aggregationOf(expected), sending.maxDelay !== undefined).map((line) => `  ${line}`)),
    ...(model.measured ?? []).map((line) => `  ${line}`),
    ...(fastest === expected ? [] : [`  ${doubtText(fastest, fastest.time / expected.time, doubt)}`]),
    ...disciplineLines(model, expected, sending).map((line) => `  ${line}`),
    ...(early === "" ? [] : [`  a buffer is sent ${early}${uncounted}`]),
    ...(forced.length === 0 ? [] : [`  forced: ${forced.join(", ")}`]),
    ...lost.map((one) => `  not forced: ${one}, which would have no effect`),
    ...others.map((other) => {
      const loss =
        aggregationOf !== undefined
          ? dearerText(aggregationOf(other), aggregationOf(expected))
          : `${lossText(other, expected)}${openText(model, workload, other, expected)}`;
      return `not ${choiceText(other)}: ${loss}`;
    }),
  ].join("\n");
}

/** What the model does not know of buffers. */
const DOUBTS = {
  losses: "does not know what a network loses of much at once",
  sizes: "may be wrong by as much between sizes of buffers",
};

/** Why the choices are not those that the model takes for the fastest. @param share of the time of what is chosen */
export const doubtText = (fastest: Candidate, share: number, doubt: keyof typeof DOUBTS): string =>
  `${choiceText(fastest)} would take ${besideText(share, "as long")} by the model, which ${DOUBTS[doubt]}`;

/** Who sends when. */
function disciplineLines(
  { nodes, countsLastReturns }: CostModel,
  { type }: Prediction,
  { discipline }: Unplanned,
): string[] {
  if (type !== "tensor" || discipline === "eager") return [];
  if (discipline !== undefined) return [`discipline: ${discipline}, which the times here do not count`];
  if (nodes === 1 || countsLastReturns !== true) return [];
  return ["discipline: eager, as a sender keeps no more under way to a receiver than the buffers of its link"];
}

/** Between which PEs the links are that are farthest. */
const wayText = ({ mesh, groupSize }: Candidate): string =>
  mesh === undefined ? `groups of ${groupSize}` : `the greatest dimension is between groups of ${groupSize}`;

function hopText({ hopsTaken }: Prediction, hop: number): string {
  const { links, buffers, fill, remote } = hopsTaken[hop];
  const away = remote > 0 ? `, ${amountText(remote)} of them to other nodes` : "";
  return `hop ${hop + 1}: ${amountText(buffers)} buffers to ${countText(links, "PE")}, ${percentText(fill)} full${away}`;
}

/** What the groups are. */
export function groupText({ pes, levels, nodes, nodeSize }: CostModel, groupSize: number): string {
  if (nodes > 1 && groupSize === nodeSize) return "the nodes";
  if (levels.some((level) => sizeOfParts(level) === groupSize))
    return `the ${pes / groupSize} domains that the model shows`;
  return nodes > 1 && nodeSize % groupSize === 0 ? "parts of the nodes" : "neighbours in the order of the domains";
}

/** The slowest part of the network, in the words of an explanation. */
const SERVERS: Readonly<Record<keyof Servers, string>> = {
  injection: "sending at a node",
  ejection: "receiving at a node",
  processor: "the processor of a node",
  bisection: "its bisection",
  links: "its busiest link",
  places: "places at a node",
};

/** Of the chosen time: less is no reason. */
const HARDLY = 0.01;

/** The disadvantage of another candidate: what adds most to its time, or its memory. */
function lossText(other: Prediction, chosen: Prediction): string {
  const more = `${durationText(other.time)}, ${besideText(other.time / chosen.time, "as long")}`;
  // a time is that of the longer one of these, and what waits beside it
  const busy = (one: Prediction) => Math.max(one.work, one.network);
  const waits = other.waiting - chosen.waiting;
  const works = busy(other) - busy(chosen);
  if (Math.max(waits, works) <= HARDLY * chosen.time) {
    if (other.memory <= chosen.memory) return `${more}: hardly a difference`;
    return `${more}; it takes ${bytesText(other.memory)} a PE instead of ${bytesText(chosen.memory)}`;
  }
  const part = waits >= works ? "waiting" : other.work >= other.network ? "work" : "network";
  const times = `${durationText(other[part])} instead of ${durationText(chosen[part])}`;
  const sent = (one: Prediction) => amountText(one.hopsTaken.reduce((sum, { buffers }) => sum + buffers, 0));
  const away = (one: Prediction) => amountText(one.hopsTaken.reduce((sum, { remote }) => sum + remote, 0));
  const why = {
    work: `the work of a PE, ${times} (${sent(other)} buffers instead of ${sent(chosen)})`,
    network: `the network (${SERVERS[other.server ?? "ejection"]}), ${times} (${away(other)} buffers of a PE instead of ${away(chosen)})`,
    waiting: `waiting for room, last buffers and votes, ${times}`,
  } as const;
  return `${more}: ${why[part]}`;
}

/** What open buffers add to a push of each hop, and to an advance, ns; and to a session. */
function openTimes(
  { costs }: CostModel,
  { load, destinations = Number.POSITIVE_INFINITY }: ConveyorWorkload,
  one: Prediction,
) {
  const { hopsTaken, mesh } = one;
  const pushes = hopsTaken.map(({ links }) => openPush(costs.open, usedLinks(links, destinations), bytesOfLink(one)));
  const entries = mesh === undefined ? hopsTaken.slice(0, 1) : hopsTaken;
  const advance = (costs.open?.look ?? 0) * entries.reduce((sum, { links }) => sum + links, 0);
  // not of the last ones
  const buffers = hopsTaken.reduce((sum, hop) => sum + Math.max(0, hop.buffers - hop.links), 0);
  const total = load * pushes.reduce((sum, ns) => sum + ns, 0) + buffers * FIT.turns * advance;
  return { push: Math.max(...pushes), advance, total };
}

/** What open buffers take of another candidate, where that is most of what it takes longer. */
function openText(model: CostModel, workload: ConveyorWorkload, other: Prediction, chosen: Prediction): string {
  const [its, ours] = [other, chosen].map((one) => openTimes(model, workload, one));
  if (its.total - ours.total <= Math.max(0, other.time - chosen.time) / 2) return "";
  return (
    `; most of that is due to open buffers: ${amountText(its.push)} ns instead of ${amountText(ours.push)} in a push, ` +
    `${amountText(its.advance)} instead of ${amountText(ours.advance)} in an advance`
  );
}
