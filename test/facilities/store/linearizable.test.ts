/** Random histories of the store, on a virtual network with members that are lost and that stall, are linearizable. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { counterRun } from "./support/counter-run.ts";
import { storeRun } from "./support/store-run.ts";

const test = suite("store, linearizability");

test("random histories", () => {
  const count = rounds(300, 100_000);
  let [operations, unknown, localReads, lost, settled] = [0, 0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const outcome = storeRun((SEED + i) % 2 ** 31);
    operations += outcome.operations;
    unknown += outcome.unknown;
    localReads += outcome.localReads;
    lost += outcome.lostReplicas;
    if (outcome.settled) settled++;
  }
  console.log(
    `${count} histories: ${operations} operations, ${unknown} of unknown outcome, ${localReads} local reads, ${lost} replicas lost, ${settled} settled`,
  );
  assert.ok(operations > 10 * count && localReads > count && lost > count / 10 && settled > count / 2);
});

test("random histories of a counter, without a store", () => {
  let operations = 0;
  for (let i = 0; i < rounds(300, 50_000); i++) operations += counterRun((SEED + i) % 2 ** 31);
  assert.ok(operations > rounds(2400, 400_000), `${operations}`);
});

for (const broken of ["latest reads are local", "writes that are sent again are applied again"] as const) {
  test(`a store that is broken is noticed: ${broken}`, () => {
    for (let i = 0; i < 3000; i++) {
      try {
        storeRun((SEED + i) % 2 ** 31, broken);
      } catch (error) {
        assert.match((error as Error).message, /not linearizable at|PE \d+, call/);
        return;
      }
    }
    assert.unreachable();
  });
}

test.run();
