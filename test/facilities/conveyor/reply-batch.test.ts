/** Queries and replies of biconveyors as columns: one reply for each query, in order, whatever way both are pushed and pulled. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AnswerAll } from "../../../src/facilities/conveyor/belts/serving-all.ts";
import { MismatchError, RankRangeError, StateError, UsageError } from "../../../src/ground/base/errors.ts";
import { type Columns, columnFor, columnKind, lanesOf, treeOf } from "../../../src/ground/item/columns.ts";
import { bytes, f64, type ItemType, struct, u32 } from "../../../src/ground/item/item-type.ts";
import { type SimulatedPE, simulate } from "../../../src/running/simulate/simulate.ts";
import { rounds } from "../../support/long.ts";
import { byteAt, bytesOf, columnOfOne, columnsOf, items } from "./support/filled.ts";
import { mix } from "./support/payloads.ts";

interface Asking {
  readonly query: number;
  readonly reply: number;
  readonly pes: number;
  readonly hops: 1 | 2;
  readonly window: number;
  readonly count: number;
  readonly seed: number;
  /** Whether the queries of a buffer are answered at once. */
  readonly all: boolean;
}

const askings: fc.Arbitrary<Asking> = fc.record({
  query: fc.nat(items.length - 1),
  reply: fc.nat(items.length - 1),
  pes: fc.constantFrom(1, 2, 3, 4, 6),
  hops: fc.constantFrom(1, 2),
  window: fc.constantFrom(2, 3, 50, 300),
  count: fc.nat(300),
  seed: fc.nat(),
  all: fc.boolean(),
});

/** Item `i` of columns, as what an answer gives. */
function rowOf(item: ItemType, columns: unknown, i: number): unknown {
  if (item.kind === "scalar") return (columns as Float64Array)[i];
  if (item.kind === "bytes") return (columns as Uint8Array).subarray(i * item.bytes, (i + 1) * item.bytes);
  const fields = columns as Readonly<Record<string, unknown>>;
  return Object.fromEntries(item.fields.map(({ name, type }) => [name, rowOf(type, fields[name], i)]));
}

/** Replies as columns, in arrays that are used again: the next ones of what there is for each sender. */
function takesAll(item: ItemType, given: readonly unknown[], answered: Int32Array): AnswerAll<never, never> {
  const lanes = lanesOf(item);
  const reply = lanes.map((lane) => columnFor(lane, 200) as Uint8Array);
  const tree = treeOf(item, reply);
  return ({ count, from }) => {
    for (let i = 0; i < count; i++) {
      const number = answered[from[i]]++;
      for (const [k, { path, ...lane }] of lanes.entries()) {
        const { each } = columnKind({ path, ...lane });
        let column = given[from[i]];
        for (const part of path) column = (column as Record<string, unknown>)[part];
        const value = (column as Uint8Array).subarray(number * each, (number + 1) * each);
        reply[k].set(value, i * each);
      }
    }
    return tree as never;
  };
}

