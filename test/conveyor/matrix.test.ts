/** Every type of conveyor on threads, with every size of items: nothing is lost, doubled, or out of order. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/sibling.ts";
import { launch } from "../../src/world/launch.ts";
import { casesWith } from "./cases.ts";
import type { Args } from "./matrix.program.ts";

const program = sibling("./matrix.program.js", import.meta.url);

const matrix = suite("conveyors on threads");
for (const [pes, count, sessions] of [
  [1, 300, 8],
  [2, 300, 8],
  [3, 200, 8],
  [4, 200, 6],
  [5, 100, 4],
  [8, 100, 3],
  [12, 50, 2],
  [24, 30, 1],
]) {
  matrix(`${pes} PEs`, async () => {
    const cases = [1, 2, 4].flatMap((buffers) => casesWith(buffers as 1 | 2 | 4));
    // with many PEs each type has one number of buffers only
    const some = pes > 8 ? cases.filter((_, i) => i % 3 === 0) : cases;
    const args: Args = { cases: some, effort: { count, sessions } };
    const results = await launch<[string, number][]>(program, { pes, args, timeout: 300_000 });
    assert.is(results.length, pes);
    if (process.env.TUNDISH_TEST_TIMES) {
      for (const [name, ms] of results[0]) if (ms > 200) console.log(pes, name, Math.round(ms));
    }
  });
}
matrix.run();
