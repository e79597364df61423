/**
 * planAggregation: whether to aggregate, in which buffers, how long an item may wait, and why.
 *
 * It counts whole items: a buffer of n items is sent with its last one, so that an item waits for (n - 1) / (2 Q) in
 * the mean and costs
 *
 *     alpha / n + beta S + c((n - 1) / (2 Q))       on each hop, if c is linear
 *
 * ((4.2) divided by Q tau, with that mean in place of tau / 2); for any other c the mean cost over the items of a
 * message counts, each of which waits alike on each hop. Of the numbers beside the best timeout (best.ts) the one with
 * the least cost is taken. Beyond the thesis: a PE cannot send longer than all the time, so n is at least what keeps it
 * busy for MOST_BUSY.
 *
 * Limits: those of the model (stream.ts); the rate is the same to all links.
 *
 * Example: alpha 1000 ns, 4 links, a million items of 8 bytes a second, kappa 0.01: 7 items, as sqrt(2 x 0.25 x 1000 /
 * 10) is 7.07.
 */
import { UsageError } from "../../ground/base/errors.ts";
import { amount, checkOptions, countable, is, optionsOf, whole } from "../../ground/base/options.ts";
import { CONVEYOR_FIELDS, MAX_BUFFER_BYTES } from "../../route/geometry/options.ts";
import type { AggregationAnswer, AggregationPlan, AggregationWorkload } from "./aggregation-plan.ts";
import { bestTimeoutFor } from "./best.ts";
import { bufferBound, usefulBuffers } from "./buffers.ts";
import { meanDelayCost } from "./costs.ts";
import { explainAggregation, reasonsFor } from "./explain.ts";
import {
  type AggregatedStream,
  between,
  checkDelayCost,
  checkThreshold,
  type DelayCost,
  delayed,
  perNs,
} from "./stream.ts";

/** The part of the time for which a PE may send. More items are gathered rather than that it is exceeded. */
const MOST_BUSY = 0.8;
/** The most items of a message, where a delay costs nothing. */
const MOST_ITEMS = 2 ** 20;
/** Times of a full buffer that an item may wait for: random arrivals seldom take as long. */
const PATIENCE = 2;
/** A given buffer of more than so many times the best items is sent by the delay before it is full. */
const MUCH = 1.5;

const WORKLOAD = optionsOf<AggregationWorkload>(
  {
    alpha: amount,
    beta: amount,
    rate: CONVEYOR_FIELDS.rate,
    itemBytes: countable("bytes"),
    // below, with words of its own
    delayCost: is("a number >= 0, or a function of ns", () => true),
    links: whole(1),
    hops: whole(1),
    threshold: amount,
    bufferBytes: countable("bytes"),
  },
  ["alpha", "rate", "itemBytes"],
);

/**
 * Whether to aggregate, and how.
 *
 *     const plan = planAggregation({ alpha: 1000, rate: 1e6, links: 4, itemBytes: 8, delayCost: 0.01 });
 *     console.log(plan.explain());
 *
 * @throws UsageError for invalid arguments
 */