/** Asks by columns or one by one, and takes the replies in either way. The k-th query from a PE gets item k of what the answerer has for it. */
function ask({ query, reply, pes, hops, window, count, seed, all }: Asking): void {
  const [Query, Reply] = [items[query] as ItemType, items[reply] as ItemType];
  const destOf = (from: number, i: number) => mix(seed, from, i) % pes;
  const { results } = simulate({ pes, seed, timeout: 1000 }, function* (pe: SimulatedPE) {
    const answered = new Int32Array(pes);
    const given = Array.from({ length: pes }, (_, from) => columnsOf(Reply, pe.rank * pes + from, count));
    const answerAll = takesAll(Reply, given, answered) as AnswerAll<ItemType, ItemType>;
    const answer = (_: unknown, from: number) => rowOf(Reply, given[from], answered[from]++) as never;
    const c = pe.biconveyor(Query, Reply, all ? { answerAll } : answer, {
      hops,
      window,
      bufferBytes: 130,
    });
    const dests = Uint32Array.from({ length: count }, (_, i) => destOf(pe.rank, i));
    const columns = columnsOf(Query, pe.rank, count) as Columns<ItemType>;
    const come: Uint8Array[][] = [];
    let turn = 0;
    const luck = (n: number) => mix(seed, pe.rank, 7, ++turn) % n;
    yield* c.begin();
    let i = 0;
    while (yield* c.advance(i === count)) {
      const next = c.pushAll(dests, columns, i, Math.min(count, i + luck(60)));
      assert.ok(next >= i);
      i = next;
      for (let batch = c.pullAll(1 + luck(40)); batch !== null; batch = c.pullAll()) {
        assert.is(batch.first, come.length);
        const n = batch.count;
        const parts = bytesOf(Reply, batch.columns, n);
        for (let k = 0; k < n; k++) {
          come.push(parts.map((all) => all.slice((k * all.length) / n, ((k + 1) * all.length) / n)));
        }
        if (luck(3) === 0) break;
      }
      if (Reply.kind !== "struct" && luck(2) === 0 && c.pull()) {
        const value = c.item as number | bigint | Uint8Array;
        come.push([value instanceof Uint8Array ? value.slice() : columnOfOne(Reply, value)]);
      }
    }
    yield* c.reset();
    return come;
  });
  for (const [rank, come] of results.entries()) {
    assert.is(come.length, count);
    const asked = new Int32Array(pes);
    for (const [i, parts] of come.entries()) {
      const dest = destOf(rank, i);
      const number = asked[dest]++;
      for (const [k, part] of parts.entries()) {
        assert.ok(
          part.every((byte, at) => byte === byteAt(dest * pes + rank, number, 100 * k + at)),
          `reply ${i} to ${rank} from ${dest} is another`,
        );
      }
    }
  }
}

const batches = suite("reply batches");

batches("answers by columns: one that throws or gives other columns is asked again, and nothing is lost", () => {
  const Pair = struct({ a: u32, b: f64 });
  for (const hops of [1, 2] as const) {
    const { results } = simulate({ pes: 4 }, function* (pe: SimulatedPE) {
      const wrong: (() => unknown)[] = [
        () => ({ a: new Uint32Array(1) }),
        () => ({ a: new Uint32Array(100), b: new Float32Array(100) }),
        () => ({ a: new Uint32Array(0), b: new Float64Array(100) }),
        () => 7,
        () => null,
        () => Promise.resolve(),
        () => {
          throw new RangeError("of mine");
        },
      ];
      const tries = [...wrong];
      const c = pe.biconveyor(
        u32,
        Pair,
        {
          answerAll: ({ columns, from, count }) => {
            const give = tries.pop();
            if (give !== undefined) return give() as never;
            assert.is(columns.length, count);
            return { a: columns.map((x) => x + 1), b: Float64Array.from(from) };
          },
        },
        { hops, groupSize: hops === 2 ? 2 : undefined, bufferBytes: 128 },
      );
      const said: string[] = [];
      const got: number[] = [];
      const dests = Uint32Array.from({ length: 100 }, (_, i) => i % 4);
      const columns = Uint32Array.from(dests.keys());
      yield* c.begin();
      for (let i = 0, isOn = true; isOn; ) {
        i = c.pushAll(dests, columns, i);
        while (c.pull()) {
          assert.is(c.item.b, pe.rank);
          got.push(c.item.a);
        }
        try {
          isOn = (yield* c.advance(i === 100)) !== 0;
        } catch (error) {
          said.push((error as Error).message);
          assert.is(error instanceof UsageError, !(error instanceof RangeError));
        }
      }
      const { queries } = c.stats();
      assert.is(queries.pulls - queries.unpulls, 100);
      yield* c.reset();
      assert.equal(
        got,
        [...columns].map((x) => x + 1),
      );
      return said;
    });
    for (const said of results) {
      assert.is(said.length, 7);
      assert.is(said[0], "of mine");
      assert.match(said[1], /biconveyor: the answer returned a promise/);
      assert.match(said[5], /biconveyor: the answer: columns.b: expected a Float64Array of at least \d+ elements/);
    }
  }
});

