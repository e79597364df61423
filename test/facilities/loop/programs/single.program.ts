/** What one thread does for all: many times, or once with what may happen to it. */
import * as assert from "uvu/assert";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { explainLoop, forEach, single, singleAsync } from "../../../../src/loop.ts";
import { pick } from "../support/plays.ts";

export type Args =
  | { readonly kind: "random"; readonly seed: number; readonly rounds: number }
  | { readonly kind: "lost" | "call" | "options" | "late" | "misuse" };

/** What a body returns in a round; undefined: nothing. */
const VALUES: readonly (string | number | object | boolean | null | undefined)[] = [
  undefined,
  0,
  "tin",
  null,
  false,
  { a: [1, 2] },
  new Float64Array([1, 2]),
];

/** @returns how many bodies this PE has run */
async function random(pe: PE, seed: number, rounds: number): Promise<number> {
  const runs = pe.allocShared(Int32Array, 1);
  using half = pe.split(pe.rank % 2);
  assert.ok(half !== null);
  let own = 0;
  let all = 0;
  for (let k = 0; k < rounds; k++) {
    const where = `seed ${seed}, round ${k}`;
    const isHalf = pick(4, seed, k, 1) === 0;
    const value = VALUES[pick(VALUES.length, seed, k, 2)];
    const throws = pick(5, seed, k, 3) === 0;
    const wait = pick(4, seed, k, 4) > 0;
    const body = () => {
      own++;
      Atomics.add(runs, 0, 1);
      if (throws) throw new RangeError(where);
      return value;
    };
    const group = isHalf ? half : pe;
    let ended: unknown;
    let got: unknown;
    try {
      got = pick(2, seed, k, 5) === 0 ? await singleAsync(group, body, { wait }) : single(group, body, { wait });
      if (!wait) forEach(group, 0, () => {});
    } catch (error) {
      ended = error;
    }
    all += isHalf ? Math.min(2, pe.size) : 1;
    assert.is((ended as Error | undefined)?.message, throws ? where : undefined);
    assert.equal(got, throws || !wait ? undefined : value, where);
    pe.barrier();
    assert.is(Atomics.load(runs, 0), all, where);
    pe.barrier();
  }
  return own;
}

/** PE 0 is the last to come: another one runs the body, which PE 0 waits for no more. */
function late(pe: PE): readonly [number, string] {
  if (pe.rank === 0) for (const until = performance.now() + 50; performance.now() < until; );
  return [single(pe, () => pe.rank), explainLoop(pe)];
}

const misuses: readonly (readonly [RegExp, (pe: PE) => unknown])[] = [
  [/^single: expected a body \(\) =>/, (pe) => single(pe, 1 as never)],
  [/^single: expected a body \(\) =>/, (pe) => single(pe, (async () => {}) as never)],
  [/the body returned a promise/, (pe) => single(pe, (() => Promise.resolve()) as never)],
  [/expected values that can be cloned/, (pe) => single(pe, () => () => {})],
  [/unknown option 'reduce'/, (pe) => single(pe, () => {}, { reduce: "sum" } as never)],
  [/wait: expected true or false/, (pe) => single(pe, () => {}, { wait: 1 } as never)],
  [/no loop in the body/, (pe) => single(pe, () => single(pe, () => {}))],
  [/^A collective inside an op/, (pe) => single(pe, () => pe.barrier())],
  [/first argument/, () => single({} as never, () => {})],
];

function misuse(pe: PE): number {
  for (const [words, call] of misuses) {
    assert.throws(
      () => call(pe),
      (error: Error & { readonly code?: string }) => words.test(error.message) && error.code === "ERR_TUNDISH_USAGE",
      String(words),
    );
    assert.is(pe.allreduce(1, "sum"), pe.size);
  }
  return single(pe, () => 7);
}

const program: Spmd<Args, unknown> = spmd((pe: PE, args: Args): unknown => {
  switch (args.kind) {
    case "random":
      return random(pe, args.seed, args.rounds);
    case "late":
      return late(pe);
    case "misuse":
      return misuse(pe);
    case "lost":
      return single(pe, () => process.exit(3));
    case "call":
      return pe.rank === 0 ? single(pe, () => {}) : forEach(pe, 1, () => {});
    case "options":
      return single(pe, () => {}, { wait: pe.rank === 0 });
  }
});

export default program;
