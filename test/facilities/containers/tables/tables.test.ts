/** Local tables: the same as a Map after any calls. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ListColumn, NoColumn, TypedColumn } from "../../../../src/facilities/containers/tables/columns.ts";
import { CountTable } from "../../../../src/facilities/containers/tables/counts.ts";
import { bytesTable, numberTable } from "../../../../src/facilities/containers/tables/make-table.ts";
import { Slots } from "../../../../src/facilities/containers/tables/slots.ts";
import { NONE, type Table } from "../../../../src/facilities/containers/tables/table.ts";
import type { ScalarName } from "../../../../src/ground/item/item-type.ts";

const tables = suite("local tables");

/** What is done with a key; clear is of all, and reserve makes room for as many as there are and some more. */
type Call<K> = readonly ["add" | "find" | "remove" | "clear" | "shrink" | "reserve", K];

/** Few calls clear. */
const callsOf = <K>(key: fc.Arbitrary<K>): fc.Arbitrary<Call<K>[]> => {
  const one = (name: Call<K>[0]) => fc.tuple(fc.constant(name), key);
  const call = fc.oneof(
    { weight: 30, arbitrary: one("add") },
    { weight: 15, arbitrary: one("remove") },
    { weight: 15, arbitrary: one("find") },
    { weight: 1, arbitrary: one("clear") },
    { weight: 1, arbitrary: one("shrink") },
    { weight: 1, arbitrary: one("reserve") },
  );
  return fc.array(call, { maxLength: 300, size: "max" });
};

/** A table as the calls use it. */
interface Played<K> {
  readonly table: Table<K, number>;
  find(key: K): number;
  obtain(key: K): number;
}

/** Does the same with a Map, in which each key has the number of times that it was added. */
function play<K>({ table, find, obtain }: Played<K>, calls: readonly Call<K>[]): void {
  const expected = new Map<K, number>();
  for (const [name, key] of calls) {
    if (name === "clear" || name === "shrink") {
      table.clear(name === "shrink");
      expected.clear();
    } else if (name === "reserve") {
      table.reserve(expected.size + (calls.length % 40));
    } else if (name === "add") {
      const entry = obtain(key);
      assert.is(table.isNew, !expected.has(key));
      const times = (expected.get(key) ?? 0) + 1;
      assert.is(table.get(entry), times - 1);
      table.set(entry, times);
      expected.set(key, times);
    } else {
      const entry = find(key);
      assert.is(entry !== NONE, expected.has(key));
      if (entry === NONE) continue;
      assert.ok(Object.is(table.keyAt(entry), key));
      assert.is(table.get(entry), expected.get(key));
      if (name === "remove") table.remove(entry);
      if (name === "remove") expected.delete(key);
    }
    assert.is(table.size, expected.size);
  }
  const found = new Map<K, number>();
  for (let entry = table.next(NONE); entry !== NONE; entry = table.next(entry)) {
    assert.not(found.has(table.keyAt(entry)));
    found.set(table.keyAt(entry), table.get(entry));
  }
  assert.is(found.size, expected.size);
  for (const [key, times] of expected) assert.is(found.get(key), times);
}

const column = (): TypedColumn<number> => new TypedColumn<number>(Float64Array);

const numbers = (type: ScalarName): Played<number> => {
  const table = numberTable(column(), type);
  return { table, find: (key) => table.find(key, 0), obtain: (key) => table.obtain(key, 0) };
};

/** Keys far from each other, and some that come often. */
const NUMBERS: readonly (readonly [ScalarName, fc.Arbitrary<number>])[] = [
  ["u8", fc.integer({ min: 0, max: 255 })],
  ["i16", fc.integer({ min: -50, max: 50 })],
  ["i32", fc.oneof(fc.integer(), fc.integer({ min: -9, max: 9 }), fc.constant(-(2 ** 31)))],
  [
    "u32",
    fc.oneof(
      fc.nat(2 ** 32 - 1),
      fc.nat(40).map((k) => k * 2 ** 26),
      fc.constant(2 ** 32 - 1),
    ),
  ],
  ["f64", fc.oneof(fc.double(), fc.integer({ min: -9, max: 9 }))],
];
for (const [type, key] of NUMBERS) {
  tables(`numbers: ${type}`, () => {
    // the caller gives 0 for -0
    const calls = callsOf(key.map((x) => x + 0));
    fc.assert(fc.property(calls, (all) => play(numbers(type), all)));
  });
}

tables("NaN is one key, whatever its bits, and -0 is 0", () => {
  const table = numberTable(new NoColumn());
  const other = new Float64Array(BigUint64Array.of(0xfff8000000000001n).buffer)[0] as number;
  const entry = table.obtain(Number.NaN, 0);
  assert.is(table.obtain(other, 0), entry);
  assert.is(table.obtain(-0, 0), table.obtain(0, 0));
  table.remove(entry);
  assert.is(table.find(Number.NaN, 0), NONE);
  assert.is(table.size, 1);
});