export function planAggregation(workload: AggregationWorkload): AggregationPlan {
  checkOptions("planAggregation", WORKLOAD, workload);
  const { alpha, beta = 0, rate, itemBytes, delayCost, links = 1, hops = 1 } = workload;
  const { threshold = 1, bufferBytes } = workload;
  checkDelayCost(delayCost);
  checkThreshold(threshold);
  if (bufferBytes !== undefined && bufferBytes * threshold < itemBytes) {
    throw new UsageError(
      `bufferBytes: expected at least ${Math.ceil(itemBytes / threshold)} bytes, as an item has ${itemBytes} and a buffer is sent when ` +
        `${threshold} of it is full, got ${bufferBytes}. Leave it out to have it chosen.`,
    );
  }
  const stream: AggregatedStream = { alpha, beta, rate: rate / links, itemBytes };
  const each = between(stream);
  // of one hop: a line costs the same on each, of another cost each has its part
  const ofHop = typeof delayCost === "number" ? delayCost : (ns: number) => delayCost(hops * ns) / hops;
  const best = bestTimeoutFor(stream, ofHop) / each;
  const costOf = (items: number) => {
    const messages = hops * (alpha / items + beta * itemBytes);
    const delay = meanCost(delayCost, items, hops * each);
    return { total: messages + delay, messages, delay };
  };
  const busyWith = (items: number) => hops * perNs(workload) * (alpha / items + beta * itemBytes);
  const most = Math.max(1, Math.floor(Math.min(MOST_ITEMS, (MAX_BUFFER_BYTES * threshold) / itemBytes)));
  const chosen = Math.max(
    leastCost(best, most, (n) => costOf(n).total),
    leastItems(workload, most),
  );
  const full = bufferBytes === undefined ? chosen : Math.floor((bufferBytes * threshold) / itemBytes);
  const items = full > MUCH * chosen ? chosen : full;
  const without = costOf(1).total;
  const cost = { ...costOf(items), without };
  const aggregates = items > 1 && (cost.total < without || busyWith(1) > MOST_BUSY);
  const [fillTime, meanDelay] = [full * each, (hops * (items - 1) * each) / 2];
  const plan: AggregationAnswer = {
    aggregates,
    bufferBytes: bufferBytes ?? Math.ceil((items * itemBytes) / threshold),
    items,
    maxDelay: (hops * delayLimit(items, full, each)) / 1e6,
    fillTime,
    meanDelay,
    cost,
    busy: { planned: busyWith(items), without: busyWith(1) },
    bounds:
      typeof delayCost === "number"
        ? {
            useful: usefulBuffers(stream, delayCost, threshold),
            bound: bufferBound(stream, delayCost, threshold),
          }
        : null,
    workload,
  };
  const reasons = reasonsFor(plan, best);
  return { ...plan, reasons, explain: () => explainAggregation(plan, reasons) };
}

/**
 * How long an item may wait, ns. A buffer that is to become full has twice the time in which it does: what is left of a
 * burst, or comes at a rate that falls, shall not wait for ever, and random arrivals seldom take as long. A larger one
 * is sent when so many items are there.
 * @param items of a message @param full items of a full buffer @param each time from one item of the buffer to the
 * next, ns
 */
export function delayLimit(items: number, full: number, each: number): number {
  if (items <= 1) return 0;
  return items < full ? (items - 1) * each : PATIENCE * items * each;
}

/** Items of which each is counted; of more the mean is an integral. */
const COUNTED = 1024;

/** The mean cost of the delays of so many items, of which one comes every `each` ns, until the last has come. */
function meanCost(delayCost: DelayCost, items: number, each: number): number {
  const longest = (items - 1) * each;
  if (typeof delayCost === "number") return (delayCost * longest) / 2;
  if (items > COUNTED) return meanDelayCost(delayCost, longest);
  let sum = 0;
  for (let i = 0; i < items; i++) sum += delayed(delayCost, i * each);
  return sum / items;
}

/** Of the whole numbers around `best`, and 1, that of least cost. The last of n items comes after n - 1. */
function leastCost(best: number, most: number, cost: (items: number) => number): number {
  const low = Math.min(most, Math.max(1, Math.floor(best)));
  const tried = [1, ...[2, low, low + 1, low + 2].map((items) => Math.min(most, items))];
  return tried.reduce((a, b) => (cost(b) < cost(a) ? b : a));
}

/** The least items of a message with which a PE is busy for at most MOST_BUSY; 1 where bytes alone take more. */
export function leastItems(workload: Omit<AggregationWorkload, "delayCost">, most: number): number {
  const { alpha, beta = 0, itemBytes, hops = 1 } = workload;
  const sent = hops * perNs(workload);
  const [messages, bytes] = [sent * alpha, sent * beta * itemBytes];
  if (bytes >= MOST_BUSY) return 1;
  return Math.min(most, Math.max(1, Math.ceil(messages / (MOST_BUSY - bytes))));
}
