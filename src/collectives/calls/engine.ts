/** The algorithms of one PE in one team, each made once, and the choice between them. */

import { Alltoall } from "../node/alltoall.ts";
import { Barrier } from "../node/barrier.ts";
import { TeamExchange } from "../node/exchange.ts";
import { Gather } from "../node/gather.ts";
import { ScatterReduce } from "../node/scatter-reduce.ts";
import { SingleCopy } from "../node/single-copy.ts";
import { TreeBroadcast } from "../node/tree-broadcast.ts";
import { TreeReduce } from "../node/tree-reduce.ts";
import type { Team } from "../team/team.ts";
import { type Crossovers, Decisions } from "./decide.ts";
import { type Inside, Ops } from "./ops.ts";

/** The common ground of a team's calls. */
export class CallEngine {
  readonly team: Team;
  readonly decisions: Decisions;
  readonly ops: Ops;
  readonly barrier: Barrier;
  readonly broadcast: TreeBroadcast;
  readonly reduce: TreeReduce;
  readonly exchange: TeamExchange;
  readonly singleCopy: SingleCopy;
  readonly scatter: ScatterReduce;
  readonly gather: Gather;
  readonly alltoall: Alltoall;

  /**
   * @param crossovers as measured on this machine; undefined for the defaults of decide.ts
   * @param forcedBy the setting that forces the algorithm of the trees, if any
   */
  constructor(team: Team, inside: Inside, crossovers?: Crossovers, forcedBy?: string) {
    this.team = team;
    this.ops = new Ops(team.payload, inside);
    this.decisions = new Decisions(team.plan, team.size, crossovers, forcedBy);
    this.barrier = new Barrier(team);
    this.broadcast = new TreeBroadcast(team);
    this.reduce = new TreeReduce(team);
    this.exchange = new TeamExchange(team);
    this.singleCopy = new SingleCopy(team);
    this.scatter = new ScatterReduce(team);
    this.gather = new Gather(team);
    this.alltoall = new Alltoall(team);
  }

  /** The algorithms of the calls, in words, a line each. */
  explain(): string {
    return `channels: ${this.team.channel}\n${this.decisions.explain()}`;
  }
}
