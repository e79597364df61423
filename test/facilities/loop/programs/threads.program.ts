/** Loops of one PE on a thread: many random ones, or one that something happens to. */
import * as assert from "uvu/assert";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import {
  explainLoop,
  forEach,
  forEachAsync,
  forRange,
  type LoopOptions,
  mapEach,
  reduceEach,
  scanEach,
  tasks,
} from "../../../../src/loop.ts";
import { pick, playOf, rangeOf } from "../support/plays.ts";

export type Args =
  | { readonly kind: "random"; readonly seed: number; readonly loops: number }
  | { readonly kind: "no-wait"; readonly loops: number }
  | { readonly kind: "options"; readonly options: readonly LoopOptions[] }
  | { readonly kind: "results" | "large" | "progress" | "late" | "stuck" | "mismatch" | "lost" | "signal" | "misuse" }
  | { readonly kind: "chunks" | "ranges" | "rooms" | "tables" | "empty" | "aborted before" };

/** What bodies of ranges get under each schedule and chunk: every index once, never more than a chunk; what went wrong. */
function chunks(pe: PE): string[] {
  const wrong: string[] = [];
  const n = 10_007;
  for (const schedule of ["static", "dynamic", "guided", "steal", "auto"] as const) {
    for (const chunk of [1, 3, 64, 6000]) {
      const counts = pe.allocShared(Int32Array, n);
      const options = { schedule, chunk };
      const isWrong = (begin: number, end: number): boolean =>
        schedule === "guided"
          ? end - begin < chunk && end < n
          : end - begin > chunk || (schedule !== "steal" && schedule !== "auto" && begin % chunk !== 0);
      const body = (begin: number, end: number): number => {
        if (isWrong(begin, end)) wrong.push(`${schedule}, ${chunk}: ${begin} to ${end}`);
        for (let i = begin; i < end; i++) Atomics.add(counts, i, 1);
        return end - begin;
      };
      forRange(pe, n, body, options);
      const sum = forRange(pe, n, body, { ...options, reduce: "sum" });
      const values = mapEach(pe, n, (i) => i, options);
      const blocks = reduceEach(pe, n, (i) => i, "sum", { ...options, reproducible: true });
      if (counts.some((count) => count !== 2) || sum !== n) wrong.push(`${schedule}, ${chunk}: ${sum} of ${n}`);
      if (values.some((value, i) => value !== i) || blocks !== (n * (n - 1)) / 2)
        wrong.push(`${schedule}, ${chunk}: values`);
      pe.barrier();
      pe.free(counts);
    }
  }
  return wrong;
}

/** Each counts how often an index was run, in memory that all share. */
function random(pe: PE, seed: number, loops: number): number {
  let errors = 0;
  using half = pe.split(pe.rank % 2);
  assert.ok(half !== null);
  for (let k = 0; k < loops; k++) {
    const group = pick(3, seed, k, 60) === 0 ? half : pe;
    const play = playOf(seed, k, group.size);
    const counts = group.allocShared(Int32Array, 300);
    let ended = "";
    try {
      const body = (index: number) => {
        const i = (index - play.begin) / play.step;
        if (i === play.throwsAt) throw new RangeError(`at ${i}`);
        Atomics.add(counts, i, 1);
      };
      forEach(group, rangeOf(play), body, play.options);
    } catch (error) {
      assert.instance(error, RangeError, `seed ${seed}, loop ${k}: ${(error as Error).stack}`);
      ended = (error as Error).message;
      errors++;
    }
    assert.is(ended, play.throwsAt < 0 ? "" : `at ${play.throwsAt}`, `seed ${seed}, loop ${k}`);
    for (let i = 0; i < 300; i++) {
      const most = i < play.count && i !== play.throwsAt ? 1 : 0;
      const isRight = play.throwsAt < 0 ? counts[i] === most : (counts[i] as number) <= most;
      if (!isRight) assert.unreachable(`seed ${seed}, loop ${k} of ${play.count}: ${i} was run ${counts[i]} times`);
    }
    group.free(counts);
  }
  return errors;
}

