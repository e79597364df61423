/** Item types: their layout in memory, and what pushes and readers that are generated for them do. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import {
  bytes,
  describeItem,
  f32,
  f64,
  type ItemType,
  i8,
  i16,
  i32,
  i64,
  isItemType,
  struct,
  u8,
  u16,
  u32,
  u64,
} from "../../../src/ground/item/item-type.ts";
import { DONE } from "../../../src/links/status/state.ts";
import { type SimulatedPE, simulate } from "../../../src/running/simulate/simulate.ts";
import { playVirtually } from "../../facilities/conveyor/support/seats.ts";
import { root } from "../../support/paths.ts";

const scalars = [i8, u8, i16, u16, i32, u32, i64, u64, f32, f64];

/** Item types, structs within structs included. */
const anyType: fc.Arbitrary<ItemType> = fc.letrec<{ type: ItemType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...scalars),
    fc.integer({ min: 1, max: 20 }).map(bytes),
    fc
      .uniqueArray(
        fc.tuple(
          fc.oneof(fc.constantFrom("a", "b", "at", "cursor", "u8", "constructor", "x y", 'q"q', "a`b"), fc.string()),
          tie("type"),
        ),
        { minLength: 1, maxLength: 5, selector: ([name]) => name },
      )
      .filter((fields) => fields.every(([name]) => !/^\d+$|^__proto__$/.test(name)))
      .map((fields) => struct(Object.fromEntries(fields))),
  ),
})).type;

const items = suite("item types");

items("fields lie in order, aligned, apart, and the whole is a multiple of the alignment", () => {
  fc.assert(
    fc.property(anyType, (type) => {
      assert.ok(isItemType(type));
      const visit = (item: ItemType) => {
        assert.ok(item.bytes > 0 && item.bytes % item.align === 0);
        if (item.kind !== "struct") return;
        let end = 0;
        let align = 1;
        for (const { type: inner, offset } of item.fields) {
          assert.ok(offset >= end && offset - end < inner.align, "no more padding than it takes");
          assert.is(offset % inner.align, 0);
          assert.is(item.align % inner.align, 0);
          end = offset + inner.bytes;
          align = Math.max(align, inner.align);
          visit(inner);
        }
        assert.is(item.align, align);
        assert.is(item.bytes, Math.ceil(end / align) * align);
      };
      visit(type);
    }),
  );
});

items("fields of several objects lie one after the other, as those of one", () => {
  const parts = struct({ z: u8 }, { b: f64, a: bytes(3) }, { k: u64 });
  assert.is(describeItem(parts), "{ z: u8, b: f64, a: bytes(3), k: u64 }");
  assert.equal(parts, struct({ z: u8, b: f64, a: bytes(3), k: u64 }));
});

items("the layout is that of C", () => {
  const item = struct({ slot: u32, value: f64, key: bytes(3) });
  assert.equal([item.bytes, item.align], [24, 8]);
  assert.equal(
    item.fields.map(({ name, offset }) => [name, offset]),
    [
      ["slot", 0],
      ["value", 8],
      ["key", 16],
    ],
  );
  assert.equal(
    [struct({ a: u8, b: u16, c: u8 }).bytes, struct({ a: u8 }).bytes, struct({ a: bytes(7) }).align],
    [6, 1, 1],
  );
  assert.is(struct({ a: u8, b: struct({ c: u8, d: i64 }) }).bytes, 24);
});

/** A value that an item of a type can have, and comes back from one. */
function someValue(type: ItemType, random: () => number): unknown {
  if (type.kind === "bytes") return Uint8Array.from({ length: type.bytes }, () => random() * 256);
  if (type.kind === "struct") {
    return Object.fromEntries(type.fields.map(({ name, type }) => [name, someValue(type, random)]));
  }
  const bits = BigInt(Math.floor(random() * 2 ** 32)) * 2n ** 32n + BigInt(Math.floor(random() * 2 ** 32));
  switch (type.name) {
    case "i64":
      return BigInt.asIntN(64, bits);
    case "u64":
      return bits;
    case "f32":
      return Math.fround((random() - 0.5) * 1e9);
    case "f64":
      return (random() - 0.5) * 1e300;
    default: {
      const width = 8 * type.bytes;
      return Number(type.name[0] === "i" ? BigInt.asIntN(width, bits) : BigInt.asUintN(width, bits));
    }
  }
}

