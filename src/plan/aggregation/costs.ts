/**
 * Whether aggregation is worth it: equations 4.1 to 4.4 (a buffer that only a timeout sends) and 4.7 to 4.9 (one that
 * is sent when it is full) of the model of aggregation (stream.ts).
 *
 * All costs are ns of a PE for the items of one buffer. beta is in each cost and in no difference: bytes are sent with
 * and without aggregation.
 *
 * Example: alpha 1000 ns, a million items a second, a ns of delay costs 0.1 ns, sent every 10 us. Of 10 items each
 * alone costs 1000 ns, together 10 000; one message costs 1000, and each item's mean delay of 5 us costs 500, together
 * 6000. The gain is 4000 ns.
 */
import {
  type AggregatedStream,
  checkDelayCost,
  checkSize,
  checkStream,
  checkThreshold,
  type DelayCost,
  delayed,
  perNs,
} from "./stream.ts";

/** (4.1): the cost of the items of `timeoutNs`, each a message, ns: alpha Q tau + beta Q S tau. @throws UsageError */
export function costWithoutAggregation(stream: AggregatedStream, timeoutNs: number): number {
  checkStream(stream);
  checkSize("timeoutNs", "ns", timeoutNs);
  const { alpha, beta = 0, itemBytes } = stream;
  return (alpha + beta * itemBytes) * perNs(stream) * timeoutNs;
}

/**
 * (4.2): what they cost as one message each `timeoutNs`, ns: alpha + beta Q S tau + Q tau c(tau / 2). An item waits for
 * tau / 2 in the mean; the thesis takes the cost of the mean delay, which is the mean cost ({@link meanDelayCost}) if c
 * is linear.
 * @throws UsageError for arguments that are none
 */
export function costOfAggregation(stream: AggregatedStream, timeoutNs: number, delayCost: DelayCost): number {
  checkStream(stream);
  checkSize("timeoutNs", "ns", timeoutNs);
  checkDelayCost(delayCost);
  const { alpha, beta = 0, itemBytes } = stream;
  const items = perNs(stream) * timeoutNs;
  return alpha + items * (beta * itemBytes + delayed(delayCost, timeoutNs / 2));
}

/**
 * (4.3): what aggregation with a timeout gains in `timeoutNs`, ns: Q tau (alpha - c(tau / 2)) - alpha. Negative where
 * it costs more than it saves. It holds for a buffer that is not full before ({@link leastBufferFor}); for others see
 * {@link gainOfBuffer}.
 * @throws UsageError for arguments that are none
 */
export function gainOfAggregation(stream: AggregatedStream, timeoutNs: number, delayCost: DelayCost): number {
  checkStream(stream);
  checkSize("timeoutNs", "ns", timeoutNs);
  checkDelayCost(delayCost);
  const { alpha } = stream;
  return perNs(stream) * timeoutNs * (alpha - delayed(delayCost, timeoutNs / 2)) - alpha;
}

/** (4.4): whether that is a gain: alpha (Q tau - 1) > Q tau c(tau / 2). @throws UsageError for bad arguments */
export function isAggregationWorthIt(stream: AggregatedStream, timeoutNs: number, delayCost: DelayCost): boolean {
  return gainOfAggregation(stream, timeoutNs, delayCost) > 0;
}

/**
 * (4.7): what a buffer that is sent when a fraction `threshold` of it is full gains in a second, ns:
 * Q tau (alpha (1 - S / (b f)) - c(b f / (2 Q S))) with tau = 1 s. Divided by 1e9 it is the part of a PE that it saves.
 * @param bufferBytes b @param threshold f: the fraction at which it is sent
 * @throws UsageError for arguments that are none
 */
export function gainOfBuffer(
  stream: AggregatedStream,
  bufferBytes: number,
  delayCost: DelayCost,
  threshold = 1,
): number {
  checkStream(stream);
  checkSize("bufferBytes", "bytes", bufferBytes);
  checkThreshold(threshold);
  checkDelayCost(delayCost);
  const { alpha, rate, itemBytes } = stream;
  const items = (bufferBytes * threshold) / itemBytes;
  return rate * (alpha * (1 - 1 / items) - delayed(delayCost, items / (2 * perNs(stream))));
}

/**
 * (4.8), and in another form (4.9): whether that is a gain: alpha (1 - S / (b f)) > c(b f / (2 Q S)). A buffer of one
 * item never is.
 * @throws UsageError for arguments that are none
 */
export function isBufferWorthIt(
  stream: AggregatedStream,
  bufferBytes: number,
  delayCost: DelayCost,
  threshold = 1,
): boolean {
  return gainOfBuffer(stream, bufferBytes, delayCost, threshold) > 0;
}

/** Steps of the integral: exact for polynomials of degree 3. */
const STEPS = 256;

/**
 * The mean cost of delays from 0 to `timeoutNs`, which are all equally frequent, ns: the integral of c, by Simpson's
 * rule. (4.2) takes c(tau / 2) instead. Both are equal for a linear c; of a convex one the mean is more: of c(t) = t^2
 * it is tau^2 / 3, not tau^2 / 4.
 * @throws UsageError for arguments that are none
 */
export function meanDelayCost(delayCost: DelayCost, timeoutNs: number): number {
  checkDelayCost(delayCost);
  checkSize("timeoutNs", "ns", timeoutNs);
  let sum = 0;
  for (let i = 0; i <= STEPS; i++) {
    const weight = i === 0 || i === STEPS ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * delayed(delayCost, (timeoutNs * i) / STEPS);
  }
  return sum / (3 * STEPS);
}