/** Loops without a barrier: each adds to what the one before has made, which needs the barrier in between. */
function withoutBarriers(pe: PE, loops: number): number {
  const n = 64;
  const [a, b] = [pe.allocShared(Int32Array, n), pe.allocShared(Int32Array, n)];
  for (let k = 0; k < loops; k++) {
    const [from, to] = k % 2 === 0 ? [a, b] : [b, a];
    // of the mirrored place, which another PE has made
    const body = (i: number) => {
      to[i] = (from[n - 1 - i] as number) + 1;
    };
    forEach(pe, n, body, {
      wait: false,
      schedule: k % 3 === 0 ? "static" : "steal",
      chunk: k % 5 === 0 ? 3 : undefined,
    });
  }
  forEach(pe, 0, () => {});
  const last = loops % 2 === 0 ? a : b;
  return last.every((x) => x === loops) ? loops : -1;
}

function results(pe: PE): unknown {
  const n = 5000;
  const into = pe.allocShared(Float64Array, n);
  const all = (["static", "dynamic", "guided", "steal", "auto"] as const).map((schedule) => {
    const sum = reduceEach(pe, n, (i) => 1 / (1 + i), "sum", { schedule, reproducible: true });
    const most = reduceEach(pe, n, (i) => (i * 7919) % n, "max", { schedule });
    const list = mapEach(pe, ["a", "b", "c"], (text, i) => text + i, { schedule }).join("");
    mapEach(pe, n, (i) => i / 2, { schedule, into });
    const half = into[n - 1];
    pe.barrier();
    const scan = scanEach(pe, n, (i) => i, "sum", { schedule, into })[n - 1];
    pe.barrier();
    return JSON.stringify([sum, most, list, half, scan]);
  });
  return [new Set(all).size, all[0]];
}

function large(pe: PE): unknown {
  const n = 2 ** 31;
  let [calls, indices] = [0, 0];
  const body = (begin: number, end: number) => {
    calls++;
    indices += end - begin;
    return end - begin;
  };
  const sums = (["static", "dynamic", "guided", "steal", "auto"] as const).map((schedule) =>
    forRange(pe, n, body, { schedule, chunk: schedule === "static" ? undefined : 2 ** 20, reduce: "sum" }),
  );
  const stepped = forRange(
    pe,
    { begin: -(2 ** 40), end: 2 ** 40, step: 2 ** 10 },
    (begin, end, step) => (end - begin) / step,
    {
      reduce: "sum",
      schedule: "guided",
    },
  );
  return [sums.every((sum) => sum === n), stepped === n, calls > 0 && indices > 0];
}

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function progress(pe: PE): unknown {
  const seen: number[] = [];
  const times: number[] = [];
  forEach(pe, 400, () => spin(2), {
    onProgress(done, total) {
      assert.is(total, 400);
      seen.push(done);
      times.push(performance.now());
    },
  });
  const grows = seen.every((done, i) => i === 0 || done >= (seen[i - 1] as number));
  // the last one may come at any time; the system may keep the PE from its CPU between the look at the clock and the call
  const slow = times.slice(0, -1).every((at, i) => i === 0 || at - (times[i - 1] as number) >= 30);
  return [grows, slow, seen.length > 1, seen.at(-1)];
}

/** One PE has a timeout, and another one is in a long chunk. */
function late(pe: PE): unknown {
  let told = "";
  try {
    const body = (i: number) => {
      if (i === 0) spin(200);
    };
    forEach(pe, pe.size, body, { schedule: "static", timeout: pe.rank === 1 ? 50 : undefined });
  } catch (error) {
    told = `${(error as Error).name}: ${(error as Error).message}`;
  }
  return [told, pe.allreduce(1, "sum")];
}

