/**
 * When a buffer is sent before it has no room for another item: the threshold, the cutoff, the largest delay, and the
 * limit of all buffers together.
 *
 *     0                          threshold                1
 *     ├──────────────────────────────┼────────────────────┤  of bufferBytes
 *     │ is being filled              │ is sent            │
 *     ├────────────────────┬─────────┴────────────────────┤
 *     │ items are buffered │ items leave at once          │  by their length
 *     └──────────────────cutoff───────────────────────────┘
 *
 * threshold + cutoff <= 1, so that an item below the cutoff has room in each buffer below the threshold.
 *
 * Source: Narayanan, "Generalizing Fine-Grained Message Aggregation", section 1.3 and chapter 4.
 */
import { UsageError } from "../../ground/base/errors.ts";
import { countable, is, milliseconds, type OptionFields } from "../../ground/base/options.ts";
import { bytesText, countText, durationText, percentText } from "../../ground/base/units.ts";

/** Null and Infinity: not limited. */
export interface Sending {
  /** Fractions of a buffer, as given. */
  readonly threshold: number | null;
  readonly cutoff: number | null;
  /** ms that an item waits in buffers, over all hops. */
  readonly maxDelay: number;
  /** Bytes in a PE's open buffers, of all hops. */
  readonly maxBufferedBytes: number;
}

/** Options of conveyors that send buffers early. */
export interface SendingOptions {
  /**
   * Fraction of a buffer from which on it is sent, above 0; 1 limits nothing. `threshold` + `cutoff` must not exceed 1.
   * @default of an elastic conveyor with a cutoff below 1: 1 less that; else a buffer is sent when the next item has no
   * room
   */
  readonly threshold?: number | undefined;
  /**
   * Fraction of a buffer: a longer item leaves at once, with what is before it for the same link. From 0 on; 1 limits
   * nothing. @default of an elastic conveyor with a threshold below 1: 1 less that; else items wait whatever their
   * length
   */
  readonly cutoff?: number | undefined;
  /**
   * Time that an item waits in buffers at most, beside that between two advances, ms; with several hops each buffer has
   * its share. It applies as long as PEs call advance. @default no limit
   */
  readonly maxDelay?: number | undefined;
  /**
   * Bytes that wait in a PE's open buffers at most; when another item would exceed it, the fullest buffer is sent. With
   * several hops each has its share. @default no limit but the buffers
   */
  readonly maxBufferedBytes?: number | undefined;
}

export const SENDING_NAMES = ["threshold", "cutoff", "maxDelay", "maxBufferedBytes"] as const;

/** The check of each. */
export const SENDING_FIELDS: OptionFields<SendingOptions> = {
  threshold: is("a fraction of a buffer: above 0, at most 1", (x) => typeof x === "number" && x > 0 && x <= 1),
  cutoff: is("a fraction of a buffer: from 0 to 1", (x) => typeof x === "number" && x >= 0 && x <= 1),
  maxDelay: milliseconds,
  maxBufferedBytes: countable("bytes"),
};

/** @throws UsageError for options that cannot be together */
export function checkSending(options: SendingOptions, type: string): void {
  const { threshold, cutoff } = options;
  const name = SENDING_NAMES.find((one) => options[one] !== undefined);
  if (type === "trivial" && name !== undefined) {
    throw new UsageError(
      `${name}: a trivial conveyor sends each item by itself, so none waits. Leave it out, or take type: "tensor".`,
    );
  }
  if (threshold !== undefined && cutoff !== undefined && threshold + cutoff > 1) {
    throw new UsageError(
      `threshold, cutoff: expected a sum of at most 1, got ${threshold} + ${cutoff}. An item below the cutoff must have room in a ` +
        `buffer below the threshold: make one of them smaller, or leave one out: it is then 1 less the other.`,
    );
  }
}

/** Of checked options. A threshold of 1 and a cutoff of 1 limit nothing. */
export function sendingOf({ threshold, cutoff, maxDelay, maxBufferedBytes }: SendingOptions): Sending {
  const limiting = (one: number | undefined): number | null => (one === undefined || one === 1 ? null : one);
  return {
    threshold: limiting(threshold),
    cutoff: limiting(cutoff),
    maxDelay: maxDelay ?? Number.POSITIVE_INFINITY,
    maxBufferedBytes: maxBufferedBytes ?? Number.POSITIVE_INFINITY,
  };
}

/** Threshold and cutoff for items of any length: one not given is 1 less the other. One size needs the given. */
export const fractionsOf = ({
  threshold,
  cutoff,
}: Sending): { readonly threshold: number | null; readonly cutoff: number | null } => ({
  threshold: threshold ?? (cutoff === null ? null : 1 - cutoff),
  cutoff: cutoff ?? (threshold === null ? null : 1 - threshold),
});

/** A line; empty if nothing is limited. @param itemShare fraction of a buffer for an item; 0 for any length */
export function sendingText(
  { threshold, cutoff, maxDelay, maxBufferedBytes }: Sending,
  hops: number,
  itemShare: number,
): string {
  const isLonger = cutoff !== null && (cutoff === 0 || itemShare > cutoff);
  const fillsIt = threshold !== null && itemShare >= threshold;
  const byItem = isLonger || fillsIt ? "at once with each item" : null;
  const share = (all: string): string => (hops === 1 ? all : `${all} in all ${countText(hops, "hop")}`);
  return [
    ...(byItem === null ? [] : [byItem]),
    ...(byItem !== null || threshold === null ? [] : [`${partText(threshold)} full`]),
    ...(byItem !== null || cutoff === null ? [] : [`with an item longer than ${partText(cutoff)} of it`]),
    ...(maxDelay === Number.POSITIVE_INFINITY ? [] : [`after ${share(durationText(maxDelay * 1e6))}`]),
    ...(maxBufferedBytes === Number.POSITIVE_INFINITY
      ? []
      : [`if it is the fullest when more than ${share(bytesText(maxBufferedBytes))} would wait`]),
  ].join(", ");
}

/** A part of a buffer. What is next to none, or to all of it, has as many digits as it needs not to look so. */
function partText(share: number): string {
  if (share < 0.0005) return `${Number((100 * share).toPrecision(2))} %`;
  const rest = Number((100 * (1 - share)).toPrecision(2));
  return share > 0.995 && share < 1
    ? `${Number((100 - rest).toPrecision(15))} %`
    : percentText(Number(share.toPrecision(12)));
}
