/**
 * Model latency of a dissemination barrier.
 *
 * What: in round k = 0, 1, ... < log2(n) the PE at position i of the order sends to the one at i + 2^k and then
 * receives from the one at i - 2^k (modulo n). After the last round every PE has information, directly or indirectly,
 * from every other. A PE starts its next round when its receive is done, and its relay. Limits: contention is not
 * modelled: every round has n messages in flight at once, so measurements may differ on machines with narrow links.
 * Source: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization" (1988); Smelt's runtime has it as an
 * alternative, in core order.
 *
 * Example: send 2, receive 3 everywhere, 4 PEs: two rounds of 5, so 10.
 */
import type { TreeProblem } from "../model/tree.ts";

type Costs = Pick<TreeProblem, "size" | "send" | "receive" | "propagate" | "relay">;

/** Time until the last PE leaves the barrier when all enter at 0. */
export function disseminationLatency(problem: Costs, order: readonly number[]): number {
  return disseminate(problem, order, new Float64Array(problem.size)).reduce((max, time) => Math.max(max, time), 0);
}

/** The time when each PE leaves, by position in the order, if they enter at `starts`. */
export function disseminate(problem: Costs, order: readonly number[], starts: Float64Array): Float64Array {
  const { size, send, receive, propagate, relay } = problem;
  // plain loops: the search for an order spends its time here
  const clock = starts.slice();
  const sent = new Float64Array(size);
  for (let step = 1; step < size; step *= 2) {
    for (let i = 0; i < size; i++) {
      const to = order[i + step < size ? i + step : i + step - size] as number;
      const wait = step > 1 ? (relay[order[i] as number] as number) : 0;
      sent[i] = (clock[i] as number) + wait + (send[(order[i] as number) * size + to] as number);
    }
    for (let i = 0; i < size; i++) {
      const from = i < step ? i + size - step : i - step;
      const edge = (order[from] as number) * size + (order[i] as number);
      const there = (sent[from] as number) + (propagate[edge] as number);
      clock[i] = Math.max(sent[i] as number, there) + (receive[edge] as number);
    }
  }
  return clock;
}
