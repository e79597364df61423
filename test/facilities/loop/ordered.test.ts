/** Loops with an ordered part: on virtual PEs, whatever the order of events, and on threads. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { AbortedError, MismatchError, type PE, RankLostError, TimeoutError } from "../../../src/index.ts";
import { forEachAsync, forRangeAsync } from "../../../src/loop.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args } from "./programs/ordered.program.ts";
import { type Play, pick, playOf, rangeOf } from "./support/plays.ts";

const test = suite("loops with an ordered part");
const module = sibling("./programs/ordered.program.js", import.meta.url);
const run = <T>(pes: number, args: Args): Promise<T[]> => launchPooled<T>(module, { pes, args, waitTimeout: 60_000 });

/** What all PEs have seen of one loop: bodies and ordered parts, by iteration, as they came. */
interface Seen {
  readonly bodies: number[];
  readonly parts: number[];
  readonly ended: string[];
}

/** Each body once and each part once, parts in order; with an error none out of order, and all PEs have that error. */
function checkSeen(play: Play, partThrowsAt: number, { bodies, parts, ended }: Seen, where: string): void {
  assert.is(new Set(bodies).size, bodies.length, `${where}: a body was run twice`);
  assert.ok(
    parts.every((k, i) => k === i),
    `${where}: out of order: ${parts}`,
  );
  assert.is(new Set(ended).size, 1, `${where}: ${ended}`);
  const last = Math.min(...[play.throwsAt, partThrowsAt].filter((at) => at >= 0));
  if (last === Number.POSITIVE_INFINITY) {
    assert.is(bodies.length, play.count, where);
    assert.is(parts.length, play.count, where);
    assert.is(ended[0], "", where);
  } else {
    assert.ok(parts.length <= last, `${where}: a part after the one that has thrown`);
    assert.match(ended[0] as string, /^(body|part) at \d+$/, where);
  }
}

async function playSeed(seed: number): Promise<void> {
  const pes = 1 + pick(6, seed, 20);
  const loops = 4;
  const plays = Array.from({ length: loops }, (_, k) => playOf(seed, k, pes));
  const partThrowsAt = plays.map(({ count }, k) =>
    pick(5, seed, k, 70) === 0 && count > 0 ? pick(count, seed, k, 71) : -1,
  );
  const seen = plays.map((): Seen => ({ bodies: [], parts: [], ended: [] }));
  const stalls = Array.from({ length: pick(3, seed, 21) }, (_, i) => ({
    ...{ pe: pick(pes, seed, 22, i), at: pick(5000, seed, 23, i), kind: "stall" as const },
    lasting: pick(20_000, seed, 24, i),
  }));
  await simulateAsync({ pes, seed, jitter: pick(4, seed, 25), faults: stalls }, async (pe) => {
    for (const [k, play] of plays.entries()) {
      const { bodies, parts, ended } = seen[k] as Seen;
      const iteration = (index: number) => (index - play.begin) / play.step;
      const body = (i: number) => {
        if (i === play.throwsAt) throw new RangeError(`body at ${i}`);
        bodies.push(i);
      };
      const part = (i: number) => {
        if (i === partThrowsAt[k]) throw new RangeError(`part at ${i}`);
        parts.push(i);
      };
      await pe.work(pick(2000, seed, k, 27, pe.rank));
      const each = () =>
        forEachAsync(
          pe,
          rangeOf(play),
          (index) => {
            body(iteration(index));
            return { index };
          },
          {
            ...play.options,
            ordered: (value, index) => {
              assert.equal(value, { index });
              part(iteration(index));
            },
          },
        );
      const range = () =>
        forRangeAsync(
          pe,
          rangeOf(play),
          (begin, end, step) => {
            for (let index = begin; index !== end; index += step) body(iteration(index));
            return `${begin} ${end}`;
          },
          {
            ...play.options,
            ordered: (value, begin, end, step) => {
              assert.is(value, `${begin} ${end}`);
              for (let index = begin; index !== end; index += step) part(iteration(index));
            },
          },
        );
      await (pick(2, seed, k, 72) === 0 ? each() : range()).then(
        () => ended.push(""),
        (error: Error) => {
          assert.instance(error, RangeError, error.stack);
          ended.push(error.message);
        },
      );
    }
  });
  for (const [k, play] of plays.entries()) {
    checkSeen(
      play,
      partThrowsAt[k] as number,
      seen[k] as Seen,
      `seed ${seed}, loop ${k} of ${pes} PEs ${JSON.stringify(play)}`,
    );
  }
}