/** One PE stays in its body, which it is in before the other one's timeout is looked at. */
function stuck(pe: PE): unknown {
  const isIn = pe.allocShared(Int32Array, 1);
  const body = (i: number) => {
    if (i === 0) {
      Atomics.store(isIn, 0, 1);
      spin(60_000);
    }
    while (Atomics.load(isIn, 0) === 0);
  };
  forEach(pe, pe.size, body, { schedule: "static", timeout: 100 });
  return "ended";
}

const misuses: readonly (readonly [RegExp, (pe: PE) => unknown])[] = [
  [/number of iterations from 0 to 2\^31, got -1/, (pe) => forEach(pe, -1, () => {})],
  [/step: expected another number than 0/, (pe) => forEach(pe, { end: 3, step: 0 }, () => {})],
  [/unknown field 'start'/, (pe) => forEach(pe, { start: 1, end: 3 } as never, () => {})],
  [/expected a body \(index\).*does not await/s, (pe) => forEach(pe, 3, (async () => {}) as never)],
  [/expected a number of iterations.*got undefined/s, (pe) => forEach(pe, undefined as never, () => {})],
  [/schedule: expected one of static, dynamic/, (pe) => forEach(pe, 3, () => {}, { schedule: "runtime" as never })],
  [/chunk: expected a whole number from 1/, (pe) => forEach(pe, 3, () => {}, { chunk: 0 })],
  [/weights: expected 2 numbers/, (pe) => forEach(pe, 3, () => {}, { schedule: "static", weights: [1] })],
  [/weights: expected schedule: "static"/, (pe) => forEach(pe, 3, () => {}, { weights: [1, 2] })],
  [/unknown option 'chunks'; did you mean 'chunk'/, (pe) => forEach(pe, 3, () => {}, { chunks: 1 } as never)],
  [/wait: false: a result needs/, (pe) => forEach(pe, 3, (i) => i, { reduce: "sum", wait: false })],
  [/initial: expected reduce with it/, (pe) => forEach(pe, 3, () => {}, { initial: 1 } as never)],
  [
    /some iterations, or initial/,
    (pe) =>
      reduceEach(
        pe,
        0,
        (i) => i,
        (a, b) => a + b,
      ),
  ],
  [/Expected an op for numbers/, (pe) => reduceEach(pe, 3, (i) => i, "avg" as never)],
  [/expected a typed array.*allocShared/s, (pe) => mapEach(pe, 3, (i) => i, { into: new Float64Array(3) })],
  [/share, or a part of one/, (pe) => mapEach(pe, 3, (i) => i, { into: pe.alloc(Float64Array, 3) })],
  [/share, or a part of one/, (pe) => scanEach(pe, 3, (i) => i, "sum", { into: pe.alloc(Float64Array, 3) })],
  [
    /weights: expected 2 numbers.*finite/,
    (pe) => forEach(pe, 3, () => {}, { schedule: "static", weights: [1e308, 1e308] }),
  ],
  [
    /initial: expected a number for an exclusive/,
    (pe) =>
      scanEach(
        pe,
        3,
        (i) => i,
        (a, b) => a + b,
        { into: pe.allocShared(Float64Array, 3), exclusive: true },
      ),
  ],
  [/expected a PE or a group/, () => forEach({} as never, 3, () => {})],
  // these end a loop that has begun
  [/expected the body to return a number/, (pe) => forEach(pe, 3, (() => "x") as never, { reduce: "sum" })],
  [/body returned a promise/, (pe) => forEach(pe, 3, (() => Promise.resolve()) as never)],
  [/values that can be cloned/, (pe) => mapEach(pe, 3, (i) => (i === 1 ? () => i : i), { schedule: "static" })],
  [/^A collective inside an op, the body/, (pe) => forEach(pe, 4, () => pe.barrier(), { schedule: "static" })],
  [
    /^A collective inside an op, the body/,
    (pe) => {
      const all = tasks(pe, { one() {} });
      forEach(pe, 4, () => all.run());
    },
  ],
  [
    /no loop in the body of another one, got one in that of forEach/,
    (pe) => forEach(pe, 3, () => forRange(pe, 3, () => {})),
  ],
];

