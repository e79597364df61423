/** Loops that are made again, which have the job of the one before: each has a result of its own. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/index.ts";
import { forEachAsync, forRangeAsync, type LoopSchedule, reduceEachAsync, singleAsync } from "../../../src/loop.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { pick } from "./support/plays.ts";

const test = suite("repeated loops");

const BODIES = [(i: number) => i + 1, (i: number) => 3 * i - 7, () => 2] as const;
const OPS = ["sum", "max", (a: number, b: number) => a + b, Math.max] as const;
const SCHEDULES: readonly LoopSchedule[] = ["static", "dynamic", "guided", "steal", "auto"];
const COUNTS = [1, 5, 12];

const combined = (op: (typeof OPS)[number], values: readonly number[]): number =>
  op === "max" || op === Math.max ? Math.max(...values) : values.reduce((a, b) => a + b);

const SEEDS = rounds(200, 20_000);
test(`${SEEDS} seeds: few bodies, ops and counts in turn, some of which throw`, async () => {
  for (let seed = SEED; seed < SEED + SEEDS; seed++) {
    const pes = 1 + pick(4, seed, 1);
    let mayThrow = false;
    const thrower = (i: number): number => {
      if (mayThrow && i === 0) throw new RangeError("the first");
      return i;
    };
    const bodies = [...BODIES, thrower];
    await simulateAsync({ pes, seed, jitter: 2 }, async (pe) => {
      for (let k = 0; k < 16; k++) {
        const where = `seed ${seed}, loop ${k}, PE ${pe.rank}`;
        // more often than not as before
        const at = pick(3, seed, k, 2) === 0 ? k : k - 1;
        const body = bodies[pick(bodies.length, seed, at, 3)] as (i: number) => number;
        const op = OPS[pick(OPS.length, seed, at, 4)] as (typeof OPS)[number];
        const n = COUNTS[pick(COUNTS.length, seed, at, 5)] as number;
        const initial = pick(2, seed, at, 6) === 0 ? undefined : 4;
        const schedule = SCHEDULES[pick(SCHEDULES.length, seed, k, 7)] as LoopSchedule;
        const throws = body === thrower && pick(2, seed, k, 8) === 0;
        await pe.barrierAsync();
        mayThrow = throws;
        await pe.barrierAsync();
        const options = { schedule, initial };
        const call = () => {
          if (pick(2, seed, at, 9) === 0) return reduceEachAsync(pe, n, body, op, options);
          return forRangeAsync(pe, n, (begin) => body(begin), {
            ...options,
            chunk: 1,
            schedule: "dynamic",
            reduce: op,
          });
        };
        const got = await call().catch((error: Error) => error.message);
        const values = Array.from({ length: n }, (_, i) => i).map((i) => (throws ? 0 : body(i)));
        const all = initial === undefined ? values : [initial, ...values];
        assert.is(got, throws ? "the first" : combined(op, all), where);
      }
    });
  }
});

test("a loop that is refused, as one is under way, does not change that one", async () => {
  const body = () => {};
  const { results } = await simulateAsync({ pes: 3, seed: 1, jitter: 2 }, async (pe) => {
    await forEachAsync(pe, 100, body, { wait: false });
    const first = forEachAsync(pe, 100, body, { wait: false, schedule: "static" });
    let refused: unknown = null;
    if (pe.rank === 0) {
      const second = forEachAsync(pe, 100, body, { wait: false, schedule: "dynamic", chunk: 3 });
      refused = await second.catch((error: unknown) => error);
    }
    await first;
    await forEachAsync(pe, 0, body);
    return refused instanceof UsageError;
  });
  assert.equal(results, [true, false, false]);
});

test("a single that is refused, as one is under way, does not change that one", async () => {
  const body = () => "value";
  const { results } = await simulateAsync({ pes: 2, seed: 1 }, async (pe) => {
    await singleAsync(pe, body);
    const first = singleAsync(pe, body);
    const second = await singleAsync(pe, body, { timeout: 5 }).catch((error: unknown) => error);
    return [await first, second instanceof UsageError];
  });
  assert.equal(results, new Array(2).fill(["value", true]));
});

test.run();
