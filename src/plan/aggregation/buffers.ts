/**
 * Which buffer: equations 4.5, 4.6 and 4.10 to 4.13 of the model of aggregation (stream.ts).
 *
 * Example: alpha 1000 ns, a million items of 8 bytes a second, kappa 0.1. 2 Q S alpha / kappa is 160 bytes: a buffer is
 * of use from 8.4 to 151.6 bytes by (4.12), below 160 by (4.13).
 */
import { type AggregatedStream, checkKappa, checkSize, checkStream, checkThreshold, perNs } from "./stream.ts";

/**
 * (4.5): the least buffer that a timeout sends before it is full, bytes: Q S tau / f.
 * @param threshold f: the fraction at which a buffer is sent @throws UsageError for arguments that are none
 */
export function leastBufferFor(stream: AggregatedStream, timeoutNs: number, threshold = 1): number {
  checkStream(stream);
  checkSize("timeoutNs", "ns", timeoutNs);
  checkThreshold(threshold);
  return (perNs(stream) * stream.itemBytes * timeoutNs) / threshold;
}

/**
 * (4.6): the mean time until a buffer is sent because it is full, ns: b f / (Q S).
 * @param bufferBytes b @param threshold f @throws UsageError for arguments that are none
 */
export function fillTimeOf(stream: AggregatedStream, bufferBytes: number, threshold = 1): number {
  checkStream(stream);
  checkSize("bufferBytes", "bytes", bufferBytes);
  checkThreshold(threshold);
  return (bufferBytes * threshold) / (perNs(stream) * stream.itemBytes);
}

/** 2 Q S alpha / kappa, bytes; Infinity where a delay costs nothing. */
const span = (stream: AggregatedStream, kappa: number): number =>
  (2 * perNs(stream) * stream.itemBytes * stream.alpha) / kappa;

/** Sizes of buffers, bytes. */
export interface UsefulBuffers {
  readonly least: number;
  readonly most: number;
}

/**
 * (4.12), solved: the buffers that gain something, for c(t) = kappa t, bytes. With x = b f and M = 2 Q S alpha / kappa
 * it says M >= x^2 / (x - S), that is x^2 - M x + M S <= 0: from (M - r) / 2 to (M + r) / 2 with r = sqrt(M^2 - 4 M S).
 * At the ends the gain of (4.7) is 0. null if there is none: M < 4 S, that is 2 Q alpha / kappa < 4 items.
 *
 * Limits: (4.2) counts a delay of tau / 2 for each item. In a buffer that is sent with its last item the last waits for
 * nothing, and the mean is (n - 1) / (2 Q): counted so, what is of use ends at M (4.13), and begins with two items.
 * @param threshold f @throws UsageError for arguments that are none
 */
export function usefulBuffers(stream: AggregatedStream, kappa: number, threshold = 1): UsefulBuffers | null {
  checkStream(stream);
  checkKappa(kappa);
  checkThreshold(threshold);
  const { alpha, itemBytes } = stream;
  if (alpha === 0) return null;
  const most = span(stream, kappa);
  if (most === Number.POSITIVE_INFINITY) return { least: itemBytes / threshold, most };
  if (most < 4 * itemBytes) return null;
  const large = (most / 2) * (1 + Math.sqrt(1 - (4 * itemBytes) / most));
  // the product of both is M S: no difference of numbers that are nearly equal
  return { least: (itemBytes * (most / large)) / threshold, most: large / threshold };
}

/**
 * (4.13): what a buffer must be smaller than to gain anything, for c(t) = kappa t, bytes: 2 Q S alpha / (kappa f). It
 * follows from (4.12).
 *
 * It is a limit and not the best size: at it nothing is gained. In items it is the square of the best number
 * ({@link bestBuffer}). Infinity where a delay costs nothing.
 * @param threshold f @throws UsageError for arguments that are none
 */
export function bufferBound(stream: AggregatedStream, kappa: number, threshold = 1): number {
  checkStream(stream);
  checkKappa(kappa);
  checkThreshold(threshold);
  return stream.alpha === 0 ? 0 : span(stream, kappa) / threshold;
}
