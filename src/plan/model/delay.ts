/**
 * The cost of an item for a PE that pushes at a rate, where a delay costs something: the model of aggregation
 * (aggregation/) for the hops and buffers of a conveyor.
 *
 *     cost = sum over hops of (message / n + kappa (wait + flight + queue)) + work for the item
 *
 *     message    the time for which a buffer of n items keeps its PEs and the busiest part of the network busy:
 *                alpha + beta n S of the thesis. The latency of the network is not in it, as nobody is busy meanwhile:
 *                it is in the flight
 *     wait       until the buffer is full: (n - 1) / (2 q), of q items per ns for a link; no longer than the session
 *     flight     of the message from PE to PE
 *     queue      until the PE gets to it: rho message / (2 (1 - rho) sqrt(n)), where it is busy for rho of the time.
 *                Single items come at random (Pollaczek and Khinchine); buffers the more evenly, the more items fill
 *                them (Kingman: the wait is proportional to the variance between arrivals). rho is at least the part of
 *                its looks at the inbox that find a buffer: each takes one, and there is one for each item and some more
 *                in its spare time
 *     stall      with too few buffers for a link, until one is given back: in the message and in the wait
 *
 * Every buffer is given back by a message; only at the end of a session nobody waits for the last.
 *
 * Limits: items for PEs drawn at random, at a steady rate. What a program does beside that is not known.
 *
 * Example: 8 PEs, a message of 300 ns, a million items a second, kappa 0.01: an item comes each 8 us for a link, and of
 * one hop buffers of sqrt(2 x 0.125 x 0.3 / 0.01) = 2.7 items are best.
 */

import { MOST_AMOUNT } from "../../ground/base/options.ts";
import { bestTimeout } from "../aggregation/best.ts";
import { bufferBound } from "../aggregation/buffers.ts";
import { delayLimit, leastItems } from "../aggregation/make-aggregation-plan.ts";
import { capacityOf, type RatedWorkload } from "./capacity.ts";
import type { Candidate, CostModel } from "./cost-model.ts";
import { FIT, type FitFactors } from "./fit.ts";
import { bytesOfLink, openPush } from "./open-buffers.ts";
import { handlingOf, looksOf, tagBytes, usedLinks } from "./predict.ts";
import { latencyOf, serversFor, slowest } from "./servers.ts";
import type { HopCost } from "./shape.ts";

/** One hop of a conveyor at a rate. */
export interface HopAggregation {
  /** alpha: what a message without items costs, ns. */
  readonly alpha: number;
  /** Items per second for each of its links. */
  readonly rate: number;
  /** Items of a sent buffer, full or old; of a full one; and the best number by the model for this hop alone. */
  readonly items: number;
  readonly full: number;
  readonly best: number;
  /** Bytes of a buffer from which on nothing is gained: equation 4.13. */
  readonly bound: number;
  /** Mean time that an item waits until its buffer is sent, ns. */
  readonly wait: number;
}

/** A conveyor at a rate. Costs are ns of an item, over all hops. */
export interface ConveyorAggregation {
  /** Messages, work and delays. */
  readonly cost: number;
  /** Of it: messages, and the work for the item itself. */
  readonly messages: number;
  readonly work: number;
  /** Mean delay from push to arrival, ns; kappa times it is the rest. */
  readonly delay: number;
  /** Part of the time for which the PE is busy, or the network. From 1 on it cannot keep up. */
  readonly busy: number;
  readonly hops: readonly HopAggregation[];
  /** How long an item may wait in buffers on its whole way, ms; each hop has an equal share. 0: it does not wait. */
  readonly maxDelay: number;
  /** The time in which buffers become full on the whole way, where each hop takes as long as the slowest, ms. */
  readonly fill: number;
}

/** ns of a second */
const SECOND = 1e9;
/** In a stream every buffer is given back. */
const RETURNS = { tells: 1, releases: 1 };
/** Looks at the inbox between two items, of a PE with nothing else to do. */
const LOOKS = 1.5;
/** Part of the looks that find a buffer, at most, as one that finds more looks more often. */
const MOST_LOOKED = 0.9;

