/** The programs of `bench programs` on pooled worlds: their results are those of one thread, and a wrong one is noticed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compare, type ProgramAnswer } from "../../packages/tundish-bench/src/programs/bench-programs.program.ts";
import { edgesOf, verticesOf } from "../../packages/tundish-bench/src/programs/graph.ts";
import { PROGRAMS, type ProgramJob, type ProgramName } from "../../packages/tundish-bench/src/programs/jobs.ts";
import { launchPooled } from "../support/thread-pool.ts";

const test = suite("bench programs");
const module = new URL("../../packages/tundish-bench/src/programs/bench-programs.program.js", import.meta.url);

const play = async (pes: number, args: ProgramJob) => launchPooled<ProgramAnswer>(module, { pes, args });

test("every program, on several numbers of PEs: the first run and later ones give what one thread gives", async () => {
  const later = { warmMs: 0, runs: 2 };
  for (const name of Object.keys(PROGRAMS) as ProgramName[]) {
    // neither a multiple of the PEs, nor so many that every PE has elements
    for (const [pes, size] of [
      [2, 20_011],
      [3, 5003],
      [4, 5],
    ]) {
      // throws if they differ
      for (const kind of ["together", "byConveyor"] as const) {
        if (kind === "byConveyor" && PROGRAMS[name].byConveyor === undefined) continue;
        const answers = await play(pes, { kind, name, size, ...later });
        assert.is(answers.length, pes);
        for (const { first, later } of answers) {
          assert.ok(first > 0 && later.length === 2 && later.every((ns) => ns > 0), name);
        }
      }
    }
    const [{ first, later: runs }] = await play(1, { kind: "alone", name, size: 1000, ...later });
    assert.ok(first > 0 && runs.length === 2);
  }
  const launched = await play(2, { kind: "launch" });
  assert.equal(
    launched.map(({ first, later }) => [first, later]),
    [
      [0, []],
      [0, []],
    ],
  );
});

test("results of one thread: known ones, and sense", () => {
  const bfs = PROGRAMS["breadth-first search"].alone(2000);
  bfs.run();
  const distances = bfs.result().values;
  const { offsets, targets } = edgesOf(2000, 0, verticesOf(2000));
  assert.is(distances[0], 0);
  for (let v = 0; v < distances.length; v++) {
    if (distances[v] === -1) continue;
    for (const to of targets.slice(offsets[v], offsets[v + 1])) {
      assert.ok(distances[to] >= 0 && distances[to] <= distances[v] + 1, `edge ${v} to ${to}`);
    }
  }
  const sum = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0);
  const rank = PROGRAMS.PageRank.alone(2000);
  rank.run();
  assert.ok(Math.abs(sum(rank.result().values) - 1) < 1e-9);
  const words = PROGRAMS["word count"].alone(3001);
  words.run();
  const counts = words.result().values;
  assert.is(sum(counts), 3001);
  assert.ok(counts[0] > counts[100], "the first word of the vocabulary is the most frequent one");
  const sort = PROGRAMS["sample sort"].alone(1000);
  sort.run();
  const sorted = Array.from(sort.result().values);
  assert.ok(sorted.every((value, i) => i === 0 || value >= sorted[i - 1]));
});

test("a wrong value, a missing one, one too many: noticed", () => {
  const pe = (all: number) => ({ rank: 1, allreduce: (() => all) as never });
  const whole = [1, 2, 3, 4];
  const check = (all: number, first: number, values: number[], tolerance = 0) =>
    compare(pe(all), "a program", { first, values }, whole, tolerance);
  check(4, 0, whole);
  check(4, 2, [3, 4]);
  check(4, 2, [3.0001, 4], 1e-4);
  assert.throws(() => check(4, 2, [3.0001, 4]), /a program: PE 1: value 2: expected 3, got 3\.0001/);
  assert.throws(() => check(4, 2, [3.001, 4], 1e-4), /value 2/);
  assert.throws(() => check(4, 1, [Number.NaN], 1), /value 1: expected 2, got NaN/);
  assert.throws(() => check(3, 2, [3]), /a program: expected 4 values of all PEs together, got 3/);
  assert.throws(() => check(4, 3, [4, 5]), /value 4: expected undefined, got 5/);
});

test.run();
