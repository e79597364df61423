/** The costs of messages within and between nodes, from a machine model or guessed. */
import { median } from "../../ground/base/math.ts";
import { type MpiTimes, plannable } from "./internode.ts";
import type { MachineModel } from "./machine-model.ts";

/** Costs of messages, ns. */
export interface RemoteCosts {
  /** Time until a message between two nodes is received. */
  readonly alpha: number;
  /** Time for which it keeps its sender busy. */
  readonly overhead: number;
  /** Time of a step between two PEs of a node. */
  readonly near: number;
  /** Collectives by messages and by the MPI library; null if they were not measured. */
  readonly mpi: MpiTimes | null;
}

/** A current network and a node with many cores, ns. */
const GUESS: RemoteCosts = { alpha: 2100, overhead: 300, near: 200, mpi: null };
/** Assumed cycles per ns, if a model counts in cycles and does not state their length. */
const CYCLES = 3;

export function remoteCosts(machine: MachineModel | undefined): RemoteCosts {
  if (machine === undefined) return GUESS;
  const { unit } = machine;
  const internode = plannable(machine.internode);
  const alpha = internode?.alpha ?? GUESS.alpha;
  return {
    alpha,
    overhead: internode?.pes?.[0]?.overhead ?? Math.min(GUESS.overhead, alpha),
    near: nearOf(machine) / (unit === "cycles" ? CYCLES : 1),
    mpi: internode?.collectives ?? null,
  };
}

/** The median cost of a message between two PEs of the node. */
function nearOf({ send, receive, unit }: MachineModel): number {
  const all = send.flatMap((row, from) => row.flatMap((cost, to) => (to === from ? [] : cost + receive[from][to])));
  if (all.length === 0) return GUESS.near * (unit === "cycles" ? CYCLES : 1);
  return median(all);
}
