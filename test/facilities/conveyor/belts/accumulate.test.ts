/** Items that go into a table: the same as by a plain loop, whatever their types; and what cannot go there. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { IndexRangeError, StateError, UsageError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { bytes, f32, f64, i8, i32, i64, struct, u8, u16, u32, u64 } from "../../../../src/ground/item/item-type.ts";
import { ARRAYS } from "../../../../src/ground/memory/kernels/elements.ts";
import { type SimulatedPE, simulate } from "../../../../src/running/simulate/simulate.ts";
import { rounds } from "../../../support/long.ts";
import { testInTurn } from "../../../support/test-in-turn.ts";
import type { Args } from "../programs/accumulate.program.ts";
import { playVirtually } from "../support/seats.ts";
import { accumulate, tableTrials } from "../support/tables.ts";

const program = sibling("../programs/accumulate.program.js", import.meta.url);

const tables = suite("accumulate");

tables("any items, virtual PEs", () => {
  const trials = fc.tuple(tableTrials, fc.constantFrom("accumulate", "mixed"), fc.constantFrom(1, 2, 3, 4, 6));
  fc.assert(
    fc.property(trials, ([trial, way, pes]) => {
      playVirtually({ pes, seed: trial.seed, timeout: 1000 }, (pe) =>
        accumulate(pe, trial, way, (type, length) => new ARRAYS[type](length)),
      );
    }),
    { numRuns: rounds(75, 30_000) },
  );
});

for (const pes of [1, 3, 4]) {
  testInTurn<Args>(tables, program, pes, [
    ...(["accumulate", "mixed", "run"] as const).map(
      (way) => [`${way}, tables in the heap and elsewhere`, { part: "any", way, trials: rounds(6, 40) }, 0] as const,
    ),
    ["an index that names no element", { part: "outside" }, "as the reference"],
    ["a table that was freed", { part: "freed" }, "ERR_TUNDISH_USAGE ERR_TUNDISH_USAGE 3"],
  ]);
}

const refused = (act: () => unknown, text: RegExp): void => {
  assert.throws(act, (error: unknown) => error instanceof UsageError && text.test(error.message));
};

tables("an index that names no element: those before it are in the table, and it is the next item", () => {
  for (const hops of [1, 2] as const) {
    const { results } = simulate({ pes: 4 }, function* (pe: SimulatedPE) {
      const c = pe.conveyor(struct({ at: i32, x: f64 }), { hops, groupSize: hops === 2 ? 2 : undefined });
      const table = new Float64Array(10);
      const said: unknown[] = [];
      yield* c.begin();
      // PE 3 asks for what is not there, as its third item
      if (pe.rank === 3) for (const at of [1, 2, -1, 4, 10, 5]) c.push(0, at, 1);
      while (yield* c.advance(true)) {
        try {
          c.accumulate(table, { op: "sum", index: "at", value: "x" });
        } catch (error) {
          assert.instance(error, IndexRangeError);
          const { from, index, length, message } = error as IndexRangeError;
          said.push([from, index, length, table.join(" ")]);
          assert.match(message, /expected an index from 0 to 9, .* got (-1|10) from PE 3\..*pull\(\) takes it/);
          // again, and nothing has changed
          const again = () => c.accumulate(table, { op: "sum", index: "at", value: "x" });
          assert.throws(again, (e: unknown) => e instanceof IndexRangeError);
          assert.is(c.pull(), true);
          assert.equal([c.item.at, c.item.x, c.from], [index, 1, 3]);
        }
      }
      yield* c.reset();
      return [...said, table.join(" ")];
    });
    assert.equal(results[0], [
      [3, -1, 10, "0 1 1 0 0 0 0 0 0 0"],
      [3, 10, 10, "0 1 1 0 1 0 0 0 0 0"],
      "0 1 1 0 1 1 0 0 0 0",
    ]);
    assert.equal(results[1], ["0 0 0 0 0 0 0 0 0 0"]);
  }
});

tables("what does not fit is refused before anything is pulled", () => {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(struct({ at: u32, x: f32, n: struct({ big: u64 }), b: bytes(4) }));
    const six = new Float64Array(6);
    assert.throws(
      () => c.accumulate(six, { op: "count", index: "at" }),
      (error: unknown) => error instanceof StateError,
    );
    yield* c.begin();
    c.push(0, 5, 1.5, { big: 7n }, new Uint8Array(4));
    yield* c.advance(true);
    const into = (table: unknown, options: unknown) => () => c.accumulate(table as never, options as never);
    refused(
      into([1], { op: "count", index: "at" }),
      /table: expected a typed array \(Int8Array, .*got Array of length 1/,
    );
    refused(
      into(new Uint8ClampedArray(9), { op: "count", index: "at" }),
      /table: expected a typed array .*got Uint8ClampedArray/,
    );
    refused(into(six, undefined), /expected an object/);
    refused(into(six, { op: "add", index: "at" }), /op: expected one of count, sum, min, max, replace, got "add"/);
    refused(into(six, { op: "count", indx: "at" }), /unknown option 'indx'; did you mean 'index'/);
    refused(
      into(six, { op: "count" }),
      /index: expected the name of a field that is an integer \(at, n\.big\), got undefined; the items are/,
    );
    refused(into(six, { op: "count", index: "x" }), /index: expected the name of a field that is an integer/);
    refused(into(six, { op: "count", index: "n" }), /index: expected .*got "n"/);
    refused(into(six, { op: "count", index: "at", value: "x" }), /value: op "count" takes none/);
    refused(
      into(six, { op: "sum", index: "at" }),
      /value: expected .*a table of f64 can hold \(at, x\), got undefined/,
    );
    refused(into(six, { op: "sum", index: "at", value: "n.big" }), /value: expected/);
    refused(
      into(new Int32Array(6), { op: "sum", index: "at", value: "x" }),
      /a table of i32 can hold \(there is none\)/,
    );
    refused(into(new BigInt64Array(6), { op: "sum", index: "at", value: "n.big" }), /a table of i64 can hold/);
    assert.is(c.accumulate(six, { op: "sum", index: "at", value: "x" }), 1);
    assert.equal([...six], [0, 0, 0, 0, 0, 1.5]);
    while (yield* c.advance(true));
    assert.is(c.accumulate(six, { op: "sum", index: "at", value: "x" }), 0);
    yield* c.reset();
  });
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(bytes(4));
    yield* c.begin();
    refused(
      () => c.accumulate(new Uint32Array(1), { op: "count" }),
      /an integer \(there is none\), got undefined; the items are bytes\(4\)/,
    );
    const d = yield* begun(pe);
    refused(() => d.accumulate(new Uint32Array(1), { op: "sum" }), /value: expected/);
    // nor of a type that the items have
    refused(() => d.accumulate(new BigUint64Array(1), { op: "sum" }), /value: expected .*\(there is none\)/);
    while (yield* c.advance(true));
    while (yield* d.advance(true));
  });
});

/** Items that name no value. */
function* begun(pe: SimulatedPE) {
  const c = pe.conveyor(u64);
  yield* c.begin();
  return c;
}

