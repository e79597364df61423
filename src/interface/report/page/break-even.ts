/**
 * From which time on work gains on several PEs, by a simple model: what takes T on one thread takes T / P on P PEs, and
 * what was measured beside. So T must be above that cost times P / (P - 1).
 *
 * Limits: loops that wait for memory are not P times as fast. Where a quota limits CPU time, P is at most that.
 */
import type { ReportDocument, TimeSpread } from "../document.ts";
import { isOurs } from "./charts/series.ts";
import { isThere } from "./section.ts";

/** From which time on work gains, ns: of a loop, or of each item, on one thread. With the measured quartiles. */
export interface BreakEven extends Pick<TimeSpread, "ns" | "low" | "high"> {
  /** The kind of cost. `call`: the PEs compute already, and the loop ends with it; `item`: each is conveyed. */
  readonly way: "run" | "launch" | "call" | "item";
  /** The call, or the program that moves items. */
  readonly name: string;
  readonly bytes: number;
  readonly pes: number;
}

/** The cost of a loop, or of the items that all PEs push at once: a break-even before the model. */
type Cost = BreakEven;

const CALLS = ["barrier", "allreduce", "alltoall", "gather"];
/** Of more it is the copying that takes the time. */
const MOST_BYTES = 32_768;
const WAYS = ["run", "launch", "call", "item"];

/** For all that was measured with a CPU for each PE, by way and then by number of PEs. */
export function breakEvens(report: ReportDocument): BreakEven[] {
  const { machine, host } = report;
  const quota = (isThere(host) ? host.quota : null) ?? machine.pes.length;
  const places = (cost: Cost) => [WAYS.indexOf(cost.way), CALLS.indexOf(cost.name), cost.bytes, cost.pes];
  return costsOf(report)
    .filter(({ pes }) => pes <= machine.pes.length && Math.min(pes, quota) > 1)
    .sort((a, b) => {
      const other = places(b);
      return places(a).reduce((order, place, i) => order || place - (other[i] as number), 0);
    })
    .map(({ ns, low, high, ...cost }) => {
      const faster = Math.min(cost.pes, quota);
      // the time of an item is that in which each PE pushes one
      const share = cost.way === "item" ? 1 / cost.pes : 1;
      const factor = (share * faster) / (faster - 1);
      return { ...cost, ns: ns * factor, low: low * factor, high: high * factor };
    });
}

function costsOf({ starts, collectives, conveyors }: ReportDocument): Cost[] {
  const begun = starts !== undefined && isThere(starts) ? starts.times : [];
  const calls = (isThere(collectives) ? collectives.times : []).filter(
    ({ name, call, bytes }) => isOurs(name) && CALLS.includes(call) && bytes <= MOST_BYTES,
  );
  // of each call the least bytes and the most
  const ends = new Map<string, readonly [least: number, most: number]>();
  for (const { call, bytes } of calls) {
    const [least, most] = ends.get(call) ?? [bytes, bytes];
    ends.set(call, [Math.min(least, bytes), Math.max(most, bytes)]);
  }
  const items = (isThere(conveyors) ? conveyors.times : []).filter(({ name }) => isOurs(name));
  return [
    ...begun.flatMap(({ call, ...time }): Cost[] =>
      call === "run" || call === "launch" ? [{ ...time, way: call, name: call, bytes: 0 }] : [],
    ),
    ...calls
      .filter(({ call, bytes }) => ends.get(call)?.includes(bytes))
      .map(({ call, ...time }): Cost => ({ ...time, way: "call", name: call })),
    ...items.map((time): Cost => ({ ...time, way: "item" })),
  ];
}
