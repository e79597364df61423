/** The algorithms of one PE in one team for long arrays and for what moves from PEs to PEs, each made once. */
import { Alltoall } from "../node/alltoall.ts";
import type { Barrier } from "../node/barrier.ts";
import { Gather } from "../node/gather.ts";
import { ScatterReduce } from "../node/scatter-reduce.ts";
import { SharedResult } from "../node/shared-result.ts";
import { SingleCopy } from "../node/single-copy.ts";
import type { Team } from "../team/team.ts";
import type { Decisions } from "./decide.ts";
import { ElementOps } from "./element-ops.ts";
import type { Inside } from "./ops.ts";

/** Those of one team. */
export class DataAlgorithms {
  readonly ops: ElementOps;
  readonly singleCopy: SingleCopy;
  readonly scatter: ScatterReduce;
  readonly gather: Gather;
  readonly sharedResult: SharedResult;
  readonly alltoall: Alltoall;

  constructor(team: Team, inside: Inside, barrier: Barrier) {
    team.open();
    this.ops = new ElementOps(team.payload, inside);
    this.singleCopy = new SingleCopy(team);
    this.scatter = new ScatterReduce(team);
    this.gather = new Gather(team);
    this.sharedResult = new SharedResult(team, barrier);
    this.alltoall = new Alltoall(team);
  }
}

/** The parts of calls on arrays and values: their first one loads them. */
export interface AlgorithmParts {
  readonly DataAlgorithms: new (team: Team, inside: Inside, barrier: Barrier) => DataAlgorithms;
  explainDecisions(decisions: Decisions): string;
}
