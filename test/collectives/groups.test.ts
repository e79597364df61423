/** Groups: any subset, in any order, many at once; what they cost and what is refused. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { teamBytes } from "../../src/collectives/team/team-block.ts";
import { MismatchError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { LINE } from "../../src/ground/memory/heap-layout.ts";
import { rounds } from "../support/long.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Part } from "./programs/groups.program.ts";
import { treesOf } from "./support/plans.ts";

const program = sibling("./programs/groups.program.js", import.meta.url);

const play = <T>(pes: number, part: Part, heapBytes = 2 ** 23, count = 0): Promise<T[]> =>
  launchPooled<T>(program, { pes, args: { part, count }, heapBytes, waitTimeout: 20_000 });
/** Groups in a heap that holds few of them. */
const COUNT = rounds(120, 3000);

const groups = suite("groups");
for (const pes of [1, 2, 4, 6]) {
  groups(`of one PE, ${pes} PEs`, async () => void (await play(pes, "one")));
  groups(`in another order than the world's, ${pes} PEs`, async () => void (await play(pes, "orders")));
  groups(`several under way at one PE, ${pes} PEs`, async () => void (await play(pes, "beside")));
}
groups("with arrays of their own, 5 PEs", async () => void (await play(5, "alloc")));

groups("hundreds, each used: the heap grows by a block for each, 3 PEs", async () => {
  const [{ count, grown }] = await play<{ count: number; grown: number }>(3, "many", 2 ** 27);
  // a block has a header of a line; links along a plan of another shape than this may be a few more
  const block = 2 * LINE + teamBytes(treesOf(3, "sequential"), 3) + 4 * 3 * 4096;
  assert.ok(grown > 0 && grown < count * block, `${grown} bytes for ${count} groups`);
});

groups("of two: a block each, and nothing beside it", async () => {
  const block = LINE + Math.ceil(teamBytes(treesOf(2, "sequential"), 2) / LINE) * LINE;
  assert.equal(await play<number>(3, "pairs", 2 ** 25), [block, block, block]);
});

for (const pes of [1, 2, 3, 5]) {
  const mebibytes = pes > 3 ? 16 : 8;
  groups(`that are left give all their memory back: ${COUNT} in ${mebibytes} MiB, ${pes} PEs`, async () => {
    assert.equal(await play<number>(pes, "left", mebibytes * 2 ** 20, COUNT), Array(pes).fill(0));
  });
}

groups("that were left are of no use, and nothing else is changed by it, 3 PEs", async () => {
  const all = await play<string[]>(3, "used after");
  assert.match(all[0].shift() as string, /^UsageError: An Async collective of this group is still under way/);
  for (const told of all) {
    assert.is(told.length, 7);
    for (const error of told) assert.match(error, /^UsageError: This PE has left this group/);
  }
});

groups("left by one PE while others wait for it are a mismatch", async () => {
  const error = await play(3, "alone in it").then(() => "", String);
  assert.match(error, /MismatchError: PE 0 called leave; PE [12, ]+ called barrier/);
});

groups("left in a world that has failed: no further error", async () => {
  const error = await play(3, "after the end").then(() => "", String);
  assert.match(error, /TimeoutError: PE 0 waited .* longer than it was given/);
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
      /^PE \d: group\(\[\d(, \d)+\]\): another PE of this group has called it with the same ranks in another order/,
    );
  });
}

for (const pes of [2, 3]) {
  groups(`of PEs that are none are refused, ${pes} PEs`, async () => {
    for (const [rank, told] of (await play<string[]>(pes, "refused")).entries()) {
      assert.is(told.length, 10);
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
