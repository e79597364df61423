/** Random runs of a resilient group on virtual PEs, in which PEs crash or throw at any time. */
import { type Group, RankLostError } from "../../../../src/index.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import { check, type Entry, type Fate, type Point, pick, play, type Run } from "../programs/calls.ts";

const POINTS: readonly Point[] = ["before", "inside", "after"];

export interface Shape {
  readonly pes: number;
  readonly nodes: number;
}

/** A run in which some PEs are to be lost: by a crash at any time, or by themselves. */
export async function playSeed(seed: number, { pes, nodes }: Shape): Promise<{ repaired: number; losses: number }> {
  const count = 1 + pick(8, seed, 11);
  const doomed = new Set<number>();
  for (let left = pick(pes, seed, 12); left > 0; left--) doomed.add(pick(pes, seed, 13, left));
  const crashes = [...doomed].filter((rank) => pick(3, seed, 14, rank) > 0);
  const fates = [...doomed].flatMap((rank): Fate[] =>
    crashes.includes(rank)
      ? []
      : [{ rank, k: pick(count, seed, 15, rank), point: POINTS[pick(3, seed, 16, rank)] as Point }],
  );
  const run: Run = { seed, count, fates };
  // the crashes of one run may be close to each other
  const span = 2000 * (1 + pick(20, seed, 17));
  // over nodes, ranks of a group need not be consecutive on a node
  const order = nodes > 1 && pick(3, seed, 25) === 0 ? shuffled(seed, pes) : null;
  const faults = crashes.map((rank) => ({
    pe: order?.[rank] ?? rank,
    at: 2000 + pick(span, seed, 18, rank),
    kind: "crash" as const,
  }));
  const stalls = range(pick(3, seed, 19)).map((i) => ({
    ...{ pe: pick(pes, seed, 20, i), at: 1000 + pick(span, seed, 21, i), kind: "stall" as const },
    lasting: pick(20_000, seed, 22, i),
  }));
  const logs: Entry[][] = range(pes).map(() => []);
  const end = () => {
    throw new RangeError("out of luck");
  };
  try {
    const { results } = await simulateAsync(
      { pes, nodes, seed, jitter: pick(4, seed, 23), faults: [...faults, ...stalls], onLoss: "continue" },
      (pe) => {
        const pause = (k: number) => pe.work(pick(3000, seed, 24, k, pe.rank));
        const group: Group = order === null ? pe : pe.group(order);
        return play(group, run, { end, blocks: false, pause }, logs[group.rank] as Entry[]);
      },
    );
    const losses = results.filter((result: unknown) => result instanceof RankLostError).length;
    return { repaired: check(logs, run, doomed), losses };
  } catch (error) {
    if (doomed.size === pes && error instanceof RankLostError)
      return { repaired: check(logs, run, doomed), losses: pes };
    throw new Error(`seed ${seed}: ${(error as Error).stack}`);
  }
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

/** Ranks in another order. */
const shuffled = (seed: number, pes: number): number[] =>
  range(pes).sort((a, b) => pick(1000, seed, 26, a) - pick(1000, seed, 26, b) || a - b);
