/** The work of the network of a simulation: how busy its parts were, and who waited. */
import { countText, durationText } from "../../../ground/base/units.ts";
import type { NetworkUse } from "../../../running/simulate/network/network.ts";
import { tableText } from "./table.ts";

export function networkText(use: NetworkUse, time: number): string {
  const { messages, packets, bytes, injection, ejection, link, bisection } = use;
  const busy = Object.entries({ injection, ejection, link, bisection }).filter(([, ns]) => ns > 0);
  const rows = busy.map(([part, ns]) => [part, durationText(ns), `${Math.round((100 * ns) / time)} %`]);
  return [
    `${countText(messages, "message")} in ${countText(packets, "packet")} of ${countText(bytes, "byte")} between nodes; ` +
      `at one node at most ${countText(use.peakInjection, "message")} before injection, ` +
      `${countText(use.peakEjection, "packet")} before ejection; ` +
      `${durationText(use.blocked)} without a place at the receiver, summed over nodes`,
    ...(rows.length === 0 ? [] : [tableText(["the busiest", "busy", "of the time"], rows, [])]),
  ].join("\n");
}
