/** Queries that are answered by a table: with the element that each names, whatever their types; and those that name none. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { IndexRangeError, UsageError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { bytes, f64, i32, struct, u8, u32, u64 } from "../../../../src/ground/item/item-type.ts";
import { ARRAYS } from "../../../../src/ground/memory/kernels/elements.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { type SimulatedPE, simulate } from "../../../../src/running/simulate/simulate.ts";
import { rounds } from "../../../support/long.ts";
import { testInTurn } from "../../../support/test-in-turn.ts";
import type { Args } from "../programs/accumulate.program.ts";
import { playVirtually } from "../support/seats.ts";
import { askTable, tableTrials } from "../support/tables.ts";

const program = sibling("../programs/accumulate.program.js", import.meta.url);

const answers = suite("answers by a table");

answers("any queries, virtual PEs", () => {
  fc.assert(
    fc.property(tableTrials, fc.constantFrom(1, 2, 3, 4, 6), (trial, pes) => {
      playVirtually({ pes, seed: trial.seed, timeout: 1000 }, (pe) =>
        askTable(pe, trial, (type, length) => new ARRAYS[type](length)),
      );
    }),
    { numRuns: rounds(50, 30_000) },
  );
});

for (const pes of [1, 3, 4]) {
  testInTurn<Args>(answers, program, pes, [
    ["any queries, tables in the heap and elsewhere", { part: "answers", trials: rounds(6, 40) }, 0],
  ]);
}

answers("a query that names no element ends no session: it is told who asked, and answered when it can be", () => {
  for (const hops of [1, 2] as const) {
    const { results } = simulate({ pes: 4 }, function* (pe: SimulatedPE) {
      const Resizable = ArrayBuffer as unknown as new (bytes: number, options: object) => ArrayBuffer;
      const buffer = new Resizable(80, { maxByteLength: 160 });
      const table = new Float64Array(buffer);
      for (let i = 0; i < 10; i++) table[i] = i + 0.5;
      const groupSize = hops === 2 ? 2 : undefined;
      const c = pe.biconveyor(struct({ a: u8, at: i32 }), f64, { table, index: "at" }, { hops, groupSize });
      const said: unknown[] = [];
      const got: number[] = [];
      yield* c.begin();
      if (pe.rank === 3) for (const at of [1, 9, 12, 4]) c.push(0, 7, at);
      for (let isOn = true; isOn; ) {
        try {
          isOn = (yield* c.advance(true)) !== 0;
        } catch (error) {
          assert.instance(error, IndexRangeError);
          const { from, index, length, message } = error as IndexRangeError;
          assert.match(message, /^biconveyor: the answer: expected an index from 0 to 9, .*got 12 from PE 3\./);
          said.push(from, index, length);
          // the second time the table is long enough
          if (said.length === 6) (buffer as unknown as { resize(bytes: number): void }).resize(160);
        }
        while (c.pull()) got.push(c.item);
      }
      yield* c.reset();
      return [said, got];
    });
    assert.equal(results[0], [[3, 12, 10, 3, 12, 10], []]);
    assert.equal(results[3], [[], [1.5, 9.5, 0, 4.5]]);
  }
});

answers("a table that was freed answers no more", async () => {
  const args: Args = { part: "freedAnswers" };
  const text = /threw UsageError: biconveyor: table: expected an array with its memory, got one that was given back/;
  await launch(program, { pes: 2, args, timeout: 60_000 }).then(
    () => assert.unreachable("answered"),
    (error: Error) => assert.match(error.message, text),
  );
});

answers("what does not fit is refused when the biconveyor is made", () => {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    yield;
    const table = new Float64Array(4);
    const pair = struct({ at: u32, b: bytes(2) });
    const cases = [
      [u32, f64, { table, indx: "at" }, /unknown field 'indx'/],
      [u32, f64, { table: [1] }, /table: expected a typed array .*got Array of length 1/],
      [u32, f64, { table: undefined }, /table: expected a typed array/],
      [u32, u32, { table }, /table: expected an array of replies, which are u32, got Float64Array of length 4/],
      [u32, pair, { table }, /an array of replies, which are \{ at: u32, b: bytes\(2\) \}/],
      [u32, u8, { table: new Uint8ClampedArray(3) }, /got Uint8ClampedArray/],
      [pair, f64, { table }, /index: expected the name of a field that is an integer \(at\), got undefined/],
      [pair, f64, { table, index: "b" }, /index: expected .*got "b"/],
      [f64, f64, { table }, /an integer \(there is none\)/],
      [u64, f64, { table, index: "at" }, /the item itself, which has no name/],
    ] as const;
    for (const [query, reply, answer, text] of cases) {
      assert.throws(
        () => pe.biconveyor(query as never, reply as never, answer as never),
        (error: unknown) => error instanceof UsageError && text.test(error.message),
      );
    }
  });
});

answers.run();
