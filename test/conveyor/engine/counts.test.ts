/** The counts of a conveyor that has sent more than fits in 32 bits. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addCounts, Counts } from "../../../src/conveyor/engine/stats.ts";

const counts = suite("counts");

counts("sums beyond 32 bits are exact, and each has its name", () => {
  const sum = new Counts();
  const session = new Counts();
  for (let i = 0; i < 3; i++) {
    session.set(1, 2, 3, 4, 5, 6, 2 ** 31 + 7, 8, 9);
    sum.add(session);
  }
  assert.equal(sum.read(), {
    begins: 3,
    pushes: 6,
    pulls: 9,
    unpulls: 12,
    advances: 15,
    buffers: 18,
    bytes: 3 * 2 ** 31 + 21,
    saved: 24,
    votes: 27,
  });
  assert.equal(addCounts(sum.read(), session.read()).bytes, 4 * 2 ** 31 + 28);
  session.clear();
  assert.equal(Object.values(session.read()), new Array(9).fill(0));
});

counts.run();
