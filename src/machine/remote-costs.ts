/** What messages within and between nodes cost, out of a machine model or guessed. */
import { median } from "../base/math.ts";
import type { MachineModel } from "./types.ts";

/** What messages cost, ns. */
export interface RemoteCosts {
  /** Until a message between two nodes is there. */
  readonly alpha: number;
  /** For which it keeps its sender busy. */
  readonly overhead: number;
  /** Of a step between two PEs of a node. */
  readonly near: number;
}

/** A network of today and a node of many cores, ns (TREES.md part 2, section 9). */
const GUESS: RemoteCosts = { alpha: 2100, overhead: 300, near: 200 };
/** Cycles of a ns, where a model counts in cycles and does not say how long one is. */
const CYCLES = 3;

export function remoteCosts(machine: MachineModel | undefined): RemoteCosts {
  if (machine === undefined) return GUESS;
  const { internode, unit } = machine;
  const alpha = internode?.alpha ?? GUESS.alpha;
  return {
    alpha,
    overhead: internode?.pes?.[0]?.overhead ?? Math.min(GUESS.overhead, alpha),
    near: nearOf(machine) / (unit === "cycles" ? CYCLES : 1),
  };
}

/** A message from one PE of the node to another: the median. */
function nearOf({ send, receive, unit }: MachineModel): number {
  const all = send.flatMap((row, from) =>
    row.flatMap((cost, to) => (to === from ? [] : cost + receive[from][to])),
  );
  if (all.length === 0) return GUESS.near * (unit === "cycles" ? CYCLES : 1);
  return median(all);
}
