/** The algorithms of a team's calls, in words. */
import type { Contest } from "../../../trees/model/tree.ts";
import { CHOICES, type Choosable, type Decisions } from "./decide.ts";

/** A line each. */
export function explainDecisions(decisions: Decisions): string {
  const { plan, short, long, crossovers, forced, forcedBy, latencies } = decisions;
  const { exchange, tree } = latencies;
  const reason =
    exchange === Number.POSITIVE_INFINITY
      ? `reduce and broadcast take ${tree.toFixed(1)} by the model`
      : `by the model exchange takes ${exchange.toFixed(1)}, reduce and broadcast ${tree.toFixed(1)}`;
  return [
    ...(forcedBy === undefined ? [] : [`trees: ${plan.broadcast.algorithm}, forced by ${forcedBy}`]),
    `barrier: ${plan.barrier.kind}, ${plan.barrier.latency.toFixed(1)} by the model`,
    ...(plan.contest === undefined ? [] : contestText(plan.contest)),
    ...(Object.keys(CHOICES) as Choosable[]).map((call) =>
      forced.has(call)
        ? `${call}: ${forced.get(call)}, forced by TUNDISH_ALGORITHMS`
        : `${call}: ${short[call]} up to ${crossovers[call]} bytes, ${long[call]} above` +
          (call === "allreduce" ? ` (${reason})` : ""),
    ),
    "reduceScatter, scan, exscan, gather, allgather, scatter, alltoall, alltoallv, split: direct reads, the only algorithm",
    "minloc, maxloc of reduce and allreduce: scatter, the only algorithm",
  ].join("\n");
}

/** The candidates that were measured, the kept one first, and how reliable the result is. */
function contestText(contest: Contest): string[] {
  const { turns, steady } = contest;
  const lines = (["barrier", "broadcast", "reduce"] as const).map((what) => {
    const [kept, ...others] = contest[what].map(({ name, measured, spread, won }, i) => {
      const wins = won > 0 ? `, faster than the model's favourite in ${won} of ${turns} turns` : "";
      return `${name} ${measured.toFixed(1)} ns${i === 0 ? " measured" : ""} (spread ${Math.round(100 * spread)} %${wins})`;
    });
    return `${what}: ${kept}${others.length > 0 ? `; ${others.join("; ")}` : ", the only contender"}`;
  });
  const advice = "kept for ten minutes only, as the measurements differ too much; measure on an idle machine";
  return steady ? lines : [...lines, `contest: ${advice}`];
}
