/** Tasks on virtual PEs: each exactly once, whatever the order of events; handlers throw, PEs stall. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tasks } from "../../../src/loop.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { mixed, Tree } from "./support/trees.ts";

const test = suite("tasks on virtual PEs");
const RUNS = 3;

/** @returns the tasks that were stolen, and the runs that threw */
async function playSeed(seed: number): Promise<readonly [stolen: number, thrown: number]> {
  const pes = 1 + (mixed(seed, 11) % 6);
  const trees = Array.from({ length: RUNS }, (_, k) => new Tree(mixed(seed, k), 300));
  const marks = trees.map((tree) => new Array<number>(tree.size).fill(0));
  const ended = trees.map(() => [] as string[]);
  let stolen = 0;
  const faults = Array.from({ length: mixed(seed, 12) % 3 }, (_, i) => ({
    ...{ pe: mixed(seed, 13, i) % pes, at: mixed(seed, 14, i) % 5000, kind: "stall" as const },
    lasting: mixed(seed, 15, i) % 20_000,
  }));
  await simulateAsync({ pes, seed, jitter: mixed(seed, 16) % 4, faults }, async (pe) => {
    let k = 0;
    const all = tasks(pe, {
      node(at) {
        const tree = trees[k] as Tree;
        (marks[k] as number[])[at]++;
        if (at === tree.throwsAt) throw new RangeError(`at ${at}`);
        for (const child of tree.childrenOf(at)) all.spawn.node(child);
      },
    });
    for (; k < RUNS; k++) {
      await pe.work(mixed(seed, k, pe.rank) % 2000);
      const roots = (trees[k] as Tree).roots.filter((root) => root % pe.size === pe.rank);
      const run = all.runAsync((spawn) => {
        for (const root of roots) spawn.node(root);
      });
      (ended[k] as string[]).push(
        await run.then(
          () => "",
          (error: unknown) => (error as Error).message,
        ),
      );
      await pe.barrierAsync();
    }
    stolen += all.stats().stolen;
  });
  let thrown = 0;
  for (const [k, { throwsAt }] of trees.entries()) {
    const told = `seed ${seed}, run ${k}`;
    assert.equal(ended[k], new Array(pes).fill(throwsAt < 0 ? "" : `at ${throwsAt}`), told);
    if (throwsAt < 0)
      assert.ok(
        (marks[k] as number[]).every((count) => count === 1),
        told,
      );
    else
      assert.ok(
        (marks[k] as number[]).every((count) => count <= 1),
        told,
      );
    if (throwsAt >= 0) thrown++;
  }
  return [stolen, thrown];
}

const COUNT = rounds(200, 100_000);
test(`${COUNT} seeds`, async () => {
  let [stolen, thrown] = [0, 0];
  for (let i = 0; i < COUNT; i++) {
    const [more, failed] = await playSeed(SEED + i);
    stolen += more;
    thrown += failed;
  }
  assert.ok(stolen > COUNT, `${stolen} tasks were stolen`);
  assert.ok(thrown > COUNT / 10, `${thrown} runs threw`);
});

test.run();
