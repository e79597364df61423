/** Groups: any subset, in any order, many at once; what they cost and what is refused. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { teamBytes } from "../../src/collectives/team.ts";
import { MismatchError } from "../../src/errors.ts";
import { LINE } from "../../src/memory/heap-layout.ts";
import { sibling } from "../../src/sibling.ts";
import { launch } from "../../src/world/launch.ts";
import type { Part } from "./groups.program.ts";
import { treesOf } from "./plans.ts";

const program = sibling("./groups.program.js", import.meta.url);

function play<T>(pes: number, part: Part, heapBytes = 2 ** 30): Promise<T[]> {
  return launch(program, { pes, args: part, heapBytes, timeout: 60_000, waitTimeout: 20_000 }) as Promise<
    T[]
  >;
}

const groups = suite("groups");
for (const pes of [1, 2, 4, 6]) {
  groups(`of one PE, ${pes} PEs`, async () => void (await play(pes, "one")));
  groups(`in another order than the world's, ${pes} PEs`, async () => void (await play(pes, "orders")));
  groups(`several under way at one PE, ${pes} PEs`, async () => void (await play(pes, "beside")));
}
groups("with arrays of their own, 5 PEs", async () => void (await play(5, "alloc")));

groups("hundreds, each used: the heap grows by a block for each, 3 PEs", async () => {
  const [{ count, grown }] = await play<{ count: number; grown: number }>(3, "many");
  // a block has a header of a line; links along a plan of another shape than this may be a few more
  const block = 2 * LINE + teamBytes(treesOf(3, "sequential"), 3) + 4 * 3 * 4096;
  assert.ok(grown > 0 && grown < count * block, `${grown} bytes for ${count} groups`);
});

groups("of two: a block each, and nothing beside it", async () => {
  const block = LINE + Math.ceil(teamBytes(treesOf(2, "sequential"), 2) / LINE) * LINE;
  assert.equal(await play<number>(3, "pairs"), [block, block, block]);
});

groups("in a full heap are refused everywhere, and the world goes on", async () => {
  const made = await play<number>(2, "full", 4 * 2 ** 20);
  assert.ok(made[0] > 3, `${made}`);
});

for (const pes of [2, 5]) {
  groups(`of ranks in another order at one PE are a mismatch for all, ${pes} PEs`, async () => {
    const error = await play(pes, "disordered").then(
      () => undefined,
      (cause: unknown) => cause,
    );
    assert.instance(error, MismatchError);
    assert.match(
      (error as Error).message,
      /^PE \d called group\(\[\d(, \d)+\]\): another PE of this group has called it with the same ranks in another order/,
    );
  });
}

for (const pes of [2, 3]) {
  groups(`of PEs that are none are refused, ${pes} PEs`, async () => {
    for (const [rank, told] of (await play<string[]>(pes, "refused")).entries()) {
      assert.is(told.length, 8);
      for (const error of told) {
        assert.match(
          error,
          new RegExp(
            `^UsageError: group: expected distinct ranks from 0 to ${pes - 1}, this PE's own \\(${rank}\\) among them, got \\[`,
          ),
        );
      }
    }
  });
}
groups.run();