const SEEDS = rounds(200, 100_000);
test(`${SEEDS} seeds: parts in order under every schedule, whatever throws`, async () => {
  const begin = (SEED * 1000) % 2 ** 30;
  for (let i = 0; i < SEEDS; i++) await playSeed(begin + i);
});

test("an abort while others wait for their turn, and a PE that is lost in its part", async () => {
  for (let seed = 0; seed < rounds(40, 1000); seed++) {
    const pes = 2 + pick(4, seed, 80);
    const isLost = seed % 2 === 0;
    const parts: number[] = [];
    const crash = { pe: pick(pes, seed, 81), at: pick(4000, seed, 82), kind: "crash" as const };
    const program = async (pe: PE) => {
      const controller = new AbortController();
      const ordered = (_: unknown, i: number) => {
        parts.push(i);
        if (!isLost && i === 50) controller.abort("enough");
      };
      const options = { chunk: 1 + pick(4, seed, 83), ordered, signal: controller.signal };
      return forEachAsync(pe, 200, (i) => i, options).then(
        () => "all",
        (error: Error) => error.name,
      );
    };
    const options = { pes, seed, jitter: 2, ...(isLost ? { faults: [crash], onLoss: "continue" as const } : {}) };
    const ended = await simulateAsync(options, program).then(
      ({ results }) => results as readonly unknown[],
      (error: Error) => [error.name],
    );
    assert.ok(
      parts.every((k, i) => k === i),
      `seed ${seed}: ${parts}`,
    );
    const allowed = isLost ? ["all", "RankLostError", undefined] : ["AbortedError"];
    assert.ok(
      ended.every((one) => allowed.includes((one instanceof Error ? one.name : one) as string)),
      `seed ${seed}: ${ended}`,
    );
  }
});

test("over nodes it is refused, in a group of one node not", async () => {
  const { results } = await simulateAsync({ pes: 4, nodes: 2, seed: 1 }, async (pe) => {
    const told = await forEachAsync(pe, 10, () => {}, { ordered: () => {} }).catch((error: Error) => error.message);
    const group = await pe.splitAsync(pe.node);
    let last = -1;
    await forEachAsync(group as PE, 10, (i) => i, {
      ordered(value) {
        last = value;
      },
    });
    return [told, await group?.allreduceAsync(last, "max")];
  });
  for (const [told, last] of results as [string, number][]) {
    assert.match(told, /^forEachAsync: ordered: expected a group of one node/);
    assert.is(last, 9);
  }
});

const LOOPS = rounds(250, 50_000);
for (const pes of [2, 3, 6]) {
  test(`${LOOPS} loops of ${pes} threads: parts in order and one at a time`, async () => {
    const errors = await run<number>(pes, { kind: "random", seed: SEED + pes, loops: LOOPS });
    assert.ok((errors[0] as number) > LOOPS / 20, `${errors}`);
  });
}

test("a body that throws before its turn ends the loop at all threads", async () => {
  for (const pes of [2, 4]) {
    const all = await run(pes, { kind: "throws" });
    assert.equal(all, new Array(pes).fill(["RangeError: before its turn", true, pes]));
  }
});

test("limits hold at a thread that waits for its turn: a timeout, an abort; progress is told", async () => {
  assert.equal(await run(2, { kind: "told" }), new Array(2).fill([true, 0]));
  assert.equal(await run(3, { kind: "late" }), new Array(3).fill([TimeoutError.name, 3]));
  assert.equal(await run(2, { kind: "aborted" }), new Array(2).fill([AbortedError.name, 2]));
});

test("a thread that is lost in its part; one that makes the loop without", async () => {
  const lost = launchPooled(module, { pes: 3, args: { kind: "lost" } satisfies Args, waitTimeout: 60_000 });
  await lost.then(
    () => assert.unreachable(),
    (error) => assert.instance(error, RankLostError),
  );
  await run(2, { kind: "mismatch" }).then(
    () => assert.unreachable(),
    (error) => assert.instance(error, MismatchError),
  );
});

test("misuse is refused; the schedule is dynamic if none is said", async () => {
  for (const told of await run<string>(2, { kind: "misuse" })) {
    assert.match(told, /^forEach of 10 iterations: dynamic/);
  }
});

test.run();
