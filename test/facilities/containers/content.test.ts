/** How keys and text are written and hashed, and in which order keys are. */
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { KeyBatches } from "../../../src/facilities/containers/combining/batches.ts";
import { KEPT, NOT_COMBINED, PlaceCombining } from "../../../src/facilities/containers/combining/places.ts";
import { EXCHANGED, TextCombining } from "../../../src/facilities/containers/combining/texts.ts";
import { WholeCombining } from "../../../src/facilities/containers/combining/wholes.ts";
import { Cursor, Scratch } from "../../../src/facilities/containers/content/cursor.ts";
import { mixBytes, mixInteger, ownerOf } from "../../../src/facilities/containers/content/hash.ts";
import { keyCodecOf } from "../../../src/facilities/containers/content/keys.ts";
import { fromStructural, structuralText } from "../../../src/facilities/containers/content/structural.ts";
import { readText, writeText } from "../../../src/facilities/containers/content/utf8.ts";
import { compareKeys } from "../../../src/facilities/containers/order.ts";
import { SEED } from "../../support/sample.ts";
import { CONTENTS, idOf, KEYS } from "./support/keys.ts";

const test = suite("contents");
const seeded = { seed: SEED };

/** Any code units. */
const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

test("strings of any code units come back; others have the bytes of UTF-8", () => {
  const u8 = new Uint8Array(4096);
  const both = (text: string) => {
    const length = writeText(text, u8, 5);
    assert.is(readText(u8, 5, length), text);
    if (!/\p{Surrogate}/u.test(text)) assert.equal(u8.slice(5, 5 + length), new Uint8Array(Buffer.from(text)));
  };
  fc.assert(fc.property(fc.oneof(anyText, fc.string({ unit: "grapheme" })), both), seeded);
  for (const text of ["", "\ufffd", "\ud83d\ude00\ud83d", "\udc00\ud800"]) both(text);
});

test("hashes are those of MurmurHash3, the same on every platform", () => {
  // fmix32 and MurmurHash3_x86_32 with seed 0, of smhasher
  assert.equal([0, 1, 2, 0xffffffff].map(mixInteger), [0, 0x514e28b7, 0x30f4c306, 0x81f16f39]);
  const bytes = new Uint8Array(16);
  const hash = (text: string) => {
    bytes.set(Buffer.from(text));
    return mixBytes(new Uint32Array(bytes.buffer), 0, text.length);
  };
  assert.equal([hash(""), hash("test"), hash("hello, world")], [0, 0xba6bd213, 0x149bbb7f]);
});

test("owners are ranks, and each has its share", () => {
  for (const size of [1, 3, 8, 100]) {
    const counts = new Array<number>(size).fill(0);
    const n = 1000 * size;
    for (let key = 0; key < n; key++) counts[ownerOf(mixInteger(key), size)]++;
    assert.is(counts.length, size);
    assert.ok(
      counts.every((count) => Math.abs(count - 1000) < 200),
      counts.join(" "),
    );
  }
  assert.equal([ownerOf(0, 7), ownerOf(0xffffffff, 7), ownerOf(0xffffffff, 2 ** 20)], [0, 6, 2 ** 20 - 1]);
});

test("equal keys have the same bytes and hash, others other bytes", () => {
  for (const content of CONTENTS) {
    const [of, keys] = KEYS[content] as (typeof KEYS)[string];
    const codec = keyCodecOf(of);
    const written = keys.map((key) => {
      const scratch = new Scratch();
      // what was there before does not count
      scratch.views.u8.fill(255, 8);
      scratch.at = 4;
      const hash = codec.write(scratch, "test", key);
      return { id: idOf(content, key), hash, bytes: Buffer.from(scratch.views.u8.slice(4, scratch.at)) };
    });
    for (const one of written) {
      for (const other of written) {
        const isSame = one.bytes.equals(other.bytes);
        assert.is(isSame, one.id === other.id, `${content}: ${one.id}, ${other.id}`);
        if (isSame) assert.is(one.hash, other.hash);
      }
    }
  }
});

test("structural keys come back, and are equal by content", () => {
  const anyKey = fc.anything({ withBigInt: true, maxDepth: 3 });
  const again = (key: unknown) => fromStructural(structuralText("test", key));
  const isRight = (key: unknown) => {
    const text = structuralText("test", key);
    assert.is(structuralText("test", fromStructural(text)), text);
    assert.is(idOf("value", fromStructural(text)), idOf("value", key));
  };
  fc.assert(fc.property(anyKey, isRight), seeded);
  assert.ok(
    isDeepStrictEqual(again(["a", ["u"], { x: [1n, undefined, null] }]), ["a", ["u"], { x: [1n, undefined, null] }]),
  );
  assert.is(structuralText("test", { y: 1, x: -0 }), structuralText("test", { x: 0, y: 1 }));
  assert.is.not(structuralText("test", "1"), structuralText("test", 1));
  const object = JSON.parse('{"__proto__": 1}');
  assert.equal(Object.keys(again(object) as object), ["__proto__"]);
});

test("keys have an order", () => {
  const anyKey = fc.anything({ withBigInt: true, maxDepth: 2 });
  const isOrder = (a: unknown, b: unknown, c: unknown) => {
    assert.is(Math.sign(compareKeys(a, b)), 0 - Math.sign(compareKeys(b, a)));
    assert.is(compareKeys(a, a), 0);
    if (compareKeys(a, b) <= 0 && compareKeys(b, c) <= 0) assert.ok(compareKeys(a, c) <= 0);
  };
  fc.assert(fc.property(anyKey, anyKey, anyKey, isOrder), seeded);
  assert.equal([Number.NaN, 10, 9, -1].sort(compareKeys), [-1, 9, 10, Number.NaN]);
  assert.equal(["b", "a", "B", ""].sort(compareKeys), ["", "B", "a", "b"]);
});

