/** Loops over nodes of one PE: many random ones, or one that something happens to. */
import * as assert from "uvu/assert";
import { type FailedIterations, runGiven } from "../../../../src/facilities/loop/given.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import {
  explainLoop,
  forEach,
  forEachAsync,
  forRange,
  mapEach,
  reduceEach,
  scanEach,
  tasks,
} from "../../../../src/loop.ts";
import { pick, playOf, rangeOf } from "../support/plays.ts";

export interface Args {
  readonly part: "all" | "lost" | "mismatch";
  readonly seed: number;
  readonly loops: number;
}

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Random loops, in the world and in groups that span the nodes: @returns how many have ended with an error */
async function random(pe: PE, seed: number, loops: number): Promise<number> {
  let errors = 0;
  using half = pe.split(pe.rank % 2);
  assert.ok(half !== null);
  for (let k = 0; k < loops; k++) {
    const group = pick(3, seed, k, 60) === 0 ? half : pe;
    const play = playOf(seed, k, group.size);
    const counts = new Int32Array(300);
    const body = (index: number) => {
      const i = (index - play.begin) / play.step;
      if (i === play.throwsAt) throw new RangeError(`at ${i}`);
      counts[i] = (counts[i] as number) + 1;
      if (pick(20, seed, k, i, 61) === 0) spin(0.1);
    };
    let ended = "";
    try {
      if (pick(4, seed, k, 62) === 0) await forEachAsync(group, rangeOf(play), body, play.options);
      else forEach(group, rangeOf(play), body, play.options);
    } catch (error) {
      assert.instance(error, RangeError, `seed ${seed}, loop ${k}: ${(error as Error).stack}`);
      ended = (error as Error).message;
      errors++;
    }
    assert.is(ended, play.throwsAt < 0 ? "" : `at ${play.throwsAt}`, `seed ${seed}, loop ${k}`);
    group.allreduce(counts, "sum");
    for (let i = 0; i < 300; i++) {
      const most = i < play.count && i !== play.throwsAt ? 1 : 0;
      const isRight = play.throwsAt < 0 ? counts[i] === most : (counts[i] as number) <= most;
      if (!isRight) assert.unreachable(`seed ${seed}, loop ${k} of ${play.count}: ${i} was run ${counts[i]} times`);
    }
  }
  return errors;
}

/** The same texts for any nodes and PEs, and all schedules. */
function results(pe: PE): unknown {
  const n = 3000;
  const into = pe.allocShared(Float64Array, n);
  const small = pe.allocShared(BigInt64Array, 5);
  const all = (["static", "dynamic", "guided", "steal", "auto"] as const).map((schedule) => {
    const sum = reduceEach(pe, n, (i) => Math.sin(i) / (1 + i), "sum", { schedule, reproducible: true });
    const nothing = reduceEach(pe, 4, () => -0, "min", { schedule, reproducible: true });
    const most = reduceEach(pe, n, (i) => (i * 7919) % n, "max", { schedule });
    const longest = reduceEach(
      pe,
      n,
      (i) => i,
      (a, b) => Math.max(a, b),
      { schedule },
    );
    const list = mapEach(pe, ["a", "b", "c"], (text, i) => ({ text, i }), { schedule });
    mapEach(pe, n, (i) => i / 2, { schedule, into });
    const halves = into.every((value, i) => value === i / 2);
    mapEach(pe, 5, (i) => BigInt(i) ** 3n, { schedule, into: small });
    const cubes = small.join();
    pe.barrier();
    scanEach(pe, n, (i) => 1 / (i + 1), "sum", { schedule, into });
    const scanned = [...into.subarray(n - 3), into[n >> 1]];
    pe.barrier();
    scanEach(pe, n, (i) => i, "sum", { schedule, into, exclusive: true, initial: 5 });
    const starts = [into[0], into[1], into[n - 1]];
    pe.barrier();
    return JSON.stringify([sum, Object.is(nothing, -0), most, longest, list, halves, cubes, scanned, starts]);
  });
  assert.is(new Set(all).size, 1, all.join("\n"));
  return all[0];
}