batches("answers one by one: after one that throws or is no reply the same query is asked again, and no other", () => {
  for (const hops of [1, 2] as const) {
    const { results } = simulate({ pes: 4 }, function* (pe: SimulatedPE) {
      const calls: number[] = [];
      const wrong = new Map<number, () => unknown>([
        [8, () => 7],
        [9, () => Promise.resolve()],
        [
          10,
          () => {
            throw new RangeError("of mine");
          },
        ],
        [11, () => ({ a: 1 })],
      ]);
      const answer = (x: number) => {
        calls.push(x);
        const give = wrong.get(x);
        wrong.delete(x);
        return (give === undefined ? { a: x + 1, b: bytes3(x) } : give()) as { a: number; b: Uint8Array };
      };
      const c = pe.biconveyor(u32, struct({ a: u32, b: bytes(3) }), answer, {
        hops,
        groupSize: hops === 2 ? 2 : undefined,
        bufferBytes: 128,
      });
      const said: string[] = [];
      let got = 0;
      yield* c.begin();
      for (let i = 0, isOn = true; isOn; ) {
        for (; i < 100 && c.push((pe.rank + 1) % 4, i); i++);
        for (; c.pull(); got++) assert.equal([c.item.a, ...c.item.b], [got + 1, ...bytes3(got)]);
        try {
          isOn = (yield* c.advance(i === 100)) !== 0;
        } catch (error) {
          said.push((error as Error).message);
        }
      }
      yield* c.reset();
      assert.is(got, 100);
      const again = calls.filter((x, i) => i > 0 && calls[i - 1] === x);
      assert.equal(again, [8, 9, 10, 11]);
      assert.is(calls.length, 104);
      return said;
    });
    for (const [first, second, third, fourth] of results) {
      assert.match(first, /^biconveyor: expected the answer to be .*a: u32.*; sending it: push: expected/);
      assert.match(second, /biconveyor: the answer returned a promise/);
      assert.is(third, "of mine");
      assert.match(fourth, /^biconveyor: expected the answer to be .*a: u32/);
    }
  }
});

const bytes3 = (x: number): Uint8Array => Uint8Array.of(x, 2 * x, 3 * x);

batches("answers by columns that are no function, or an async one, are refused", () => {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    yield;
    for (const [answerAll, text] of [
      [7, "biconveyor: answerAll: expected a function that answers queries"],
      [async () => new Uint32Array(1), "an async one"],
    ] as const) {
      assert.throws(
        () => pe.biconveyor(u32, u32, { answerAll } as never),
        (e: unknown) => refused(e, text),
      );
    }
  });
});

batches("a window of its own at each PE is refused", () => {
  assert.throws(
    () =>
      simulate({ pes: 2 }, function* (pe: SimulatedPE) {
        const c = pe.biconveyor(u32, u32, (x) => x, { window: 5 + pe.rank });
        yield* c.begin();
        while (yield* c.advance(true));
      }),
    (e: unknown) => e instanceof MismatchError,
  );
});

const refused = (error: unknown, text: string): boolean => error instanceof UsageError && error.message.includes(text);

batches("queries and replies in columns: one reply for each, in order", () => {
  fc.assert(fc.property(askings, ask), { numRuns: rounds(80, 30_000) });
});

batches("columns of a biconveyor in a state that does not admit them, and with what is no rank", () => {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    const one = Uint32Array.of(0);
    const illegal = (act: () => unknown) => assert.throws(act, (e: unknown) => e instanceof StateError);
    const c = pe.biconveyor(u32, u32, (x) => {
      illegal(() => c.pushAll(one, one));
      illegal(() => c.pullAll());
      return x + 1;
    });
    illegal(() => c.pushAll(one, one));
    illegal(() => c.pullAll());
    yield* c.begin();
    assert.is(c.pullAll(), null);
    assert.throws(
      () => c.pushAll(Uint32Array.of(1), one),
      (e: unknown) => e instanceof RankRangeError,
    );
    assert.throws(
      () => c.pushAll(one, new Float64Array(1) as never),
      (e: unknown) => refused(e, "expected a Uint32Array of at least 1 elements"),
    );
    assert.is(c.pushAll(one, Uint32Array.of(41)), 1);
    let got: readonly number[] = [];
    while (yield* c.advance(true)) {
      const batch = c.pullAll();
      if (batch !== null) got = [batch.first, ...batch.columns];
    }
    assert.equal(got, [0, 42]);
    illegal(() => c.pushAll(one, one));
    assert.is(c.pullAll(), null);
    yield* c.reset();
  });
});

