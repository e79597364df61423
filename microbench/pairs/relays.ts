/**
 * The relay of each PE: what forwarding a message takes it beyond the costs of the two pairs. Pairs alone do not show
 * it: batches give the rate of messages, and a round trip between two PEs is answered, not forwarded.
 *
 * A chain a, b, c there and back takes the four edges of the model between them and twice the relay of b. Each PE is in
 * the middle of a few chains, whose median counts; forwarding takes no less than nothing.
 *
 * Limits: chains of neighbours by number and of some others, not all there are. One chain at a time, so no contention.
 *
 * Example: edges of 100 and a chain of 460: the relay is 30.
 */
import { median } from "../../src/ground/base/math.ts";

/** The PEs a, b and c. */
export type Chain = readonly [from: number, relay: number, to: number];

/** Chains through each PE, at most four; none for fewer than three PEs. */
export function chainsOf(pes: number): Chain[] {
  const most = (pes - 1) >> 1;
  const steps = new Set([1, 2, pes >> 2, most].filter((step) => step >= 1 && step <= most));
  return Array.from({ length: pes }, (_, b) => b).flatMap((b) =>
    [...steps].map((step): Chain => [(b + step) % pes, b, (b + pes - step) % pes]),
  );
}

/**
 * The relay of each PE.
 * @param times of {@link chainsOf}, there and back
 * @param edge what a message takes from one PE to another by the model
 */
export function relaysOf(pes: number, times: readonly number[], edge: (from: number, to: number) => number): number[] {
  const found: number[][] = Array.from({ length: pes }, () => []);
  for (const [i, [a, b, c]] of chainsOf(pes).entries()) {
    const pairs = edge(a, b) + edge(b, c) + edge(c, b) + edge(b, a);
    found[b].push((times[i] - pairs) / 2);
  }
  return found.map((own) => Math.max(0, median(own)));
}