/** The PEs of the last node are done at once: they take what those of the first have left. @returns pieces of all */
function uneven(pe: PE): unknown {
  let ran = 0;
  const seen: number[] = [];
  const body = (begin: number, end: number) => {
    assert.is(end - begin, 1);
    ran++;
    if (begin < 100) spin(2 * (end - begin));
  };
  const onProgress = (done: number, total: number) => void seen.push(done, total);
  forRange(pe, 200, body, { schedule: "steal", chunk: 1, onProgress });
  assert.is(pe.allreduce(ran, "sum"), 200);
  assert.equal(seen.slice(-2), [200, 200]);
  const grows = seen.every((one, i) => i < 2 || one >= (seen[i - 2] as number));
  const pieces = /has got (\d+) pieces/.exec(explainLoop(pe))?.[1];
  return [grows, pe.allreduce(Number(pieces), "sum") > 0];
}

/** A PE has a timeout, and one of another node is in a long iteration. */
function late(pe: PE): unknown {
  let told = "";
  try {
    const body = (i: number) => {
      if (i === 0) spin(200);
    };
    forEach(pe, pe.size, body, { schedule: "static", timeout: pe.rank === pe.size - 1 ? 50 : undefined });
  } catch (error) {
    told = `${(error as Error).name}: ${(error as Error).message}`;
  }
  return [told.replace(/; \d+ of/, "; n of"), pe.allreduce(1, "sum")];
}

async function signalled(pe: PE): Promise<unknown> {
  const controller = new AbortController();
  if (pe.rank === pe.size - 1) setTimeout(() => controller.abort("enough"), 30);
  const { signal } = controller;
  return forEachAsync(pe, 1e6, () => spin(1), { signal }).then(
    () => "not aborted",
    (error: Error) => error.name,
  );
}

/** A loop that is given as data: @returns where its body has thrown */
function located(pe: PE): string {
  const body = (i: number) => {
    if (i === 40) throw new RangeError("at 40");
  };
  const loop = { call: "forEach", over: { begin: 10, end: 70, step: 3 }, options: {}, args: undefined } as const;
  try {
    runGiven(pe, loop, body, {});
  } catch (error) {
    const { rank, begin, end } = (error as { readonly iterations: FailedIterations }).iterations;
    return `${(error as Error).message}: ${begin <= 40 && 40 < end}, ${rank} ${begin} ${end}`;
  }
  return "not thrown";
}

/** Loops without a barrier, over arrays of which each node has its own. */
function withoutBarriers(pe: PE, loops: number): number {
  let ran = 0;
  for (let k = 0; k < loops; k++) {
    const schedule = (["static", "steal", "dynamic"] as const)[k % 3];
    forEach(pe, 64, () => void ran++, { wait: false, schedule });
  }
  forEach(pe, 0, () => {});
  return pe.allreduce(ran, "sum");
}

const program: Spmd<Args, unknown> = spmd(async (pe: PE, { part, seed, loops }: Args): Promise<unknown> => {
  if (part === "mismatch") {
    forEach(pe, 10 + pe.node, () => {});
    return "ended";
  }
  if (part === "lost") {
    const body = (i: number) => {
      if (i === 0) throw process.exit(3);
      spin(0.1);
    };
    // the others come later, and wait for the PE that is lost, or for what it has
    forEach(pe, 3000, body);
    return "ended";
  }
  assert.throws(
    () => tasks(pe, { one() {} }),
    /tasks: expected a group of one node, got one with \d of \d PEs on others/,
  );
  assert.throws(() => mapEach(pe, 3, (i) => i, { into: new Float64Array(3) }), /expected a typed array.*allocShared/s);
  return [
    await random(pe, seed, loops),
    results(pe),
    uneven(pe),
    late(pe),
    await signalled(pe),
    withoutBarriers(pe, loops),
    located(pe),
  ];
});

export default program;
