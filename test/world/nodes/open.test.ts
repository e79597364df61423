/** Open worlds over nodes. */
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/base/package-file.ts";
import { eachMpi, mpirun, runLine } from "../../mpi/launchers.ts";

interface Line {
  readonly first: number;
  readonly size: number;
  readonly sums: readonly number[][];
  readonly posts: number;
  readonly early: string;
  readonly after: string;
  readonly one: readonly number[];
}

const program = fileURLToPath(sibling("./open-node.program.js", import.meta.url));
const test = suite("open worlds over nodes");
eachMpi(
  test,
  "two nodes of two PEs: runs, posts, one world after another, a failure on all nodes",
  async (kind) => {
    const { code, said, text } = await runLine<Line>([...mpirun(kind, 2), process.execPath, program]);
    assert.is(code, 0, text);
    assert.equal(said.map(({ first }) => first).toSorted(), [0, 2], text);
    // each PE gets the numbers from all: 0 to 99 by rank modulo 4
    const streamed = [0, 1, 2, 3].map((rank) => 4 * (25 * rank + (4 * (24 * 25)) / 2));
    for (const { first, size, sums, posts, early, after, one } of said) {
      assert.is(size, 4);
      for (const [i, sum] of sums.entries())
        assert.equal(sum, i % 2 === 0 ? [10, 10] : streamed.slice(first, first + 2));
      assert.is(posts, 6);
      assert.match(early, /^ERR_TUNDISH_RANK_LOST: PE 3 /);
      assert.match(after, /^ERR_TUNDISH_WORLD_CLOSED: The world has ended: .*PE 3/);
      assert.equal(one, [3]);
    }
  },
);
test.run();
