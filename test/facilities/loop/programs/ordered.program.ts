/** Ordered loops of one PE on a thread: many random ones, or one that something happens to. */
import * as assert from "uvu/assert";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { explainLoop, forEach, forEachAsync, forRange } from "../../../../src/loop.ts";
import { pick, playOf, rangeOf } from "../support/plays.ts";

export type Args =
  | { readonly kind: "random"; readonly seed: number; readonly loops: number }
  | { readonly kind: "throws" | "late" | "told" | "aborted" | "lost" | "mismatch" | "misuse" };

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Parts append to a list in memory that all share, without atomics: one at a time, they need none. */
async function random(pe: PE, seed: number, loops: number): Promise<number> {
  let errors = 0;
  using half = pe.split(pe.rank % 2);
  assert.ok(half !== null);
  for (let k = 0; k < loops; k++) {
    const group = pick(3, seed, k, 60) === 0 ? half : pe;
    const play = playOf(seed, k, group.size);
    const list = group.allocShared(Int32Array, 301);
    const iteration = (index: number) => (index - play.begin) / play.step;
    const body = (index: number) => {
      const i = iteration(index);
      if (i === play.throwsAt) throw new RangeError(`at ${i}`);
      if (pick(50, seed, k, i, 61) === 0) spin(0.05);
      return 3 * i;
    };
    const add = (i: number) => {
      const at = list[300] as number;
      list[at] = i;
      list[300] = at + 1;
    };
    const ordered = (value: number, index: number) => {
      assert.is(value, 3 * iteration(index));
      add(iteration(index));
    };
    const options = { ...play.options, ordered };
    let ended = "";
    try {
      if (pick(4, seed, k, 62) === 0) {
        const isWaiting = pick(2, seed, k, 63) === 0;
        forEach(group, rangeOf(play), body, { ...options, wait: isWaiting });
        if (!isWaiting) forEach(group, 0, () => {});
      } else if (pick(3, seed, k, 64) === 0) {
        await forEachAsync(group, rangeOf(play), body, options);
      } else {
        forEach(group, rangeOf(play), body, options);
      }
    } catch (error) {
      assert.instance(error, RangeError, `seed ${seed}, loop ${k}: ${(error as Error).stack}`);
      ended = (error as Error).message;
      errors++;
    }
    assert.is(ended, play.throwsAt < 0 ? "" : `at ${play.throwsAt}`, `seed ${seed}, loop ${k}`);
    const told = list[300] as number;
    const isRight = play.throwsAt < 0 ? told === play.count : told <= play.throwsAt;
    assert.ok(isRight, `seed ${seed}, loop ${k}: ${told} of ${play.count} parts`);
    for (let i = 0; i < told; i++) assert.is(list[i], i, `seed ${seed}, loop ${k}`);
    group.free(list);
  }
  return errors;
}

/** PE 0 is in iteration 0 while the body of a later one throws; @returns what it threw, parts that ran at this PE */
function throws(pe: PE): unknown {
  const hasThrown = pe.allocShared(Int32Array, 1);
  let parts = 0;
  const body = (i: number) => {
    if (i === 0) while (Atomics.load(hasThrown, 0) === 0);
    if (i !== pe.size - 1) return;
    Atomics.store(hasThrown, 0, 1);
    throw new RangeError("before its turn");
  };
  const ordered = () => void parts++;
  let told = "";
  try {
    forEach(pe, pe.size, body, { schedule: "static", ordered });
  } catch (error) {
    told = `${(error as Error).name}: ${(error as Error).message}`;
  }
  return [told, pe.allreduce(parts, "sum") < pe.size, pe.allreduce(1, "sum")];
}

/** PE 0 is in a long iteration while the others wait for their turn, one with a timeout. */
function late(pe: PE): unknown {
  let told = "";
  try {
    const body = (i: number) => {
      if (i === 0) spin(300);
    };
    const timeout = pe.rank === 1 ? 50 : undefined;
    forEach(pe, pe.size, body, { schedule: "static", ordered: () => {}, timeout });
  } catch (error) {
    told = (error as Error).name;
  }
  return [told, pe.allreduce(1, "sum")];
}

/** PE 0 stays in its body until PE 1, which waits for its turn, is told of the progress: no part was run yet. */
function told(pe: PE): unknown {
  const isTold = pe.allocShared(Int32Array, 1);
  const until = performance.now() + 20_000;
  const body = (i: number) => {
    if (i === 0) while (Atomics.load(isTold, 0) === 0 && performance.now() < until);
  };
  const counts: number[] = [];
  const progress = (done: number) => {
    counts.push(done);
    Atomics.store(isTold, 0, 1);
  };
  const onProgress = pe.rank === 1 ? progress : undefined;
  forEach(pe, pe.size, body, { schedule: "static", ordered: () => {}, onProgress });
  return [performance.now() < until, counts[0] ?? 0];
}

async function aborted(pe: PE): Promise<unknown> {
  const controller = new AbortController();
  const body = (i: number) => {
    if (i === 0) spin(300);
    else if (i === 1) setTimeout(() => controller.abort("enough"), 20);
  };
  const { signal } = controller;
  const told = await forEachAsync(pe, pe.size, body, { schedule: "static", ordered: () => {}, signal }).catch(
    (error: Error) => error.name,
  );
  return [told, await pe.allreduceAsync(1, "sum")];
}

const misuses: readonly (readonly [RegExp, (pe: PE) => unknown])[] = [
  [/ordered: expected a function/, (pe) => forEach(pe, 3, () => {}, { ordered: true } as never)],
  [/ordered: expected a function/, (pe) => forRange(pe, 3, () => {}, { ordered: async () => {} } as never)],
  [/ordered: expected no reduce/, (pe) => forEach(pe, 3, (i) => i, { reduce: "sum", ordered: () => {} } as never)],
  [/ordered returned a promise/, (pe) => forEach(pe, 3, () => {}, { ordered: (() => Promise.resolve()) as never })],
  [/the body returned a promise/, (pe) => forEach(pe, 3, (() => Promise.resolve()) as never, { ordered: () => {} })],
  [/no loop in the body/, (pe) => forEach(pe, 3, () => {}, { ordered: () => forEach(pe, 3, () => {}) })],
  [/^A collective inside an op/, (pe) => forEach(pe, 4, () => {}, { ordered: () => pe.barrier() })],
];

function misuse(pe: PE): string {
  for (const [words, call] of misuses) {
    assert.throws(
      () => call(pe),
      (error: Error & { readonly code?: string }) => words.test(error.message) && error.code === "ERR_TUNDISH_USAGE",
      String(words),
    );
    assert.is(pe.allreduce(1, "sum"), pe.size);
  }
  forEach(pe, 10, () => {}, { ordered: () => {} });
  return explainLoop(pe);
}

const program: Spmd<Args, unknown> = spmd((pe: PE, args: Args): unknown => {
  switch (args.kind) {
    case "random":
      return random(pe, args.seed, args.loops);
    case "throws":
      return throws(pe);
    case "late":
      return late(pe);
    case "told":
      return told(pe);
    case "aborted":
      return aborted(pe);
    case "lost":
      forEach(pe, 1000, () => spin(0.05), {
        ordered: (_, i) => {
          if (i === 500) process.exit(3);
        },
      });
      return "ended";
    case "mismatch":
      forEach(pe, 10, () => {}, { schedule: "dynamic", ...(pe.rank === 0 ? { ordered: () => {} } : {}) } as never);
      return "ended";
    case "misuse":
      return misuse(pe);
  }
});

export default program;
