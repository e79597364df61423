/** The answer of planAggregation in words. */
import { amountText, besideText, bytesText, countText, durationText, percentText } from "../../ground/base/units.ts";
import type { AggregationAnswer } from "./aggregation-plan.ts";

/** A rate, in items per second: `250000 items/s`. */
export const rateText = (rate: number): string => `${Number(rate.toPrecision(6))} items/s`;

/** @param best number of items by the best timeout */
export function reasonsFor(plan: AggregationAnswer, best: number): string[] {
  const { items, meanDelay, cost, busy, workload } = plan;
  const { alpha, rate, itemBytes, delayCost, links = 1, hops = 1, threshold = 1, bufferBytes } = workload;
  const each = hops === 1 ? "" : ` on each of ${hops} hops`;
  const linear = typeof delayCost === "number" ? `a ns of an item's delay costs ${delayCost} ns` : "a delay costs c(t)";
  const lines = [
    `a message costs ${durationText(alpha)}, ${linear}; ${rateText(rate / links)} for each of ${countText(links, "link")}${each}`,
    `an item costs ${durationText(cost.total)}: ${durationText(cost.messages)} for messages, ${durationText(cost.delay)} for a delay of ` +
      `${durationText(meanDelay)}; one by one ${durationText(cost.without)}`,
  ];
  if (bufferBytes !== undefined) {
    const full = Math.floor((bufferBytes * threshold) / itemBytes);
    const sent = items > 1 && items < full ? ": maxDelay sends it before it is full" : "";
    lines.push(`the buffer was given; the best would have ${itemsText(best)}${sent}`);
  }
  lines.push(...boundLines(plan));
  if (busy.planned >= 1) {
    lines.push(`the PE cannot send as many: it would be busy for ${percentText(busy.planned)} of the time`);
  } else if (items > 1 && bufferBytes === undefined && items > best + 1) {
    lines.push(
      `more than the best of ${itemsText(best)}, as messages keep the PE busy: ${percentText(busy.planned)} of the time, one by one ` +
        percentText(busy.without),
    );
  }
  return lines;
}

const itemsText = (items: number): string =>
  Number.isFinite(items) ? `${amountText(items)} items` : "as many items as possible";

/** Equations 4.12 and 4.13. */
function boundLines({ bounds }: AggregationAnswer): string[] {
  if (bounds === null) return [];
  const { useful, bound } = bounds;
  if (bound === Number.POSITIVE_INFINITY) return ["buffers of any size are of use, as a delay costs nothing"];
  const within =
    useful === null
      ? "by (4.12) no buffer is of use"
      : `by (4.12) buffers from ${bytesText(useful.least)} to ${bytesText(useful.most)} are of use`;
  return [`${within}, by (4.13) none of ${bytesText(bound)} or more`];
}

export function explainAggregation(plan: AggregationAnswer, reasons: readonly string[]): string {
  const { aggregates, bufferBytes, items, maxDelay, cost } = plan;
  const beside = besideText(cost.total / cost.without, "as much");
  const compared = `${beside} ${beside.endsWith("as much") ? "as" : "than"} one by one`;
  // then a PE cannot send as many messages
  const gain = cost.total < cost.without ? compared : `${compared}, which cannot be`;
  const answer = aggregates
    ? `aggregate: buffers of ${bytesText(bufferBytes)}, ${countText(items, "item")}, maxDelay ${Number(maxDelay.toPrecision(4))} ms: ${gain}`
    : items > 1
      ? `do not aggregate: buffers of ${bytesText(bufferBytes)} cost ${compared}`
      : "do not aggregate: send items one by one";
  return [answer, ...reasons.map((line) => `  ${line}`)].join("\n");
}
