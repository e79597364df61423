/** Explains the plan of an exchange: the load, what was chosen, why, and why not the others. */
import {
  amountText,
  besideText,
  bytesText,
  countText,
  durationText,
  ratioText,
  SAME_SHARE,
} from "../../ground/base/units.ts";
import type { BulkIncast } from "../../machine/model/internode.ts";
import { barriersText } from "../../route/disciplines/explain.ts";
import type { ExchangeChoices, ExchangeLoad } from "../../route/disciplines/options.ts";
import { HEAD_BYTES } from "../../route/disciplines/packet.ts";
import type { CostModel } from "../model/cost-model.ts";
import { byteUnder } from "./incast.ts";
import { evenStreamOf } from "./pace.ts";
import { blockBytesOf, destinationsOf, type Phase, receivingByteOf } from "./phase.ts";
import { type ExchangePrediction, LIKE, type PhaseTime, PLANNED } from "./predict.ts";

/** The parts of an explanation. */
export interface ExplainedExchange {
  readonly model: CostModel;
  readonly load: ExchangeLoad;
  /** With the chosen chunks. */
  readonly phase: Phase;
  readonly expected: ExchangePrediction;
  /** The best first. */
  readonly others: readonly ExchangePrediction[];
  readonly forced: readonly string[];
  /** Forced choices that the discipline does not use, with their values. */
  readonly lost: readonly string[];
}

/** Example: `token, turns of 64 KiB, at most 1 MiB/s`. */
export function exchangeText(choices: ExchangeChoices): string {
  const { discipline = "eager", chunkBytes, packetBytes, window, barrierEvery, pace } = choices;
  const barriers = barrierEvery === undefined ? "" : barriersText(discipline, barrierEvery);
  return [
    discipline,
    ...(chunkBytes === undefined ? [] : [`turns of at most ${bytesText(chunkBytes)}`]),
    ...(packetBytes === undefined ? [] : [`packets of ${bytesText(packetBytes)}`]),
    ...(window === undefined ? [] : [`${window} rounds ahead`]),
    ...(barriers === "" ? [] : [barriers]),
    ...(pace === undefined ? [] : [`at most ${bytesText(pace)}/s`]),
  ].join(", ");
}

/** Example: `1 MiB from each of 8 PEs on 8 nodes to 7 others, in blocks of 64 KiB`. */
export function loadText(model: Pick<CostModel, "pes" | "nodes">, load: ExchangeLoad, blockBytes: number): string {
  const { bytes, skew = 1 } = load;
  const destinations = destinationsOf(model, load);
  const uneven = skew === 1 ? "" : `, ${ratioText(skew)} the mean to one of them`;
  return (
    `${bytesText(bytes)} from each of ${countText(model.pes, "PE")} on ${countText(model.nodes, "node")} to ` +
    `${countText(destinations, "other")}, in blocks of ${bytesText(blockBytes)}${uneven}`
  );
}

/** Why, a line each; and all of it. */
export function explainExchange(plan: ExplainedExchange): {
  readonly reasons: readonly string[];
  readonly explain: () => string;
} {
  const { model, load, expected, others, forced, lost } = plan;
  const reasons = [
    partsText(expected),
    ...receiversText(plan),
    ...paceText(plan),
    roundText(plan),
    ...(model.measured ?? []),
    ...(forced.length === 0 ? [] : [`forced: ${forced.join(", ")}`]),
    ...lost.map((one) => `not forced: ${one}, which discipline ${expected.discipline} does not use`),
    ...others.map((other) => `not ${exchangeText(other)}: ${lossText(other, expected)}`),
  ];
  const explain = () =>
    [
      `${loadText(model, load, blockBytesOf(model, load))}:`,
      `${exchangeText(expected)}: ${durationText(expected.time)}`,
      ...reasons.map((line) => `  ${line}`),
    ].join("\n");
  return { reasons, explain };
}

/** The parts that there are. */
const partsText = ({ network, crowd, rounds, pace }: ExchangePrediction): string =>
  [
    `${pace === undefined ? "the busiest part" : "a PE at its pace"} ${durationText(network)}`,
    ...(crowd > 0 ? [`several senders at one receiver add ${durationText(crowd)}`] : []),
    ...(rounds > 0 ? [`rounds add ${durationText(rounds)}`] : []),
  ].join("; ");