test("what is combined adds up, and keys that are too long are not combined", () => {
  const codec = keyCodecOf(KEYS.text?.[0] as never);
  const anyWords = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 9 })));
  const addsUp = (words: (readonly [number, number])[]) => {
    const combining = new PlaceCombining(8, 15);
    const scratch = new Scratch();
    const sums = new Map<string, number>();
    const add = (word: string, by: number) => sums.set(word, (sums.get(word) ?? 0) + by);
    const key = () => {
      const from = new Cursor(scratch.views, 4);
      const at = from.align(8) + 8;
      return readText(scratch.views.u8, at, scratch.views.u32[(at >>> 2) - 1] as number);
    };
    const begin = () => {
      scratch.views.u32[1] = 0;
      scratch.at = 4;
    };
    for (const [word, by] of words) {
      begin();
      const hash = codec.write(scratch, "test", "x".repeat(word));
      const out = combining.add(scratch, hash, by);
      if (out === NOT_COMBINED) add(key(), by);
      else if (out !== KEPT) add(key(), combining.count);
      // the expected sum, with its sign
      add("x".repeat(word), -by);
    }
    for (;;) {
      begin();
      if (combining.takeOut(scratch) === KEPT) break;
      add(key(), combining.count);
    }
    assert.ok([...sums.values()].every((sum) => sum === 0));
  };
  fc.assert(fc.property(anyWords, addsUp), seeded);
  const scratch = new Scratch();
  const long = (length: number) => {
    scratch.at = 4;
    return new PlaceCombining(8, 15).add(scratch, codec.write(scratch, "test", "x".repeat(length)), 1);
  };
  assert.equal([long(48), long(49)], [KEPT, NOT_COMBINED]);
});

test("whole numbers that are combined add up, and batches are full in time", () => {
  const anyKeys = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 9 })));
  const addsUp = (keys: (readonly [number, number])[]) => {
    const combining = new WholeCombining(8);
    const sums = new Map<number, number>();
    const add = (key: number, by: number) => sums.set(key, (sums.get(key) ?? 0) + by);
    for (const [key, by] of keys) {
      const became = combining.add(key, key * 3, by);
      if (became === NOT_COMBINED) add(key, by);
      else if (became === EXCHANGED) add(combining.key, combining.count);
      add(key, -by);
    }
    while (combining.takeOut()) add(combining.key, combining.count);
    assert.not(combining.takeOut());
    assert.ok([...sums.values()].every((sum) => sum === 0));
  };
  fc.assert(fc.property(anyKeys, addsUp), seeded);
  const batches = new KeyBatches(3, 2);
  assert.equal([batches.add(1, 7), batches.add(2, 8), batches.add(1, 9)], [false, false, true]);
  assert.equal([...batches.keys.subarray(batches.startOf(1)).slice(0, 2)], [7, 9]);
  assert.equal([batches.take(0), batches.take(1), batches.take(1), batches.take(2)], [0, 2, 0, 1]);
  assert.is(new KeyBatches(2 ** 20, 1000).most, 1);
});

/** Plays a stream of keys. @returns how many counts were sent */
function sendsOf(combining: TextCombining, keys: Iterable<string>): number {
  const sums = new Map<string, number>();
  let sends = 0;
  const send = (key: string, count: number) => {
    sends++;
    sums.set(key, (sums.get(key) ?? 0) + count);
  };
  let [number, by] = [0, 0];
  for (const key of keys) {
    by = 1 + (number++ % 3);
    sums.set(key, (sums.get(key) ?? 0) - by);
    const became = combining.add(key, by);
    if (became === NOT_COMBINED) send(key, by);
    else if (became === EXCHANGED) send(combining.text, combining.count);
  }
  while (combining.takeOut()) send(combining.text, combining.count);
  assert.ok([...sums.values()].every((sum) => sum === 0));
  return sends;
}

test("text is combined: counts add up, one key is put out for another one, none is left", () => {
  const anyText = fc.oneof(
    fc.constantFrom("tin", "lead", "a key of more than 13 code units"),
    fc.string({ maxLength: 60 }),
  );
  const anyMost = fc.constantFrom(1, 2, 8, 256);
  fc.assert(
    fc.property(anyMost, fc.array(anyText), fc.array(anyText), (most, first, second) => {
      const combining = new TextCombining(most);
      for (const keys of [first, second]) assert.ok(sendsOf(combining, keys) <= keys.length + most);
    }),
    seeded,
  );
  assert.is(new TextCombining(8).add("x".repeat(49), 1), NOT_COMBINED);
});

test("a key that comes often stays, whatever else comes", () => {
  const frequent = 30_000;
  const keys = Array.from({ length: 2 * frequent }, (_, i) => (i % 2 === 0 ? "tin" : `word ${i}`));
  const sends = sendsOf(new TextCombining(64), keys);
  assert.ok(sends <= frequent + 100, `${sends}`);
});

test("keys that hardly ever come again are soon sent without a look, until they come more often", () => {
  const combining = new TextCombining(8);
  const last = (count: number, keyOf: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => combining.add(keyOf(i), 1)).at(-1);
  assert.is(
    last(1000, (i) => `word ${i}`),
    EXCHANGED,
  );
  assert.is(
    last(9000, (i) => `word ${i}`),
    NOT_COMBINED,
  );
  assert.is(
    last(80_000, () => "tin"),
    KEPT,
  );
});

test.run();
