/** Every type of conveyor on threads, with every size of items: nothing is lost, doubled, or out of order. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import type { Args } from "./programs/matrix.program.ts";
import { ALL_SIZES, casesWith } from "./support/cases.ts";

const program = sibling("./programs/matrix.program.js", import.meta.url);

const matrix = suite("conveyors on threads");
for (const [pes, count] of [
  [1, 300],
  [2, 300],
  [3, 200],
  [4, 150],
  [5, 60],
  [8, 40],
  [12, 20],
  [24, 10],
]) {
  matrix(`${pes} PEs`, async () => {
    const cases = [1, 2, 4].flatMap((buffers) => casesWith(buffers as 1 | 2 | 4));
    // with many PEs each type has one number of buffers only
    const some = pes > 8 ? cases.filter((_, i) => i % 3 === 0) : cases;
    const args: Args = { cases: some, searchBudget: { count, sessions: ALL_SIZES } };
    const results = await launch<[string, number][]>(program, { pes, args, timeout: 300_000 });
    assert.is(results.length, pes);
    if (process.env.TUNDISH_TEST_TIMES) {
      for (const [name, ms] of results[0]) if (ms > 200) console.log(pes, name, Math.round(ms));
    }
  });
}
matrix.run();
