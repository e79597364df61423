/**
 * The choice of the algorithm of a call, separate from the algorithms.
 *
 * | call | algorithms |
 * |---|---|
 * | broadcast | `tree` (tree-broadcast.ts) for short, `single-copy` (single-copy.ts) for long arrays |
 * | reduce | `tree` (tree-reduce.ts) for short, `scatter` (scatter-reduce.ts) for long arrays |
 * | allreduce | `exchange` (exchange.ts) or `tree` (reduce, then broadcast) for short, `scatter` for long |
 *
 * The crossover from short to long is measured (`tundish bench crossovers`) and is part of the machine model. Without
 * one the defaults below apply, which were measured on 2 PEs of an AMD EPYC. The model chooses between exchange and
 * tree. Pairs of `minloc` and `maxloc` are by `scatter` in any length, as messages of a line would cut them. A step
 * between nodes may be `mpi`, see mpi-choice.ts. Precedence: the call's option, then TUNDISH_ALGORITHMS, then this
 * choice.
 */

import type { CollectivePlan } from "../../../trees/model/tree.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { unknownName } from "../../ground/base/names.ts";
import { setting } from "../../ground/base/settings.ts";
import { isLocOp } from "../../ground/memory/kernels/elements.ts";
import type { CollectiveAlgorithm } from "../team/call-words.ts";
import type { Op } from "../team/payload.ts";

/** Calls with a choice of algorithms. */
export type Choosable = "broadcast" | "reduce" | "allreduce";

/** The algorithms of each call; the last one is for long arrays. */
export const CHOICES: Readonly<Record<Choosable, readonly [short: CollectiveAlgorithm, ...CollectiveAlgorithm[]]>> = {
  broadcast: ["tree", "single-copy"],
  reduce: ["tree", "scatter"],
  allreduce: ["exchange", "tree", "scatter"],
};

/** Calls whose step between nodes may be the MPI library's own collective: the algorithm `mpi`. */
export const MPI_CALLS = ["barrier", "broadcast", "allreduce"] as const;
export type MpiCall = (typeof MPI_CALLS)[number];
/** Largest value of such a step. */
export const MPI_BYTES = 1024;

/** Largest size in bytes for which the short algorithm is faster. */
export type Crossovers = Readonly<Record<Choosable, number>>;

/** Measured by `tundish bench crossovers` on 2 PEs; see the head of this file. */
export const DEFAULT_CROSSOVERS: Crossovers = { broadcast: 112, reduce: 112, allreduce: 112 };

/** The choices of a team, each made once. */
export class Decisions {
  readonly plan: CollectivePlan;
  readonly short: Readonly<Record<Choosable, CollectiveAlgorithm>>;
  readonly long: Readonly<Record<Choosable, CollectiveAlgorithm>>;
  readonly crossovers: Crossovers;
  /** By TUNDISH_ALGORITHMS. */
  readonly forced: ReadonlyMap<Choosable, CollectiveAlgorithm>;
  /** The setting that forces the algorithm of the trees, if any. */
  readonly forcedBy: string | undefined;
  readonly latencies: AllreduceLatencies;

  /** @param forcedBy the setting that forces the algorithm of the trees, if any */
  constructor(plan: CollectivePlan, size: number, crossovers: Crossovers = DEFAULT_CROSSOVERS, forcedBy?: string) {
    const forced = parseForced(setting("algorithms"));
    const pick = (call: Choosable, algorithm: CollectiveAlgorithm): CollectiveAlgorithm =>
      forced.get(call) ?? algorithm;
    this.plan = plan;
    this.crossovers = crossovers;
    this.forced = forced;
    this.forcedBy = forcedBy;
    this.latencies = allreduceLatencies(plan, size);
    const { exchange, tree } = this.latencies;
    this.short = {
      broadcast: pick("broadcast", "tree"),
      reduce: pick("reduce", "tree"),
      allreduce: pick("allreduce", exchange < Number.POSITIVE_INFINITY && exchange <= tree ? "exchange" : "tree"),
    };
    this.long = {
      broadcast: pick("broadcast", "single-copy"),
      reduce: pick("reduce", "scatter"),
      allreduce: pick("allreduce", "scatter"),
    };
  }

  /** The algorithm for a call over `bytes` bytes. @throws UsageError if the call has no such algorithm */
  choose(call: Choosable, bytes: number, wish?: CollectiveAlgorithm): CollectiveAlgorithm {
    if (wish !== undefined) return check(call, wish);
    return bytes <= this.crossovers[call] ? this.short[call] : this.long[call];
  }

  /** As {@link choose}, for a reduction with this op. */
  chooseFor(op: Op, call: "reduce" | "allreduce", bytes: number, wish?: CollectiveAlgorithm): CollectiveAlgorithm {
    const algorithm = this.choose(call, bytes, wish);
    if (!isLocOp(op)) return algorithm;
    if (wish === undefined || wish === "scatter") return "scatter";
    throw new UsageError(`algorithm: ${op} is by scatter only, got ${wish}. Leave it out.`);
  }
}

function check(call: Choosable, wish: CollectiveAlgorithm): CollectiveAlgorithm {
  if (CHOICES[call].includes(wish)) return wish;
  throw new UsageError(`algorithm: ${call}: ${unknownName("algorithm", wish, CHOICES[call])}`);
}

/** The calls of `barrier=mpi,allreduce=tree` that are forced to `mpi` between nodes. */
export const forcedToMpi = (text: string): ReadonlySet<MpiCall> =>
  new Set(MPI_CALLS.filter((call) => text.split(",").includes(`${call}=mpi`)));

/**
 * Parses `broadcast=single-copy,allreduce=tree`; what is forced to `mpi` is left out, see {@link forcedToMpi}.
 * @throws UsageError for an unknown call or algorithm
 */
export function parseForced(text: string): Map<Choosable, CollectiveAlgorithm> {
  const isMpi = (entry: string) => MPI_CALLS.some((call) => entry === `${call}=mpi`);
  const entries = text.split(",").filter((entry) => entry !== "" && !isMpi(entry));
  return new Map(
    entries.map((entry): [Choosable, CollectiveAlgorithm] => {
      const [call, algorithm] = entry.split("=") as [Choosable, CollectiveAlgorithm];
      if (!Object.hasOwn(CHOICES, call)) {
        throw new UsageError(
          `TUNDISH_ALGORITHMS: expected CALL=ALGORITHM, got ${entry}: ${unknownName("call", call, Object.keys(CHOICES))}`,
        );
      }
      return [call, check(call, algorithm)];
    }),
  );
}

/** The latency of a short allreduce by the model, for both algorithms. */
export interface AllreduceLatencies {
  /** Infinity if the barrier does not tell it. */
  readonly exchange: number;
  readonly tree: number;
}

/**
 * Exchange has the same message pattern as a dissemination barrier, so that barrier's latency predicts it. If another
 * barrier is the fastest, the trees are used.
 */
export function allreduceLatencies({ barrier, reduce, broadcast }: CollectivePlan, size: number): AllreduceLatencies {
  const tree = reduce.latency + broadcast.latency;
  if (barrier.kind !== "dissemination") return { exchange: Number.POSITIVE_INFINITY, tree };
  const rounds = Math.max(1, Math.ceil(Math.log2(size)));
  // PEs beyond the largest power of two send their values first and receive the result last
  const folds = Number.isInteger(Math.log2(size)) ? 0 : 2;
  const steps = Math.floor(Math.log2(size)) + folds;
  return { exchange: (barrier.latency / rounds) * steps, tree };
}
