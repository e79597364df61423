/** The schedule of an exchange as a graph: no two chunks of a round share a sender or a receiver, and no schedule is shorter. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scheduleGraph } from "../../../src/facilities/exchange/schedule-graph.ts";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { simulate } from "../../../src/running/simulate/simulate.ts";

const test = suite("schedule graphs");

const matrices = fc
  .integer({ min: 1, max: 6 })
  .chain((pes) =>
    fc.array(fc.array(fc.nat(500), { minLength: pes, maxLength: pes }), { minLength: pes, maxLength: pes }),
  );

test("each chunk has a round of its own at both ends, and there are as few rounds as can be", () => {
  fc.assert(
    fc.property(matrices, fc.integer({ min: 50, max: 600 }), (bytes, chunkBytes) => {
      const graph = scheduleGraph(bytes, { chunkBytes });
      const pes = bytes.length;
      assert.is(graph.order, 2 * pes);
      const ends = new Set<string>();
      graph.forEachEdge((_edge, { round }, source, target, { side, pe }) => {
        assert.is(side, "sender");
        assert.is(source, `s${pe}`);
        for (const end of [source, target]) {
          assert.not(ends.has(`${round} ${end}`), `${end} twice in round ${round}`);
          ends.add(`${round} ${end}`);
        }
      });
      let most = 0;
      const chunks = (from: number, to: number) =>
        from === to ? 0 : Math.ceil((bytes[from]?.[to] as number) / chunkBytes);
      for (let pe = 0; pe < pes; pe++) {
        const all = Array.from({ length: pes }, (_, other) => other);
        const sends = all.reduce((sum, other) => sum + chunks(pe, other), 0);
        const receives = all.reduce((sum, other) => sum + chunks(other, pe), 0);
        most = Math.max(most, sends, receives);
        for (const to of all) assert.is(graph.edges(`s${pe}`, `r${to}`).length, chunks(pe, to));
      }
      assert.is(graph.getAttribute("rounds"), most);
    }),
  );
});

test("an exchange by static takes as many rounds", () => {
  const bytes = [
    [0, 700, 100],
    [0, 0, 300],
    [0, 250, 0],
  ];
  const { results } = simulate({ pes: 3, nodes: 3, seed: 1 }, function* (pe) {
    const x = pe.exchange({ discipline: "static", chunkBytes: 200 });
    for (const [to, length] of (bytes[pe.rank] as number[]).entries()) {
      if (length > 0) x.schedule(to, new Uint8Array(length));
    }
    yield* x.finish(() => {});
    return x.stats().counts.rounds;
  });
  const rounds = scheduleGraph(bytes, { chunkBytes: 200 }).getAttribute("rounds");
  assert.is(rounds, 6);
  assert.equal(results, [rounds, rounds, rounds]);
});

test("what is no matrix of sizes is refused", () => {
  const wrong: [unknown, RegExp][] = [
    [5, /expected a list of rows, one for each PE, got 5/],
    [[[0, 1]], /expected 1 numbers of bytes for sender 0/],
    [[[0, 1], 7], /expected 2 numbers of bytes for sender 1, got 7/],
    [[[-1]], /expected 1 numbers of bytes for sender 0/],
  ];
  for (const [bytes, message] of wrong) {
    assert.throws(
      () => scheduleGraph(bytes as number[][]),
      (error: unknown) => error instanceof UsageError && message.test(error.message),
    );
  }
  assert.throws(() => scheduleGraph([[0]], { chunkBytes: 0 }), /chunkBytes: expected a whole number from 1/);
  assert.throws(() => scheduleGraph([[0]], { chunk: 5 } as never), /unknown option 'chunk'/);
  assert.throws(
    () => scheduleGraph([[0]], null as never),
    (error: unknown) => error instanceof UsageError,
  );
});

test.run();
