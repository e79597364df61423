/** Queries and replies of biconveyors as columns: one reply for each query, in order, whatever way both are pushed and pulled. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankRangeError, StateError, UsageError } from "../../src/base/errors.ts";
import type { Columns } from "../../src/item/columns.ts";
import { type ItemType, u32 } from "../../src/item/types.ts";
import { type SimulatedPE, simulate } from "../../src/simulate/simulate.ts";
import { rounds } from "../support/long.ts";
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
}

const askings: fc.Arbitrary<Asking> = fc.record({
  query: fc.nat(items.length - 1),
  reply: fc.nat(items.length - 1),
  pes: fc.constantFrom(1, 2, 3, 4, 6),
  hops: fc.constantFrom(1, 2),
  window: fc.constantFrom(2, 3, 50, 300),
  count: fc.nat(300),
  seed: fc.nat(),
});

/** Item `i` of columns, as what an answer gives. */
function rowOf(item: ItemType, columns: unknown, i: number): unknown {
  if (item.kind === "scalar") return (columns as Float64Array)[i];
  if (item.kind === "bytes") return (columns as Uint8Array).subarray(i * item.bytes, (i + 1) * item.bytes);
  const fields = columns as Readonly<Record<string, unknown>>;
  return Object.fromEntries(item.fields.map(({ name, type }) => [name, rowOf(type, fields[name], i)]));
}

/** Asks by columns or one by one, and takes the replies in either way. The k-th query from a PE gets item k of what the answerer has for it. */
function ask({ query, reply, pes, hops, window, count, seed }: Asking): void {
  const [Query, Reply] = [items[query] as ItemType, items[reply] as ItemType];
  const destOf = (from: number, i: number) => mix(seed, from, i) % pes;
  const { results } = simulate({ pes, seed, timeout: 1000 }, function* (pe: SimulatedPE) {
    const answered = new Int32Array(pes);
    const given = Array.from({ length: pes }, (_, from) => columnsOf(Reply, pe.rank * pes + from, count));
    const c = pe.biconveyor(Query, Reply, (_, from) => rowOf(Reply, given[from], answered[from]++) as never, {
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

const refused = (error: unknown, text: string): boolean =>
  error instanceof UsageError && error.message.includes(text);

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
    const c = pe.biconveyor(u32, u32, (x) => x, { window: 2 });
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

batches.run();
