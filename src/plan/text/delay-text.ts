/** A plan's text about items that come at a rate and whose delay costs something. */
import { besideText, bytesText, durationText, percentText, SAME_SHARE } from "../../ground/base/units.ts";
import { rateText } from "../aggregation/explain.ts";
import type { ConveyorWorkload } from "../model/cost-model.ts";
import type { ConveyorAggregation, HopAggregation } from "../model/delay.ts";

/**
 * Of what was chosen: the rate, each hop with its bound, the cost of an item, and the delay.
 * @param isGiven whether the longest delay was forced, and so not chosen
 */
export function aggregationLines(
  { rate = 0, delayCost = 0, itemBytes }: ConveyorWorkload,
  { cost, messages, work, delay, busy, hops, maxDelay, fill }: ConveyorAggregation,
  isGiven: boolean,
): string[] {
  const parts = [
    `${durationText(messages)} for messages`,
    `${durationText(work)} for its own work`,
    `${durationText(delayCost === 0 ? 0 : delayCost * delay)} for a delay of ${durationText(delay)}`,
  ];
  return [
    rateLine({ rate, delayCost }),
    ...hops.map((hop, number) => `hop ${number + 1}: ${hopText(hop, itemBytes)}`),
    `an item costs ${durationText(cost)}: ${parts.join(", ")}; a PE is busy for ${percentText(busy)} of the time`,
    ...(isGiven
      ? []
      : maxDelay === 0
        ? ["items do not wait for others"]
        : [
            maxDelay < fill
              ? `maxDelay ${msText(maxDelay)}: buffers take ${msText(fill)} to become full at this rate, which is more than a delay is worth, and are sent before`
              : `maxDelay ${msText(maxDelay)}: twice the ${msText(fill)} in which buffers become full at this rate, so that it acts where items come less often`,
          ]),
  ];
}

const rateLine = ({ rate = 0, delayCost = 0 }: Pick<ConveyorWorkload, "rate" | "delayCost">): string =>
  `${rateText(rate)} of a PE, a ns of an item's delay costs ${delayCost} ns`;

/** Of a rate that no PE can push at. */
export function busyLines(workload: ConveyorWorkload, { busy }: ConveyorAggregation): string[] {
  const why =
    busy < 1 ? "its delay costs more than can be said" : `it would be busy for ${percentText(busy)} of the time`;
  return [rateLine(workload), `a PE cannot push as many: ${why}; planned for the shortest time, without a rate`];
}

/** Example: `0.128 ms` */
const msText = (ms: number): string => `${Number(ms.toPrecision(3))} ms`;

function hopText({ alpha, rate, items, best, bound, wait }: HopAggregation, itemBytes: number): string {
  const sizes =
    bound === Number.POSITIVE_INFINITY
      ? "any size is of use"
      : bound <= itemBytes
        ? "no buffer of several items is of use (4.13)"
        : `best ${bytesText(best * itemBytes)}, none of ${bytesText(bound)} or more is of use (4.13)`;
  const filled =
    items === 1
      ? "1 item in a buffer"
      : `${Number(items.toPrecision(3))} items in a buffer wait for ${durationText(wait)} each`;
  return `a message costs ${durationText(alpha)}, ${rateText(rate)} for a link; ${filled}; ${sizes}`;
}

/** The disadvantage of another candidate: what adds most to the cost of an item. */
export function dearerText(other: ConveyorAggregation, chosen: ConveyorAggregation): string {
  const more = `${durationText(other.cost)} an item, ${besideText(other.cost / chosen.cost, "as much")}`;
  const delayed = ({ cost, messages, work }: ConveyorAggregation) => cost - messages - work;
  const parts = [
    { what: "messages", more: other.messages - chosen.messages, of: [other.messages, chosen.messages] },
    { what: "the work for it", more: other.work - chosen.work, of: [other.work, chosen.work] },
    { what: "a delay of", more: delayed(other) - delayed(chosen), of: [other.delay, chosen.delay] },
  ].sort((a, b) => b.more - a.more);
  const [{ what, of, more: most }] = parts as [(typeof parts)[number]];
  if (most <= SAME_SHARE * chosen.cost) return `${more}: hardly a difference`;
  const [its, own] = of.map(durationText);
  return `${more}: ${what} ${its} instead of ${own}`;
}
