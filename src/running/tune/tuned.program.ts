/** The program of the PEs in a tuning: the user's; sums of its sessions, and those of all PEs for all nodes. */

import { wallClock } from "../../ground/base/event-loop/timers.ts";
import { leavingError } from "../../links/transport/underway.ts";
import type { PE } from "../../pe/pe.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { type Spmd, spmd } from "../../pe/spmd.ts";
import type { CostModel } from "../../plan/model/cost-model.ts";
import type { SimulatedNetwork } from "../../plan/network/network.ts";
import { enterOutside, leaveOutside } from "../run/in-main.ts";
import { loadProgram } from "../run/module.ts";
import { worldCosts } from "./costs.ts";
import { addUpSessions, type SessionsOfEntry } from "./sessions.ts";
import { entriesIn } from "./trials.ts";

/** One run of the user's program. */
export interface TunedJob {
  /** The URL of its module. */
  readonly module: string;
  readonly args: unknown;
  /** Runs of its main before the one that counts. */
  readonly warm: number;
  /** The fingerprint of this node's machine. */
  readonly machine: string;
  /** Whether the costs of plans are wanted; with a network that is given. */
  readonly wantsCosts: boolean;
  readonly network: SimulatedNetwork | undefined;
}

/** By the name of an entry: the costs that plans for its items are made with. */
export type TunedCosts = Readonly<Record<string, CostModel>>;

/** The answer of a run; the same at the first PE of each node. */
export interface TunedRun {
  /** By rank. */
  readonly sessions: readonly (readonly SessionsOfEntry[])[];
  readonly pesOfNode: readonly number[];
  /** The fingerprint of each node's machine. */
  readonly machines: readonly string[];
  /** When it ended, ms since 1970, by the clock of node 0. */
  readonly ended: number;
  /** Null if they were not wanted. */
  readonly costs: TunedCosts | null;
}

const program: Spmd = spmd(async (pe: PE, job: unknown): Promise<TunedRun | undefined> => {
  const { module, args, warm, machine, wantsCosts, network } = job as TunedJob;
  enterOutside({ rank: pe.rank, module });
  const { main } = await loadProgram(module);
  leaveOutside();
  for (let i = 0; i < warm; i++) {
    await main(pe, args);
    checkEnd(pe);
  }
  const adding = addUpSessions(pe.size);
  try {
    await main(pe, args);
  } finally {
    adding.stop();
  }
  checkEnd(pe);
  const all = pe.allgather({ sessions: adding.stop(), node: pe.node, machine });
  const sessions = all.map((one) => one.sessions);
  const costsOf = (): TunedCosts =>
    Object.fromEntries(
      entriesIn({ sessions }).map(({ name, workload: { itemBytes } }) => [name, worldCosts(pe, itemBytes, network)]),
    );
  const costs = wantsCosts ? pe.broadcast(pe.rank === 0 ? costsOf() : null, 0) : null;
  const ended = pe.broadcast(wallClock(), 0);
  if (pe.nodeRank > 0) return undefined;
  const nodes = Array.from({ length: pe.nodes }, (_, node) => all.filter((one) => one.node === node));
  return {
    sessions,
    pesOfNode: nodes.map((pes) => pes.length),
    machines: nodes.map(([first]) => (first as { machine: string }).machine),
    ended,
    costs,
  };
});

/** @throws RankLostError in the middle of a session: the PE would leave now */
function checkEnd(pe: PE): void {
  const left = leavingError(pe.rank, seatOf(pe, "tune").sessions);
  if (left !== null) throw left;
}

export default program;
