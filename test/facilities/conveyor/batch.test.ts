/** Many items at once, as columns: what is pushed so arrives, whatever way it is pulled, and who sent it is known. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OverflowError, RankRangeError, StateError, UsageError } from "../../../src/ground/base/errors.ts";
import type { Columns } from "../../../src/ground/item/columns.ts";
import { bytes, f64, type ItemType, struct, u32 } from "../../../src/ground/item/item-type.ts";
import type { ConveyorOptions } from "../../../src/route/geometry/options.ts";
import { type SimulatedPE, simulate } from "../../../src/running/simulate/simulate.ts";
import { rounds } from "../../support/long.ts";
import { byteAt, bytesOf, columnOfOne, columnsOf, items } from "./support/filled.ts";
import { mix } from "./support/payloads.ts";

interface Trial {
  readonly item: number;
  readonly rows: number;
  readonly groupSize: number;
  readonly hops: 1 | 2 | 3;
  readonly type: "tensor" | "simple" | "trivial";
  readonly bufferBytes: number;
  readonly count: number;
  readonly seed: number;
  readonly compress: boolean;
}

const trials: fc.Arbitrary<Trial> = fc.record({
  item: fc.nat(items.length - 1),
  rows: fc.integer({ min: 1, max: 3 }),
  groupSize: fc.integer({ min: 1, max: 4 }),
  hops: fc.constantFrom(1, 2, 3),
  type: fc.constantFrom("tensor", "tensor", "tensor", "simple", "trivial"),
  bufferBytes: fc.constantFrom(64, 130, 500),
  count: fc.oneof(fc.nat(20), fc.nat(200)),
  seed: fc.nat(),
  compress: fc.boolean(),
});

function optionsOf({ type, hops, groupSize, bufferBytes, compress }: Trial): ConveyorOptions {
  if (type !== "tensor") return { type, bufferBytes };
  return { hops, bufferBytes, compress, ...(hops > 1 ? { groupSize } : {}) };
}

/** Plays one: pushes by columns or one by one, pulls batches or single items, puts some back. */
function play(trial: Trial): void {
  const { count, seed } = trial;
  const pes = trial.rows * trial.groupSize;
  const item = items[trial.item] as ItemType;
  const { results } = simulate({ pes, seed, timeout: 1000 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(item, optionsOf(trial));
    const dests = Uint32Array.from({ length: count }, (_, i) => mix(seed, pe.rank, i) % pes);
    const columns = columnsOf(item, pe.rank, count) as Columns<ItemType>;
    const come: { from: number; parts: Uint8Array[] }[] = [];
    let turn = 0;
    const luck = (n: number) => mix(seed, pe.rank, 7, ++turn) % n;
    yield* c.begin();
    let i = 0;
    while (yield* c.advance(i === count)) {
      const end = Math.min(count, i + luck(60));
      const next = c.pushAll(dests, columns, i, end);
      assert.ok(next >= i && next <= end);
      i = next;
      for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
        const from = [...batch.from];
        const parts = bytesOf(item, batch.columns, batch.count);
        assert.is(from.length, batch.count);
        // the last ones may come again
        let kept = batch.count;
        while (kept > 0 && luck(4) === 0 && c.unpull()) kept--;
        for (let k = 0; k < kept; k++) {
          const cut = parts.map((all) =>
            all.slice((k * all.length) / batch.count, ((k + 1) * all.length) / batch.count),
          );
          come.push({ from: from[k] as number, parts: cut });
        }
        if (kept > 0) assert.is(c.from, from[kept - 1]);
        if (luck(3) === 0) break;
      }
      // one by one in between: the scalars and strings show what they are
      if (item.kind !== "struct" && luck(2) === 0 && c.pull()) {
        const value = c.item as number | bigint | Uint8Array;
        const one = value instanceof Uint8Array ? value.slice() : columnOfOne(item, value);
        come.push({ from: c.from, parts: [one] });
      }
    }
    yield* c.reset();
    return come;
  });
  for (const [rank, come] of results.entries()) {
    const next = new Int32Array(pes);
    for (const { from, parts } of come) {
      // the next item of that sender to this PE
      let i = next[from] as number;
      while (i < count && mix(seed, from, i) % pes !== rank) i++;
      assert.ok(i < count, `more than was sent from ${from}`);
      next[from] = i + 1;
      for (const [k, part] of parts.entries()) {
        assert.ok(
          part.every((byte, at) => byte === byteAt(from, i, 100 * k + at)),
          `item ${i} from ${from} to ${rank} is another`,
        );
      }
    }
    const wanted = Array.from({ length: pes }, (_, from) =>
      Array.from({ length: count }, (_, i) => mix(seed, from, i) % pes).filter((dest) => dest === rank),
    ).flat().length;
    assert.is(come.length, wanted);
  }
}

const batches = suite("batches");

batches("everything arrives once, in order, from whom it says", () => {
  fc.assert(
    fc.property(trials, (trial) => {
      try {
        play(trial);
      } catch (error) {
        const inner = (error as Error).cause as Error | undefined;
        // an item that no buffer can hold
        if (!(inner instanceof OverflowError)) throw error;
      }
    }),
    { numRuns: rounds(100, 30_000) },
  );
});

/** Runs a program on one virtual PE with a conveyor that has begun. */
function alone<I extends ItemType>(
  item: I,
  body: (c: ReturnType<SimulatedPE["conveyor"]>) => void,
  options: ConveyorOptions = {},
): void {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(item as ItemType, options);
    yield* c.begin();
    body(c);
    while (yield* c.advance(true)) while (c.pull());
    yield* c.reset();
  });
}

const refused = (error: unknown, text: string): boolean => error instanceof UsageError && error.message.includes(text);