/** Strings as keys, one for each byte, read from memory that is shared and has other bytes around them. */
function strings(bits: number): Played<string> {
  const memory = new Uint8Array(new SharedArrayBuffer(1000)).fill(7);
  const table = bytesTable(column(), (u8, at, length) =>
    Buffer.from(u8.buffer, u8.byteOffset + at, length).toString("latin1"),
  );
  const placed = (key: string): number => {
    const at = 3 + (key.length % 5);
    for (let i = 0; i < key.length; i++) memory[at + i] = key.charCodeAt(i);
    return at;
  };
  // few bits: different keys have the same hash, and the same home
  const hash = (key: string): number => (sum(key) * 0x9e3779b1) >>> (32 - bits);
  return {
    table,
    find: (key) => table.find(memory, placed(key), key.length, hash(key)),
    obtain: (key) => table.obtain(memory, placed(key), key.length, hash(key)),
  };
}

const sum = (key: string): number => Array.from(key).reduce((all, char) => 31 * all + char.charCodeAt(0), 7) | 0;

const words = fc.oneof(
  fc.string({ maxLength: 3, unit: fc.constantFrom("a", "b", "\u0000", "ÿ") }),
  fc.string({ maxLength: 60, unit: fc.constantFrom("a", "b") }),
);
for (const bits of [1, 3, 32]) {
  tables(`strings with hashes of ${bits} bits`, () => {
    fc.assert(fc.property(callsOf(words), (all) => play(strings(bits), all)));
  });
}

tables("memory does not grow when keys come and go", () => {
  const { table, find, obtain } = strings(32);
  const counts = numbers("u32");
  let [first, firstCounts] = [0, 0];
  for (let i = 0; i < 20_000; i++) {
    obtain(`key ${i}`);
    counts.obtain(i);
    if (i >= 50) table.remove(find(`key ${i - 50}`));
    if (i >= 50) counts.table.remove(counts.find(i - 50));
    if (i === 1000) [first, firstCounts] = [table.bytes, counts.table.bytes];
  }
  assert.is(table.size, 50);
  assert.ok(table.bytes <= 2 * first, `${first} bytes, then ${table.bytes}`);
  assert.is(counts.table.bytes, firstCounts);
  table.clear(true);
  assert.ok(table.bytes < first);
});

tables("memory per entry is what the files say", () => {
  const [integers, floats, text] = [numbers("u32"), numbers("f64"), strings(32)];
  for (let i = 1; i <= 3 * 2 ** 14; i++) {
    integers.obtain(i);
    floats.obtain(i);
    text.obtain(String(i + 10_000_000));
    if (i < 2000) continue;
    assert.ok(integers.table.bytes / i < 45.4, `${i}: ${integers.table.bytes / i}`);
    assert.ok(floats.table.bytes / i < 53.4, `${i}: ${floats.table.bytes / i}`);
    assert.ok(text.table.bytes / i < 78, `${i}: ${text.table.bytes / i}`);
  }
});

tables("room that was reserved: nothing is made bit by bit, and what was there stays", () => {
  const [integers, text, counts] = [numbers("u32"), strings(32), new CountTable(false)];
  const all = [integers.table, text.table, counts];
  const addAll = (first: number, end: number): void => {
    for (let i = first; i < end; i++) {
      integers.table.set(integers.obtain(i), i);
      text.obtain(String(i));
      counts.add(i, 1 + i);
    }
  };
  addAll(0, 10);
  for (const table of all) table.reserve(3000);
  const slots = [integers.table.bytes, counts.bytes];
  for (const table of all) table.reserve(5);
  addAll(10, 3000);
  assert.equal([integers.table.bytes, counts.bytes], slots);
  for (const i of [0, 9, 10, 2999]) {
    assert.is(integers.table.get(integers.find(i)), i);
    assert.is(text.table.keyAt(text.find(String(i))), String(i));
    assert.is(counts.get(counts.find(i)), 1 + i);
  }
  // a loop goes on through what it began with
  let seen = 0;
  counts.forEach(() => {
    if (seen++ === 0) counts.reserve(100_000);
  });
  assert.is(seen, 3000);
  for (const table of all) assert.throws(() => table.reserve(Number.POSITIVE_INFINITY), /at most 402653184 entries/);
  assert.equal(
    all.map(({ size }) => size),
    [3000, 3000, 3000],
  );
});