function misuse(pe: PE): unknown {
  for (const [words, call] of misuses) {
    try {
      call(pe);
      assert.unreachable(String(words));
    } catch (error) {
      assert.match((error as Error).message, words);
      assert.is((error as { code?: string }).code, "ERR_TUNDISH_USAGE", String(words));
    }
    // after each the group goes on
    assert.is(
      reduceEach(pe, 3, (i) => i, "sum"),
      3,
    );
  }
  forEach(pe, 10, () => {});
  return explainLoop(pe);
}

/** Nothing is run, and every result is that of nothing. */
function empty(pe: PE): unknown {
  const into = pe.allocShared(Float64Array, 1);
  const sums = (["static", "dynamic", "guided", "steal", "auto"] as const).flatMap((schedule) =>
    [undefined, 4].map((chunk) => {
      const options = { schedule, chunk };
      scanEach(pe, 0, (i) => i, "sum", { into, ...options });
      forEach(pe, [], () => assert.unreachable(), options);
      return reduceEach(pe, 0, (i) => i, "sum", { reproducible: true, ...options });
    }),
  );
  return sums.every((sum) => sum === 0) && into[0] === 0;
}

/** A signal that was aborted before, at one PE: the loop ends at all, and the group goes on. */
async function abortedBefore(pe: PE): Promise<unknown> {
  const controller = new AbortController();
  if (pe.rank === 1) controller.abort("before");
  const told = await forEachAsync(pe, 100, () => {}, { signal: controller.signal }).catch((error: Error) => error.name);
  return [told, await pe.allreduceAsync(1, "sum")];
}

async function signalled(pe: PE): Promise<unknown> {
  const controller = new AbortController();
  if (pe.rank === 0) setTimeout(() => controller.abort("enough"), 30);
  const begun = performance.now();
  try {
    await forEachAsync(pe, 1e6, () => spin(1), { signal: controller.signal });
  } catch (error) {
    return [(error as Error).name, (error as Error).message.slice(0, 40), performance.now() - begun < 20_000];
  }
  return "not aborted";
}

const program: Spmd<Args, unknown> = spmd((pe: PE, args: Args): unknown => {
  switch (args.kind) {
    case "random":
      return random(pe, args.seed, args.loops);
    case "no-wait":
      return withoutBarriers(pe, args.loops);
    case "results":
      return results(pe);
    case "large":
      return large(pe);
    case "progress":
      return progress(pe);
    case "late":
      return late(pe);
    case "stuck":
      return stuck(pe);
    case "mismatch":
      forEach(pe, 10 + pe.rank, () => {});
      return "ended";
    case "chunks":
      return chunks(pe);
    case "options":
      forEach(pe, 10, () => {}, args.options[pe.rank]);
      // a barrier is over before anybody has looked; a value comes with the calls of its PE
      pe.allgather("a value");
      return "ended";
    case "ranges":
      forEach(pe, { begin: 10 * pe.rank, end: 10 * pe.rank + 10 }, () => {});
      return "ended";
    case "rooms": {
      const rooms = [0, 1].map(() => pe.allocShared(Float64Array, 10));
      mapEach(pe, 10, (i) => i, { into: rooms[pe.rank] as Float64Array });
      return "ended";
    }
    case "tables":
      tasks(pe, pe.rank === 0 ? { one() {} } : { other() {} }).run((spawn) => (spawn as { one?(): void }).one?.());
      return "ended";
    case "empty":
      return empty(pe);
    case "aborted before":
      return abortedBefore(pe);
    case "lost":
      forEach(pe, 1000, (i) => {
        if (i === 500) process.exit(3);
        spin(0.1);
      });
      return "ended";
    case "signal":
      return signalled(pe);
    case "misuse":
      return misuse(pe);
  }
});

export default program;