batches("columns of a biconveyor that is full are refused as others are", () => {
  simulate({ pes: 2 }, function* (pe: SimulatedPE) {
    const c = pe.biconveyor(u32, u32, (x) => x, { window: 2, lossy: true });
    const two = Uint32Array.of(0, 1);
    yield* c.begin();
    assert.is(c.pushAll(two, two), 2);
    assert.is(c.pushAll(two, two), 0);
    assert.throws(
      () => c.pushAll(Uint32Array.of(2), two),
      (e: unknown) => e instanceof RankRangeError,
    );
    yield* c.advance(true);
    assert.throws(
      () => c.pushAll(two, two),
      (e: unknown) => e instanceof StateError,
    );
    assert.is(c.pushAll(two, two, 2), 2);
    while (yield* c.advance(true)) c.pullAll();
    yield* c.reset();
  });
});

batches("invalid columns and indices are refused, however few queries there is room for", () => {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    const c = pe.biconveyor(u32, u32, (x) => x, { window: 2, lossy: true });
    const dests = new Uint32Array(4);
    const push = c.pushAll.bind(c) as (...given: readonly unknown[]) => number;
    yield* c.begin();
    for (const free of [2, 0]) {
      for (const wrong of [
        [dests, dests, 0, 5],
        [dests, dests, 2, 1],
        [dests, dests, 0, 3.5],
        [dests, new Uint32Array(3)],
        [dests, "x", 1],
        [[0, 0, 0, 0], dests, 0, 4],
      ]) {
        assert.throws(
          () => push(...wrong),
          (e: unknown) => e instanceof UsageError,
        );
        assert.is(c.stats().queries.pushes, 2 - free);
      }
      assert.is(push(dests, dests), free);
    }
    while (yield* c.advance(true)) while (c.pull());
    yield* c.reset();
  });
});

batches("how many replies are pulled at most", () => {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    const c = pe.biconveyor(u32, u32, (x) => x + 1, { window: 8 });
    yield* c.begin();
    assert.is(c.pushAll(new Uint32Array(4), Uint32Array.of(0, 1, 2, 3)), 4);
    const got: number[] = [];
    const pull = (most?: unknown) => c.pullAll(most as number);
    while (yield* c.advance(true)) {
      for (const wrong of [-1, 0.5, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, "2", 2n, null, {}, [1]])
        assert.throws(
          () => pull(wrong),
          (e: unknown) => e instanceof UsageError && e.message.includes("most: expected a whole number >= 0"),
        );
      assert.is(pull(0), null);
      for (const most of [1, undefined]) {
        const batch = pull(most);
        if (batch === null) continue;
        assert.is(batch.first, got.length);
        if (most !== undefined) assert.is(batch.count, most);
        got.push(...(batch.columns as Uint32Array));
      }
    }
    assert.equal(got, [1, 2, 3, 4]);
    yield* c.reset();
  });
});

for (const hops of [1, 2, 3] as const) {
  for (const window of [300, 7]) {
    batches(`an answer that writes into what it got: ${hops} hops, window ${window}`, () => {
      simulate({ pes: 8, timeout: 1000 }, function* (pe: SimulatedPE) {
        const wants = (i: number, from: number) => 1000 * pe.size * i + from;
        let answered = 0;
        const answerAll: AnswerAll<typeof u32, typeof u32> = ({ columns, from, count }) => {
          answered += count;
          for (let k = 0; k < count; k++) {
            columns[k] = wants(columns[k], from[k]);
            from[k] = 0;
          }
          return columns;
        };
        const options = { window, bufferBytes: 64, ...(hops > 1 ? { groupSize: 2 } : {}) };
        const c = pe.biconveyor(u32, u32, { answerAll }, { hops, ...options });
        yield* c.begin();
        const columns = Uint32Array.from({ length: 200 }, (_, i) => i);
        const dests = columns.map((i) => (i * 5 + pe.rank) % 8);
        const got: number[] = [];
        for (let i = 0; yield* c.advance(i === 200); ) {
          i = c.pushAll(dests, columns, i);
          for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) got.push(...batch.columns);
        }
        assert.is(answered, 200);
        assert.equal(
          got,
          [...columns].map((i) => wants(i, pe.rank)),
        );
        yield* c.reset();
      });
    });
  }
}

batches.run();
