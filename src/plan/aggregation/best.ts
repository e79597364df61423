/**
 * The best timeout and the best buffer, from (4.3) of the model of aggregation (stream.ts). The thesis has bounds only.
 *
 * (4.3) is the gain of one period; what counts is the gain per time, and with c(t) = kappa t that is
 *
 *     g(tau) / tau = Q alpha - Q kappa tau / 2 - alpha / tau
 *     its derivative: alpha / tau^2 - Q kappa / 2 = 0
 *     tau* = sqrt(2 alpha / (Q kappa))
 *     g(tau*) / tau* = Q alpha - sqrt(2 Q alpha kappa)
 *
 * There the messages cost what the delays cost. In items, n* = Q tau* = sqrt(2 Q alpha / kappa): the square root of the
 * bound (4.13). The gain is positive if n* > 2. It is the economic order quantity (F. W. Harris, "How many parts to
 * make at once", 1913): alpha is the cost of an order, kappa that of holding a part. Half or twice the best size costs
 * 25 % more than the best: it is flat.
 *
 * Limits: a steady rate. Where it changes within a period another rule is better, and a timeout bounds what is lost.
 *
 * Example: alpha 1000 ns, a million items of 8 bytes a second, kappa 0.1: tau* is 4.47 us, in which 4.47 items come,
 * 35.8 bytes; the bound is 20 items.
 */
import { meanDelayCost } from "./costs.ts";
import {
  type AggregatedStream,
  between,
  checkDelayCost,
  checkKappa,
  checkStream,
  checkThreshold,
  type DelayCost,
  perNs,
} from "./stream.ts";

/**
 * The timeout that gains the most per time, for c(t) = kappa t, ns: sqrt(2 alpha / (Q kappa)). Infinity where a delay
 * costs nothing: the longer the better.
 * @throws UsageError for arguments that are none
 */
export function bestTimeout(stream: AggregatedStream, kappa: number): number {
  checkStream(stream);
  checkKappa(kappa);
  return stream.alpha === 0 ? 0 : Math.sqrt((2 * stream.alpha) / perNs(stream) / kappa);
}

/**
 * The buffer that is full after the best timeout, bytes: S sqrt(2 Q alpha / kappa) / f. Less than two items:
 * aggregation gains nothing.
 * @param threshold f: the fraction at which a buffer is sent @throws UsageError for arguments that are none
 */
export function bestBuffer(stream: AggregatedStream, kappa: number, threshold = 1): number {
  checkThreshold(threshold);
  return (bestTimeout(stream, kappa) * perNs(stream) * stream.itemBytes) / threshold;
}

/** Timeouts that are tried: the time of 1 item to that of a billion, in so many steps for each factor of 2. */
const MOST_OCTAVES = 30;
const STEPS = 16;

/**
 * The timeout that gains the most per time for any cost of a delay, ns: the least alpha / tau + Q times the mean of c
 * from 0 to tau (costs.ts), looked for in steps of 4.4 % and then nearer. Infinity where the longest that is tried, the
 * time of 2^30 items, is the best.
 *
 * Example: items that must not wait longer than 10 us, c(t) = t <= 10 000 ? 0 : 1e9, are sent every 10 us. (4.2) takes
 * c(tau / 2), by which 20 us would do, and half of the items would come too late.
 * @throws UsageError for arguments that are none
 */
export function bestTimeoutFor(stream: AggregatedStream, delayCost: DelayCost): number {
  checkStream(stream);
  checkDelayCost(delayCost);
  if (typeof delayCost === "number") return bestTimeout(stream, delayCost);
  const each = between(stream);
  const cost = (timeout: number) => stream.alpha / timeout + meanDelayCost(delayCost, timeout) / each;
  const at = (step: number) => each * 2 ** (step / STEPS);
  let [best, least] = [0, cost(at(0))];
  for (let step = 1; step <= MOST_OCTAVES * STEPS; step++) {
    const now = cost(at(step));
    if (now < least) [best, least] = [step, now];
  }
  if (best === MOST_OCTAVES * STEPS) return Number.POSITIVE_INFINITY;
  return nearest(cost, at(Math.max(0, best - 1)), at(best + 1), at(best));
}

/** Of the function's values between both ends the least, by golden sections; or `known`, where that is as good. */
function nearest(cost: (at: number) => number, from: number, to: number, known: number): number {
  const part = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [from, to];
  while (high - low > 1e-6 * high) {
    const [a, b] = [high - part * (high - low), low + part * (high - low)];
    if (cost(a) <= cost(b)) high = b;
    else low = a;
  }
  const found = (low + high) / 2;
  return cost(found) < cost(known) ? found : known;
}
