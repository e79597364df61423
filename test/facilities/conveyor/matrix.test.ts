/** Every type of conveyor on threads, with every size of items: nothing is lost, doubled, or out of order. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { LONG, rounds } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args } from "./programs/matrix.program.ts";
import { ALL_SIZES, casesWith } from "./support/cases.ts";

const program = sibling("./programs/matrix.program.js", import.meta.url);

const matrix = suite("conveyors on threads");
/**
 * PEs, items, sessions of a plain run, and of how many types one is played there. Each type with 2 or with 3 PEs, and
 * with 1 or with 4, which is drawn, and so with two numbers of buffers; all sizes on one PE. Virtual PEs play more
 * (matrix-simulated.test.ts).
 */
const worlds = [
  [1, 100, ALL_SIZES, 1],
  [2, 100, 2, 1],
  [3, 100, 2, 1],
  [4, 100, 1, 1],
  [5, 60, 1, 4],
  [8, 40, 1, 5],
  [rounds(12, 24), rounds(20, 10), 1, 8],
] as const;

for (const [world, [pes, count, few, of]] of worlds.entries()) {
  matrix(`${pes} PEs`, async () => {
    const all = ([1, 2, 4] as const).map(casesWith);
    const cases = LONG ? all.flat() : all[0].map((_, i) => all[(i + world) % all.length][i]);
    // 1 PE and 4 have the same numbers of buffers
    const isPlayed = (i: number) => {
      if (of > 1) return i % of === drawn(of, "matrix", pes);
      const [pair, first] = pes === 1 || pes === 4 ? ["1 or 4", 1] : ["2 or 3", 2];
      return (pes === first) === (drawn(2, pair, i) === 0);
    };
    const some = LONG ? cases : cases.filter((_, i) => isPlayed(i));
    const args: Args = { cases: some, volume: { count, sessions: rounds(few, ALL_SIZES) } };
    const results = await launchPooled<[string, number][]>(program, {
      pes,
      args,
      heapBytes: 2 ** 24,
      waitTimeout: 60_000,
    });
    assert.is(results.length, pes);
    if (process.env.TUNDISH_TEST_TIMES) {
      for (const [name, ms] of results[0]) if (ms > 200) console.log(pes, name, Math.round(ms));
    }
  });
}
matrix.run();
