/** The algorithms of one PE in one team, each made once, and the choice between them. */

import { Barrier } from "../node/barrier.ts";
import { TeamExchange } from "../node/exchange.ts";
import { TreeBroadcast } from "../node/tree-broadcast.ts";
import { TreeReduce } from "../node/tree-reduce.ts";
import type { Team } from "../team/team.ts";
import type { AlgorithmParts, DataAlgorithms } from "./data-algorithms.ts";
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
  readonly #late: () => AlgorithmParts;
  #data: DataAlgorithms | null = null;

  /**
   * @param crossovers as measured on this machine; undefined for the defaults of decide.ts
   * @param forcedBy the setting that forces the algorithm of the trees, if any
   */
  constructor(team: Team, inside: Inside, late: () => AlgorithmParts, crossovers?: Crossovers, forcedBy?: string) {
    this.#late = late;
    this.team = team;
    this.ops = new Ops(inside);
    this.decisions = new Decisions(team.plan, team.size, crossovers, forcedBy);
    this.barrier = new Barrier(team);
    this.broadcast = new TreeBroadcast(team);
    this.reduce = new TreeReduce(team);
    this.exchange = new TeamExchange(team);
  }

  /** Those of long arrays, and of calls that move data from PEs to PEs. */
  get data(): DataAlgorithms {
    return this.#data ?? this.#makeData();
  }

  #makeData(): DataAlgorithms {
    this.#data = new (this.#late().DataAlgorithms)(this.team, this.ops.inside, this.barrier);
    return this.#data;
  }

  /** The algorithms of the calls, in words, a line each. */
  explain(): string {
    return `channels: ${this.team.channel}\n${this.#late().explainDecisions(this.decisions)}`;
  }
}
