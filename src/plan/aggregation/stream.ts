/**
 * A stream of items in the model of aggregation: the cost of a message, how often an item comes, the cost of its delay.
 *
 * The model is that of chapter 4 of V. Narayanan, "Generalizing fine-grained message aggregation", 2020, the thesis on
 * TRAM; the variables are those of its table 4.1. Two things that it leaves open are decided here:
 *
 * - Q is the rate of ONE buffer. The thesis calls it the rate of a PE, but counts one message in a period. A PE with
 *   buffers for L links fills each with Q / L: pass that.
 * - kappa is a number without a unit: how many ns of a PE's time one ns of delay of ONE item is worth. So all costs are
 *   ns of a PE.
 *
 * Limits: items come evenly, or at random with this mean; all have about the same size; a message keeps its sender busy
 * for alpha + beta n, and nothing else in the network waits.
 */
import { UsageError } from "../../ground/base/errors.ts";
import { amount, checkOptions, countable, is, optionsOf } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";

/** The items that go into one buffer. */
export interface AggregatedStream {
  /** alpha: what a message costs its sender, however short it is, ns. */
  readonly alpha: number;
  /** beta: what each of its bytes costs, ns per byte. It is paid with and without aggregation. @default 0 */
  readonly beta?: number | undefined;
  /** Q: items per second that go into this buffer; of L links of a PE each has its rate / L. */
  readonly rate: number;
  /** S: mean bytes of an item. */
  readonly itemBytes: number;
}

/**
 * The cost of a delay: kappa, the ns that one ns of an item's delay costs (4.10), at least 0; or any function c(t) from
 * the ns of an item's delay to ns of cost, which does not fall.
 */
export type DelayCost = number | ((delayNs: number) => number);

/** ns of a second. */
const SECOND = 1e9;

/** Bounds of the parts of rates: fewer make times that no number can say. */
const rate = is(
  "a number of items per second from 1e-30 to 2^53",
  (x) => typeof x === "number" && x >= 1e-30 && x <= 2 ** 53,
);
const STREAM = optionsOf<AggregatedStream>(
  { alpha: amount, beta: amount, rate, itemBytes: countable("bytes") },
  ["alpha", "rate", "itemBytes"],
  "field",
);

/** @throws UsageError that says what is wrong with it */
export const checkStream = (stream: AggregatedStream): void => checkOptions("stream", STREAM, stream);

/** @param name of the argument, for the message @throws UsageError unless it is a number > 0 that is not infinite */
export function checkSize(name: string, unit: string, value: number): void {
  if (Number.isFinite(value) && value > 0) return;
  throw new UsageError(`${name}: expected a number of ${unit} > 0, got ${shortText(value)}`);
}

/** @throws UsageError unless the threshold is a fraction of the buffer: above 0, at most 1 */
export function checkThreshold(threshold: number): void {
  if (typeof threshold === "number" && threshold > 0 && threshold <= 1) return;
  throw new UsageError(`threshold: expected a fraction above 0 and at most 1, got ${shortText(threshold)}`);
}

/** @throws UsageError unless it is a number >= 0; a function is checked by {@link delayed} */
export function checkDelayCost(cost: DelayCost): void {
  if (typeof cost === "function" || (Number.isFinite(cost) && cost >= 0)) return;
  throw new UsageError(
    `delayCost: expected ns of cost for each ns of an item's delay (a number >= 0), or a function of ns, got ${shortText(cost)}`,
  );
}

/** @throws UsageError unless it is a number >= 0: what is linear has bounds in closed form */
export function checkKappa(kappa: number): void {
  if (Number.isFinite(kappa) && kappa >= 0) return;
  throw new UsageError(
    `kappa: expected ns of cost for each ns of an item's delay, a number >= 0, got ${shortText(kappa)}`,
  );
}

/** Items per ns. */
export const perNs = ({ rate }: Pick<AggregatedStream, "rate">): number => rate / SECOND;

/** From one item to the next, ns: 1 / Q. */
export const between = ({ rate }: Pick<AggregatedStream, "rate">): number => SECOND / rate;

/** c(t): the cost of a delay of one item, ns. @throws UsageError if a function returns no number >= 0 */
export function delayed(cost: DelayCost, ns: number): number {
  if (typeof cost === "number") return cost * ns;
  const value = cost(ns);
  if (typeof value === "number" && value >= 0) return value;
  throw new UsageError(
    `delayCost: expected a function that returns ns of cost >= 0, got ${shortText(value)} for a delay of ${ns} ns`,
  );
}
