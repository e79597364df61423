/** Open worlds over nodes. */
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { eachMpi, type Kind, mpirun, runLine } from "../../../machine/mpi/launchers.ts";
import { inTurn } from "../../../nodes/some-of.ts";

interface Line {
  readonly first: number;
  readonly size: number;
  readonly sums: readonly number[][];
  readonly loop: string;
  readonly posts: number;
  readonly early: string;
  readonly after: string;
  readonly one: readonly number[];
}

const program = fileURLToPath(sibling("./open-node.program.js", import.meta.url));
const test = suite("open worlds over nodes");
/** Through mapped memory, with one MPI or the other in a plain run, from one test to the next. */
let number = 0;
const each = (name: string, body: (kind: Kind) => Promise<void>): void =>
  eachMpi(test, name, body, inTurn(number++, "open worlds"));

each("two nodes of two PEs: runs, posts, one world after another, a failure on all nodes", async (kind) => {
  const { code, said, text } = await runLine<Line>([...mpirun(kind, 2), process.execPath, program]);
  assert.is(code, 0, text);
  assert.equal(said.map(({ first }) => first).toSorted(), [0, 2], text);
  // each PE gets the numbers from all: 0 to 99 by rank modulo 4
  const streamed = [0, 1, 2, 3].map((rank) => 4 * (25 * rank + (4 * (24 * 25)) / 2));
  for (const { first, size, sums, loop, posts, early, after, one } of said) {
    assert.is(size, 4);
    for (const [i, sum] of sums.entries()) assert.equal(sum, i % 2 === 0 ? [10, 10] : streamed.slice(first, first + 2));
    assert.is(loop, `results: ${(99 * 100 * 199) / 6}`);
    assert.is(posts, 6);
    assert.match(early, /^ERR_TUNDISH_RANK_LOST: PE 3 /);
    assert.match(after, /^ERR_TUNDISH_WORLD_CLOSED: The world has ended: .*PE 3/);
    assert.equal(one, [3]);
  }
});
interface Apart {
  readonly first: number;
  readonly said: readonly string[];
}
const apart = fileURLToPath(sibling("./open-apart.program.js", import.meta.url));

/** What two processes say, in the order of their nodes, beside the sum of the first run. */
async function said(kind: Kind, part: string): Promise<readonly (readonly string[])[]> {
  const { code, said, text } = await runLine<Apart>([...mpirun(kind, 2), process.execPath, apart, part]);
  if (part === "open") assert.is(code, 0, text);
  const all = said.toSorted((a, b) => a.first - b.first).map((one) => one.said);
  assert.is(all.length, 2, text);
  for (const one of all) assert.is(one[0], "[10,10]", text);
  return all.map((one) => one.slice(1));
}

each("a process that does not close its world exits", async (kind) => {
  const [zero, one] = await said(kind, "open");
  assert.match(zero?.[0] ?? "", /^\[\{"rank":0/);
  assert.match(one?.[0] ?? "", /^\[\{"rank":2/);
});

each("a run that is refused at one node fails at all, and ends the world", async (kind) => {
  const [zero, one] = await said(kind, "refused");
  assert.match(
    zero?.[0] ?? "",
    // it may hear of it before its own run begins
    /^ERR_TUNDISH_(RANK_LOST: |WORLD_CLOSED: The world has ended: RankLostError: )Node 1 could not run a module: UsageError: args: /,
    `${zero}\n${one}`,
  );
  assert.match(one?.[0] ?? "", /^ERR_TUNDISH_USAGE: args: expected a value that can be cloned/);
  for (const node of [zero, one]) assert.match(node?.[1] ?? "", /^ERR_TUNDISH_WORLD_CLOSED: /);
});

each("calls of the nodes that do not match end the run at all", async (kind) => {
  const [zero, one] = await said(kind, "calls");
  for (const node of [zero, one]) {
    assert.match(node?.[0] ?? "", /^ERR_TUNDISH_MISMATCH: /);
    assert.match(node?.[1] ?? "", /^ERR_TUNDISH_WORLD_CLOSED: /);
  }
});

each("a world that one node has closed runs nothing at the others", async (kind) => {
  const [zero, one] = await said(kind, "closed");
  assert.equal(zero, []);
  assert.match(one?.[0] ?? "", /^ERR_TUNDISH_WORLD_CLOSED: Node 0 has closed the world/);
});
test.run();
