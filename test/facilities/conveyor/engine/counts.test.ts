/** The counts of a conveyor that has sent more than fits in 32 bits. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Counts } from "../../../../src/facilities/conveyor/engine/stats.ts";

const counts = suite("counts");

counts("sums beyond 32 bits are exact, and each has its name", () => {
  const sum = new Counts();
  const session = new Counts();
  const count = (): void => {
    session.set(2, 3, 4, 5, 8, 9, [
      { buffers: 4, bytes: 2 ** 31, fills: 1, causes: Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8) },
      { buffers: 2, bytes: 7, fills: 2, causes: Uint32Array.of(1, 0, 0, 0, 0, 0, 0, 0) },
    ]);
  };
  for (let i = 0; i < 3; i++) {
    count();
    session.moveTo(sum);
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
    fill: 0.5,
    sentFor: { full: 6, cutoff: 6, delay: 9, capacity: 12, flush: 15, steady: 18, exchange: 21, end: 24 },
  });
  count();
  const { cumulative, adapted, ...own } = session.readWith(sum, null);
  assert.equal([own, adapted], [session.read(), null]);
  assert.equal([cumulative.bytes, cumulative.fill, cumulative.sentFor.end], [4 * 2 ** 31 + 28, 0.5, 32]);
  session.moveTo(sum);
  const { sentFor, ...rest } = session.read();
  assert.equal([...Object.values(rest), ...Object.values(sentFor)], new Array(10 + 8).fill(0));
});

counts.run();