batches("columns of another type, or too short ones, are refused, and nothing is moved", () => {
  alone(struct({ slot: u32, at: struct({ x: f64 }), key: bytes(3) }), (c) => {
    const push = c.pushAll.bind(c) as (dests: unknown, columns: unknown, first?: unknown, end?: unknown) => number;
    const dests = new Uint32Array(10);
    const good = { slot: new Uint32Array(10), at: { x: new Float64Array(10) }, key: new Uint8Array(30) };
    const cases: [columns: unknown, text: string][] = [
      [
        { ...good, slot: new Int32Array(10) },
        "columns.slot: expected a Uint32Array of at least 10 elements, got Int32Array of length 10",
      ],
      [{ ...good, slot: new Uint32Array(9) }, "got Uint32Array of length 9"],
      [{ ...good, slot: Array.from({ length: 10 }, () => 1) }, "got Array of length 10"],
      [{ ...good, at: null }, "columns.at.x: expected a Float64Array"],
      [{ ...good, at: {} }, "columns.at.x"],
      [{ ...good, key: new Uint8Array(29) }, "columns.key: expected a Uint8Array of at least 30 elements"],
      [undefined, "columns.slot"],
      [new Uint32Array(10), "columns.slot"],
    ];
    for (const [columns, text] of cases)
      assert.throws(
        () => push(dests, columns),
        (e: unknown) => refused(e, text),
      );
    for (const wrong of [undefined, null, 0, [0, 0], new Int32Array(10), new Float64Array(10)])
      assert.throws(
        () => push(wrong, good, 0, 1),
        (e: unknown) => refused(e, "dests: expected a Uint32Array"),
      );
    for (const [first, end] of [
      [-1, 5],
      [0, 11],
      [6, 5],
      [0.5, 5],
      [Number.NaN, 5],
      ["0", 5],
      [0, 2 ** 32],
    ])
      assert.throws(
        () => push(dests, good, first, end),
        (e: unknown) => refused(e, "0 <= first <= end <= 10"),
      );
    assert.is(c.stats().pushes, 0);
    assert.is(push(dests, good), 10);
    assert.is(push(dests, good, 10), 10);
    assert.is(c.stats().pushes, 10);
  });
});

batches("what stands before a destination that is no rank is pushed, and then it is refused", () => {
  alone(u32, (c) => {
    const dests = Uint32Array.of(0, 0, 1, 0);
    const columns = Uint32Array.of(1, 2, 3, 4) as never;
    assert.is(c.pushAll(dests, columns), 2);
    assert.throws(
      () => c.pushAll(dests, columns, 2),
      (e: unknown) => e instanceof RankRangeError,
    );
    assert.is(c.stats().pushes, 2);
  });
});

batches("a state that does not admit it", () => {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(u32);
    const one = Uint32Array.of(0);
    const illegal = (act: () => unknown) => assert.throws(act, (e: unknown) => e instanceof StateError);
    illegal(() => c.pushAll(one, one));
    illegal(() => c.pushAll(one, one, 1));
    illegal(() => c.pullAll());
    yield* c.begin();
    assert.is(c.pullAll(), null);
    let more = yield* c.advance(true);
    illegal(() => c.pushAll(one, one));
    // a loop that goes on has nothing to push
    assert.is(c.pushAll(one, one, 1), 1);
    while (more) more = yield* c.advance(true);
    assert.is(c.pullAll(), null);
    yield* c.reset();
  });
});

batches("a field that is asked for twice is the same, and all is good until the next pull", () => {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(struct({ a: u32, b: f64 }), { bufferBytes: 1600 });
    yield* c.begin();
    const a = Uint32Array.from({ length: 100 }, (_, i) => i);
    const b = Float64Array.from(a, (x) => x / 2);
    assert.is(c.pushAll(new Uint32Array(100), { a, b }), 100);
    const batch = yield* first();
    assert.is(batch.count, 100);
    assert.is(batch.columns.a, batch.columns.a);
    assert.equal(batch.columns.a, a);
    assert.equal(batch.columns.b, b);
    assert.equal(c.item, { a: 99, b: 49.5 });
    // put back one, and it comes alone
    assert.is(c.unpull(), true);
    assert.is(c.pullAll(), batch);
    assert.is(batch.count, 1);
    assert.equal([...batch.columns.a], [99]);
    while (yield* c.advance(true)) while (c.pull());
    assert.is(c.stats().unpulls, 1);
    yield* c.reset();

    function* first() {
      for (;;) {
        const batch = c.pullAll();
        if (batch !== null) return batch;
        yield* c.advance(false);
      }
    }
  });
});

for (const hops of [1, 2, 3] as const) {
  batches(`what a batch shows after its last items were put back: ${hops} hops`, () => {
    simulate({ pes: 8, timeout: 1000 }, function* (pe: SimulatedPE) {
      const c = pe.conveyor(u32, { hops, ...(hops > 1 ? { groupSize: 2 } : {}) });
      yield* c.begin();
      const dests = Uint32Array.from({ length: 80 }, (_, i) => i % 8);
      const ranks = new Uint32Array(80).fill(pe.rank);
      let pulled = 0;
      let puts = 0;
      for (let i = 0; yield* c.advance(i === 80); ) {
        i = c.pushAll(dests, ranks as never, i);
        for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
          const { count } = batch;
          pulled += count;
          // every other time, as what was put back comes as a batch again
          for (let k = puts++ % 2 === 0 ? Math.min(3, count - 1) : 0; k > 0; k--) if (c.unpull()) pulled--;
          assert.is(batch.count, count);
          assert.equal([...batch.from], [...(batch.columns as unknown as Uint32Array)]);
        }
      }
      assert.is(pulled, 80);
      yield* c.reset();
    });
  });
}

batches.run();