/** As it is read, with copies of views. */
function plain(type: ItemType, value: unknown): unknown {
  if (type.kind === "bytes") return Array.from(value as Uint8Array);
  if (type.kind === "scalar") return value;
  return type.fields.map(({ name, type }) => [name, plain(type, (value as Record<string, unknown>)[name])]);
}

/** What push takes of a value. */
function toArguments(type: ItemType, value: unknown): readonly unknown[] {
  if (type.kind !== "struct") return [value];
  return type.fields.map(({ name }) => (value as Record<string, unknown>)[name]);
}

items("what is pushed is pulled, bit by bit, whatever the type", () => {
  fc.assert(
    fc.property(anyType, fc.integer(), fc.constantFrom(1, 2, 3), (type, seed, hops) => {
      const pes = 8;
      playVirtually({ pes, seed }, function* (pe) {
        const options = { hops, groupSize: hops === 2 ? 4 : 2, bufferBytes: 2048 } as const;
        const c = pe.conveyor(type, hops === 1 ? { bufferBytes: 2048 } : options);
        const values = Array.from({ length: 5 }, () => someValue(type, () => pe.random()));
        const push = c.push.bind(c) as (dest: number, ...values: readonly unknown[]) => boolean;
        const come: unknown[] = [];
        yield* c.begin();
        for (let i = 0; (yield* c.advance(i === 5)) !== DONE; ) {
          for (; i < 5 && push(pe.rank, ...toArguments(type, values[i])); i++);
          while (c.pull()) {
            assert.is(c.from, pe.rank);
            come.push(plain(type, c.item));
          }
        }
        assert.equal(
          come,
          values.map((value) => plain(type, value)),
        );
      });
    }),
    { numRuns: 150 },
  );
});

items("a view of a struct is one object that follows the item; bytes are views without copies", () => {
  playVirtually({ pes: 1 }, function* (pe) {
    const c = pe.conveyor(struct({ a: u32, b: struct({ c: bytes(4) }) }));
    yield* c.begin();
    c.push(0, 1, { c: Uint8Array.of(1, 2, 3, 4) });
    c.push(0, 2, { c: Uint8Array.of(5, 6, 7, 8) });
    let view: unknown;
    let come = 0;
    while ((yield* c.advance(true)) !== DONE) {
      while (c.pull()) {
        view ??= c.item;
        assert.is(c.item, view);
        assert.is(c.item.a, ++come);
        assert.is(c.item.b.c[0], come === 1 ? 1 : 5);
        assert.is(c.item.b.c.buffer, c.item.b.c.buffer);
        assert.ok(Object.isFrozen(view));
      }
    }
    assert.is(come, 2);
  });
});

items("NaNs keep their bits on the way, over any number of hops", () => {
  const bits = Uint32Array.of(0x7fa00001, 0xffc12345, 0x7f800001, 0xfff0dead);
  for (const hops of [1, 2, 3] as const) {
    playVirtually({ pes: 8 }, function* (pe) {
      const c = pe.conveyor(u32, hops === 1 ? {} : { hops, groupSize: 2 });
      const come: number[] = [];
      yield* c.begin();
      for (let i = 0; yield* c.advance(i === 4); ) {
        for (; i < 4 && c.push(7 - pe.rank, bits[i]); i++);
        while (c.pull()) come.push(c.item);
      }
      assert.equal(come, Array.from(bits));
    });
  }
});

items("what is no item type is refused", () => {
  for (const fields of [null, undefined, {}, 5, "f64", [], { a: 1 }, { a: "u8" }, { a: {} }, { 1: u8 }, { a: null }]) {
    assert.throws(
      () => struct(fields as never),
      (error: unknown) => error instanceof UsageError,
      String(fields),
    );
  }
  assert.throws(() => (struct as () => unknown)(), /struct: expected fields, .* got undefined/);
  assert.throws(() => struct({ a: u8 }, {}), /struct: expected fields, .* got \{\}/);
  assert.throws(() => struct({ a: u8, b: u8 }, { a: u8 }), /struct: expected different names, got a twice/);
  assert.throws(() => struct(JSON.parse('{"__proto__": 1}')), /struct: expected an item type/);
  for (const length of [0, -1, 0.5, Number.NaN, 2 ** 30 + 1, "3", undefined]) {
    assert.throws(
      () => bytes(length as number),
      (error: unknown) => error instanceof UsageError,
      String(length),
    );
  }
  assert.throws(() => struct({ a: bytes(2 ** 30), b: u8 }), /at most 1073741824 bytes/);
  for (const x of [null, undefined, 1, {}, { kind: "scalar" }, { kind: "bytes", bytes: 0, align: 1 }]) {
    assert.is(isItemType(x), false);
  }
});