tables(
  "of several items for one element the last of a PE counts, and floating-point values are as in JavaScript",
  () => {
    simulate({ pes: 1 }, function* (pe: SimulatedPE) {
      const c = pe.conveyor(struct({ at: u16, x: f64 }));
      const tables = { replace: -1, min: 3, max: 3, sum: 0.1 } as const;
      for (const [op, first] of Object.entries(tables)) {
        for (const xs of [
          [1, 2, 7],
          [0, -0],
          [-0, 0],
          [Number.NaN, 1],
          [5, Number.NaN],
          [0.2, 0.3],
        ]) {
          const table = Float64Array.of(first, first);
          yield* c.begin();
          for (const x of xs) c.push(0, 1, x);
          while (yield* c.advance(true)) c.accumulate(table, { op: op as never, index: "at", value: "x" });
          yield* c.reset();
          let wanted = first as number;
          for (const x of xs) {
            if (op === "replace") wanted = x;
            else if (op === "sum") wanted += x;
            else wanted = Math[op as "min"](wanted, x);
          }
          assert.ok(Object.is(table[1], wanted), `${op} ${xs}: ${table[1]}, not ${wanted}`);
          assert.is(table[0], first);
        }
      }
    });
  },
);

tables("after a begin with items of another type the fields are those of these", () => {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(u8);
    const counts = new Uint32Array(4);
    yield* c.begin();
    c.push(0, 3);
    while (yield* c.advance(true)) c.accumulate(counts, { op: "count" });
    yield* c.reset();
    yield* c.begin(i64);
    (c as never as { push(dest: number, x: bigint): boolean }).push(0, 2n);
    while (yield* c.advance(true)) c.accumulate(counts, { op: "count" });
    yield* c.reset();
    yield* c.begin(struct({ slot: i8 }));
    refused(() => c.accumulate(counts, { op: "count" }), /index: expected .* \(slot\), got undefined/);
    while (yield* c.advance(true));
    yield* c.reset();
    assert.equal([...counts], [0, 0, 1, 1]);
  });
});

tables.run();
