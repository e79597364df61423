/** The question and the answer of planAggregation. */
import type { UsefulBuffers } from "./buffers.ts";
import type { DelayCost } from "./stream.ts";

/** The load to be aggregated. */
export interface AggregationWorkload {
  /** The cost of a message for its sender, however short it is, ns. */
  readonly alpha: number;
  /** The cost of each byte, ns per byte. @default 0 */
  readonly beta?: number | undefined;
  /** Items per second that a PE pushes, to all links together. */
  readonly rate: number;
  /** Mean bytes of an item. */
  readonly itemBytes: number;
  /** kappa: ns of cost for each ns of an item's delay; or the cost of a delay, ns for ns, which does not fall. */
  readonly delayCost: DelayCost;
  /** Buffers that share the rate: a PE has one for each link. With several hops: on each. @default 1 */
  readonly links?: number | undefined;
  /** Times that an item is gathered on its way: a PE sends as many for others as it pushes. @default 1 */
  readonly hops?: number | undefined;
  /** The fraction of a buffer at which it is sent, above 0 and at most 1. @default 1 */
  readonly threshold?: number | undefined;
  /** Bytes of a buffer that are given; then only the delay is chosen. @default chosen */
  readonly bufferBytes?: number | undefined;
}

/** The answer in numbers. */
export interface AggregationAnswer {
  /** Whether aggregation costs less than messages of one item. */
  readonly aggregates: boolean;
  /** Bytes of a buffer, so that `threshold` of it is whole items. */
  readonly bufferBytes: number;
  /** Items of a message: 1 without aggregation; fewer than a buffer's where `maxDelay` sends it before. */
  readonly items: number;
  /** How long an item may wait on its way, ms; 0 without aggregation. At the rate, buffers are full before. */
  readonly maxDelay: number;
  /** Mean time until a buffer is full, ns; on each hop. */
  readonly fillTime: number;
  /** Mean delay of an item, ns; over all hops. */
  readonly meanDelay: number;
  /** Expected cost of an item, ns: as planned, its part for messages and bytes, for delay; and one by one. */
  readonly cost: {
    readonly total: number;
    readonly messages: number;
    readonly delay: number;
    readonly without: number;
  };
  /** The part of the time for which the PE sends; and with messages of one item. From 1 on it cannot keep up. */
  readonly busy: { readonly planned: number; readonly without: number };
  /** (4.12) and (4.13), for a linear cost; else null. `useful` is null too if no buffer is of use by (4.12). */
  readonly bounds: { readonly useful: UsefulBuffers | null; readonly bound: number } | null;
  /** Its purpose. */
  readonly workload: AggregationWorkload;
}

/** The answer; `explain()` says it in words. */
export interface AggregationPlan extends AggregationAnswer {
  /** Why, a line each. */
  readonly reasons: readonly string[];
  /** The answer, the numbers and the reasons, one line each. */
  explain(): string;
}