/** Whether receivers keep up, and how that is known. */
function receiversText({ model, phase: { senders, crowd, packets } }: ExplainedExchange): readonly string[] {
  if (model.nodes === 1) return ["receivers keep up, as PEs of one node do"];
  const { bulk = [], network } = model;
  const { injection, queue, interleaved } = network.congestion ?? {
    injection: { byte: 0 },
    queue: Number.POSITIVE_INFINITY,
    interleaved: false,
  };
  const lines: string[] = [];
  const receiving = receivingByteOf(model);
  if (receiving > 1.05 * injection.byte) {
    lines.push(`a receiver takes ${amountText(receiving)} ns for a byte, a sender ${amountText(injection.byte)}`);
  }
  if (bulk.length > 0) {
    const [{ bytes }] = bulk as readonly [BulkIncast];
    const time = (count: number) => durationText(bytes * byteUnder(bulk, count));
    const most = Math.min(senders, (bulk.at(-1) ?? bulk[0]).senders);
    const keeps =
      crowd < 1 + SAME_SHARE ? "receivers keep up" : `receivers do not keep up: ${ratioText(crowd)} as long for a byte`;
    lines.push(
      `incast, measured: a receiver gets ${bytesText(bytes)} every ${time(1)} from 1 sender, ${time(most)} from ${most}: ${keeps}`,
    );
  }
  if (Number.isFinite(queue) && !interleaved && senders > 1) {
    const holds = `of a chunk's ${countText(Math.round(packets), "packet")} at most ${queue} can be underway to a node`;
    lines.push(`receivers do not keep up: ${holds}, and what is behind them waits, whoever it is for`);
  }
  if (lines.length > 0) return lines;
  const isUnknown = model.countsLastReturns === true;
  return [
    isUnknown
      ? "incast of large messages is not measured: receivers are taken to keep up (tundish profile under mpirun measures it)"
      : `receivers keep up: ${senders > 1 ? "the network has no limit for what is underway to a node" : "each has one sender"}`,
  ];
}

/** Where a pace was chosen: what a packet costs the busiest part, and what is left of it. */
function paceText({ model, phase, expected: { pace, packetBytes } }: ExplainedExchange): readonly string[] {
  if (pace === undefined || packetBytes === undefined) return [];
  const packets = phase.wire / (packetBytes + HEAD_BYTES);
  const busy = evenStreamOf(model, phase) / packets;
  const apart = ((packetBytes + HEAD_BYTES) / pace) * 1e9;
  return [
    `a pace keeps senders apart: a PE sends a packet every ${durationText(apart)}, which keeps the busiest part ` +
      `busy for ${durationText(busy)} of it if all receivers get as much`,
  ];
}

const roundText = ({ phase: { chunks, rounds, passing, vote, control } }: ExplainedExchange): string =>
  `${amountText(chunks)} turns of a PE, ${amountText(rounds)} rounds of a shift; a chunk takes ${durationText(passing)}, a vote ${durationText(vote)}, ` +
  `a small message ${durationText(control)}`;

/** The disadvantage of another one: of the parts of its time the one that adds most to that of the chosen one. */
function lossText(other: ExchangePrediction, chosen: ExchangePrediction): string {
  const share = other.time / chosen.time - 1;
  const more = `${durationText(other.time)}, ${besideText(1 + share, "as long")}`;
  if (share < -0.05) return `${more}, but another one is forced`;
  if (share < 0.05) {
    const isSimpler = placeOf(other) < placeOf(chosen);
    return `${more}: hardly a difference${isSimpler ? "" : ", and not as simple"}`;
  }
  const parts: readonly Added[] = [
    ["several senders at one receiver", other.crowd, chosen.crowd],
    ["rounds", other.rounds, chosen.rounds],
    ["its busiest part", other.network, chosen.network],
    ["the last chunk and the vote", endOf(other), endOf(chosen)],
  ];
  const [name, its, own] = parts.reduce((most, part) => (part[1] - part[2] > most[1] - most[2] ? part : most));
  return `${more}: ${name}, ${durationText(its)}${own === 0 ? "" : ` instead of ${durationText(own)}`}`;
}

/** Among the disciplines, the simplest one first. */
const placeOf = ({ discipline }: ExchangePrediction): number => PLANNED.indexOf(LIKE[discipline]);

/** A part of a time: that of another one, and that of the chosen one. */
type Added = readonly [name: string, its: number, own: number];

/** The remainder of a time beside its parts. */
const endOf = ({ time, network, crowd, rounds }: PhaseTime): number => Math.max(0, time - network - crowd - rounds);