items("what only looks like an item type is none: its offsets and names would end in code", () => {
  const real = struct({ a: u32, b: bytes(3) });
  const forged: unknown[] = [
    { kind: "scalar", name: "u32", bytes: 4, align: 4 },
    { kind: "scalar", name: "u8[0] = 1; u8", bytes: 1, align: 1 },
    { kind: "struct", bytes: 4, align: 4, fields: [{ name: "a", type: u32, offset: 2 ** 31 }] },
    { ...real },
    structuredClone(real),
    Object.create(real),
    Object.freeze(Object.create(u32)),
    Object.defineProperty({ kind: "bytes", bytes: 1, align: 1 }, Symbol.for("tundish.item"), { value: true }),
  ];
  for (const x of forged) {
    assert.is(isItemType(x), false);
    assert.throws(
      () => struct({ x: x as ItemType }),
      (error: unknown) => error instanceof UsageError,
    );
    const make = function* (pe: SimulatedPE) {
      yield* pe.turn();
      pe.conveyor(x as ItemType);
    };
    assert.throws(() => simulate({ pes: 1 }, make), /expected an item type/);
  }
});

items("all item types are branded, frozen, and printed without the brand", async () => {
  for (const type of [...scalars, bytes(3), struct({ a: u32, b: bytes(3) })]) {
    assert.ok(isItemType(type));
    assert.ok(Object.isFrozen(type));
    assert.not.match(inspect(type), /Symbol|tundish/);
    assert.not.match(JSON.stringify(type), /tundish/);
  }
  assert.is(inspect(u32), "{ kind: 'scalar', name: 'u32', bytes: 4, align: 4 }");
});

items("the item types of another copy of the package are good", async () => {
  const copy = (await import(pathToFileURL(join(root, "dist/lib/index.js")).href)) as {
    struct: typeof struct;
    u8: typeof u8;
  };
  assert.is.not(copy.u8, u8);
  assert.ok(isItemType(copy.u8));
  assert.ok(isItemType(copy.struct({ a: u8, b: copy.u8 })));
});

items("types that differ are described differently", () => {
  const one = struct({ "a: u32, b": u32, c: u32 });
  const other = struct({ a: u32, "b: u32, c": u32 });
  assert.is(describeItem(one), '{ "a: u32, b": u32, c: u32 }');
  assert.is(describeItem(other), '{ a: u32, "b: u32, c": u32 }');
  const plain = struct({ größe: u8, $_1: struct({ x: bytes(2) }) });
  assert.is(describeItem(plain), "{ größe: u8, $_1: { x: bytes(2) } }");
  fc.assert(
    fc.property(anyType, anyType, (a, b) => {
      assert.is(describeItem(a) === describeItem(b), JSON.stringify(a) === JSON.stringify(b));
    }),
  );
});

items("structs of too many fields, or nested too deep, are refused; others work", () => {
  const wide = (n: number) => struct(Object.fromEntries(Array.from({ length: n }, (_, i) => [`f${i}`, u8])));
  const deep = (n: number) => {
    let type: ItemType = u8;
    for (let i = 0; i < n; i++) type = struct({ a: type });
    return type;
  };
  const refused = (make: () => unknown, words: RegExp) =>
    assert.throws(make, (e: unknown) => e instanceof UsageError && words.test(e.message));
  refused(() => wide(4097), /expected at most 4096 fields, .* got 4097\. Use bytes\(n\)/);
  refused(() => wide(70_000), /got 70000/);
  refused(() => struct({ a: wide(4000), b: wide(97) }), /got 4097/);
  refused(() => deep(65), /expected at most 64 structs within each other, got 65/);
  const values = Array.from({ length: 4096 }, (_, i) => i & 255);
  let nested: unknown = 7;
  for (let i = 1; i < 64; i++) nested = { a: nested };
  for (const [type, given] of [
    [wide(4096), values],
    [deep(64), [nested]],
  ] as const) {
    simulate({ pes: 1 }, function* (pe: SimulatedPE) {
      const c = pe.conveyor(type);
      yield* c.begin();
      assert.ok((c.push as (...all: unknown[]) => boolean)(0, ...given));
      while (yield* c.advance(true)) while (c.pull()) assert.equal(Object.values(c.item as object), given);
      assert.is(c.stats().pulls, 1);
      yield* c.reset();
    });
  }
});

items.run();