tables("no memory when a table grows: the entry is refused, and later ones are right", () => {
  class Tight extends TypedColumn<number> {
    isFull = false;
    override grow(capacity: number): void {
      if (this.isFull) throw new RangeError("Array buffer allocation failed");
      super.grow(capacity);
    }
  }
  const values = new Tight(Float64Array);
  const table = numberTable(values, "u32");
  const add = (i: number): void => table.set(table.obtain(i, 0), i);
  for (let i = 0; i < 10; i++) add(i);
  values.isFull = true;
  assert.throws(() => table.reserve(1000), RangeError);
  values.isFull = false;
  for (let i = 10; i < 900; i++) add(i);
  for (let i = 0; i < 900; i++) assert.is(table.get(table.find(i, 0)), i);
});

/** Adds keys to a table of counts and to a Map, some in a batch. */
const anyCounts = fc.record({
  isSigned: fc.boolean(),
  calls: fc.array(
    fc.tuple(
      fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer()),
      fc.constantFrom(1, 1, 5, 2 ** 32 - 2, 2 ** 33),
      fc.integer({ min: 0, max: 40 }),
    ),
    { maxLength: 60 },
  ),
});

tables("counts: one by one and in batches, beyond 32 bits", () => {
  const all = fc.property(anyCounts, ({ isSigned, calls }) => {
    const table = new CountTable(isSigned);
    const expected = new Map<number, number>();
    const key = (k: number) => (isSigned ? k | 0 : k >>> 0);
    const add = (k: number, by: number) => expected.set(k, (expected.get(k) ?? 0) + by);
    for (const [k, by, batch] of calls) {
      table.add(key(k), by);
      add(key(k), by);
      const keys = Uint32Array.from({ length: batch + 3 }, (_, i) => k + (i % 7) * (i & 1 ? 1 : 2 ** 20));
      table.addOnes(keys, 2, batch);
      for (const one of keys.subarray(2, 2 + batch)) add(key(one), 1);
      assert.is(table.size, expected.size);
    }
    const found: [number, number][] = [];
    table.forEach((k, count) => {
      found.push([k, count]);
    });
    assert.is(found.length, expected.size);
    for (const [k, count] of found) {
      assert.is(count, expected.get(k));
      assert.is(table.get(table.find(k)), count);
    }
    const other = [...Array(100).keys()].find((k) => !expected.has(k));
    assert.is(table.find(other as number), NONE);
    table.clear();
    assert.is(table.size, 0);
    for (const k of expected.keys()) assert.is(table.find(k), NONE);
  });
  fc.assert(all);
});

tables("counts: a loop shows what was there when it began, whatever is added meanwhile", () => {
  const table = new CountTable(false);
  for (let k = 0; k < 10; k++) table.add(k, k === 3 ? 2 ** 40 : 1);
  const seen: number[] = [];
  table.forEach((k, count) => {
    seen.push(k);
    assert.is(count, k === 3 ? 2 ** 40 : 1);
    table.add(3, 1);
    table.addOnes(Uint32Array.of(k, 100 + k), 0, 2);
    // a loop in a loop shows what is there by now
    let inner = 0;
    table.forEach((other) => {
      inner++;
      table.add(1000 + other, 1);
    });
    if (seen.length === 1) assert.is(inner, 11);
  });
  assert.equal(seen.sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.is(table.get(table.find(3)), 2 ** 40 + 11);
  assert.is(table.get(table.find(100)), 1);
});

tables("counts: memory per entry", () => {
  const table = new CountTable(false);
  for (let i = 1; i <= 3 * 2 ** 14; i++) {
    table.add(i, 1);
    if (i > 2000) assert.ok(table.bytes / i < 43, `${i}: ${table.bytes / i}`);
  }
});

tables("slots do not get longer ways by removals", () => {
  const slots = new Slots();
  const live: number[] = [];
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 100 }), (hashes) => {
      for (const hash of hashes) {
        slots.add(hash, live.length);
        live.push(hash);
      }
      while (live.length > 4) slots.remove(live.pop() as number, live.length);
      // those that are left are found, and only they
      const found = new Set<number>();
      for (let hash = 0; hash < 6; hash++) {
        for (let slot = slots.first(hash); slot >= 0; slot = slots.next(hash, slot)) {
          assert.is(live[slots.entryAt(slot)], hash);
          found.add(slots.entryAt(slot));
        }
      }
      assert.is(found.size, live.length);
      assert.is(slots.size, live.length);
    }),
  );
});

tables("values of any kind, and none", () => {
  const list = numberTable(new ListColumn<string>(), "u32");
  const set = numberTable(new NoColumn(), "u32");
  for (let i = 0; i < 100; i++) {
    list.set(list.obtain(i, 0), `value ${i}`);
    set.obtain(i, 0);
  }
  assert.is(list.get(list.find(77, 0)), "value 77");
  const entry = list.find(5, 0);
  list.remove(entry);
  assert.is(list.obtain(1000, 0), entry);
  assert.is(list.get(entry), undefined);
  assert.is(set.get(set.find(3, 0)), undefined);
  assert.is(set.size, 100);
});

tables.run();