/** @param hops costs of its messages (shape.ts) @param isForced buffers were given: may be larger than the best */
export function aggregate(
  model: CostModel,
  workload: RatedWorkload,
  candidate: Candidate,
  hops: readonly HopCost[],
  isForced = false,
  fit: FitFactors = { ...FIT, ...RETURNS },
): ConveyorAggregation {
  const { rate, delayCost, itemBytes } = workload;
  const passagesBy = (limit: number) =>
    hops.map((_, number) => passageOf(number, limit, { model, workload, candidate, hops, fit }));
  const whole = passagesBy(Number.POSITIVE_INFINITY);
  const sentOf = ({ full, best, alpha }: Passage) =>
    isForced ? sentItems(full, best, leastItems({ alpha, rate, itemBytes, hops: hops.length }, full)) : full;
  const limit = Math.max(...whole.map((one) => delayLimit(sentOf(one), one.full, one.each)));
  // where they are given and large, buffers are sent by their age
  const passages = isForced ? passagesBy(limit) : whole;
  const { push, pull, pivot = push + pull } = model.costs;
  const total = (of: (passage: Passage) => number) => passages.reduce((sum, one) => sum + of(one), 0);
  const work = push + pull + (hops.length - 1) * pivot + total(({ open }) => open);
  const atPE = work + total(({ handling, sent }) => handling / sent);
  const busy =
    (rate / SECOND) *
    Math.max(
      atPE,
      total(({ network, sent }) => network / sent),
    );
  const found = total(({ sent }) => 1 / sent) / (1 + LOOKS * (1 - busy));
  const rho = Math.max(busy, Math.min(MOST_LOOKED, found));
  const queue = busy < 1 ? rho / (2 * (1 - rho)) : Number.POSITIVE_INFINITY;
  const messages = total(({ handling, network, stall, sent }) => (handling + network + stall) / sent);
  const delay = total(
    ({ wait, flight, stall, handling, network, sent }) =>
      wait + flight + stall + (queue * (handling + network)) / Math.sqrt(sent),
  );
  const fill = Math.max(...passages.map(({ full, each }) => full * each));
  return {
    // a delay that costs nothing may be endless
    cost: messages + work + (delayCost === 0 ? (busy < 1 ? 0 : Number.POSITIVE_INFINITY) : delayCost * delay),
    messages,
    work,
    delay,
    busy,
    hops: passages.map(({ alpha, each, items, full, best, bound, wait }) => ({
      alpha,
      rate: SECOND / each,
      items,
      full,
      best,
      bound,
      wait,
    })),
    maxDelay: (hops.length * limit) / 1e6,
    fill: (hops.length * fill) / 1e6,
  };
}

/** A given buffer of so many times the best items is sent by the delay. Hops share one size, not their bests. */
const MUCH = 4;
/** Items of a buffer that was given when it is sent: no fewer than the PE has time to send. */
function sentItems(items: number, best: number, least: number): number {
  const wanted = Math.max(1, best, least);
  return items > MUCH * wanted ? Math.max(2, wanted) : items;
}

interface Passage extends Omit<HopAggregation, "rate"> {
  /** From one item for a link to the next, ns. */
  readonly each: number;
  /** Items of a message: of a session that fills no buffer there are less than in a full one. */
  readonly sent: number;
  /** Of it: the work of its PEs, and the time of the network's slowest server, ns. */
  readonly handling: number;
  readonly network: number;
  readonly flight: number;
  readonly stall: number;
  /** What a push takes more as other buffers are open, too. */
  readonly open: number;
}

interface Rated {
  readonly model: CostModel;
  readonly workload: RatedWorkload;
  readonly candidate: Candidate;
  readonly hops: readonly HopCost[];
  readonly fit: FitFactors;
}

/** @param limit of an item's delay, ns */
function passageOf(number: number, limit: number, of: Rated): Passage {
  const { model, workload, candidate, hops, fit } = of;
  const { network: net, pes, costs } = model;
  const { itemBytes, load, rate, delayCost, destinations = Number.POSITIVE_INFINITY } = workload;
  const hop = hops[number] as HopCost;
  const { links, send, receive, remote, traffic } = hop;
  const tag = tagBytes(hops.length, number, links, pes);
  const full = capacityOf(workload, candidate, tag);
  const used = usedLinks(links, destinations);
  const each = (SECOND * used) / rate;
  const atNetwork = (size: number) => slowest(serversFor(net, traffic, 1 / links, size, fit.releases)).time;
  const looks = looksOf(model, hop, fit);
  const alpha = handlingOf(model, hop, 0, fit) + looks + atNetwork(0);
  const stream = {
    alpha: Math.min(alpha, MOST_AMOUNT),
    rate: Math.max(rate / used, Number.MIN_VALUE),
    itemBytes,
  };
  const best = bestTimeout(stream, delayCost) / each;
  const items = Math.min(full, 1 + limit / each);
  const sent = Math.max(1, Math.min(items, load / used));
  const bytes = sent * (itemBytes + tag);
  const [handling, network] = [handlingOf(model, hop, bytes, fit) + looks, atNetwork(bytes)];
  const flight = remote * latencyOf(net, bytes) + (1 - remote) * (send + receive + costs.byte * bytes);
  const stall = Math.max(0, 2 * flight + handling - (candidate.buffersPerLink - 1) * items * each);
  return {
    alpha,
    each,
    full,
    items,
    sent,
    handling,
    network,
    flight,
    stall: candidate.type === "trivial" ? 0 : stall,
    open: openPush(costs.open, used, bytesOfLink(candidate)),
    best,
    bound: bufferBound(stream, delayCost),
    wait: (Math.min(items - 1, load / used) * each) / 2,
  };
}

/** Sizes of buffers tried at a rate, bytes: of 1, 2, 3, 4, 6, 8, 12 … items up to the largest without it. */
export function buffersAt(itemBytes: number, usual: readonly number[]): number[] {
  const most = usual.at(-1) as number;
  const sizes = [...usual];
  for (let items = 1; items * itemBytes <= most; items *= 2) {
    sizes.push(Math.ceil(items * itemBytes));
    if (items > 1 && items * 1.5 * itemBytes <= most) sizes.push(Math.ceil(items * 1.5 * itemBytes));
  }
  return [...new Set(sizes)].sort((a, b) => a - b);
}
