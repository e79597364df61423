/** Resilient groups on virtual PEs: random calls, in which PEs crash or throw at any time; nothing is lost, nothing is stuck. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError } from "../../../src/index.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { check, type Entry, type Fate, type Point, pick, play, type Run } from "./programs/calls.ts";

const test = suite("resilient groups on virtual PEs");
const POINTS: readonly Point[] = ["before", "inside", "after"];

/** A run in which some PEs are to be lost: by a crash at any time, or by themselves. */
async function playSeed(seed: number): Promise<{ repaired: number; losses: number }> {
  const pes = 2 + pick(5, seed, 10);
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
  const faults = crashes.map((pe) => ({ pe, at: 2000 + pick(span, seed, 18, pe), kind: "crash" as const }));
  const stalls = range(pick(3, seed, 19)).map((i) => ({
    ...{ pe: pick(pes, seed, 20, i), at: pick(span, seed, 21, i), kind: "stall" as const },
    lasting: pick(20_000, seed, 22, i),
  }));
  const logs: Entry[][] = range(pes).map(() => []);
  const end = () => {
    throw new RangeError("out of luck");
  };
  try {
    const { results } = await simulateAsync(
      { pes, seed, jitter: pick(4, seed, 23), faults: [...faults, ...stalls], onLoss: "continue" },
      (pe) => {
        const pause = (k: number) => pe.work(pick(3000, seed, 24, k, pe.rank));
        return play(pe, run, { end, blocks: false, pause }, logs[pe.rank] as Entry[]);
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

const COUNT = rounds(200, 100_000);
test(`${COUNT} random runs`, async () => {
  const begin = (SEED * 1000) % 2 ** 31;
  const sums = { repaired: 0, losses: 0 };
  for (let i = 0; i < COUNT; i++) {
    const { repaired, losses } = await playSeed(begin + i);
    sums.repaired += repaired;
    sums.losses += losses;
  }
  console.log(`${COUNT} seeds from ${begin}: ${JSON.stringify(sums)}`);
  // half of them at least have calls that were repaired
  assert.ok(sums.repaired > COUNT / 2);
});

test.run();
