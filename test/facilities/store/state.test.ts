/** The state of a store: commands, values, limits, snapshots, and writes that take effect once. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ByteReader, ByteWriter } from "../../../src/facilities/store/bytes.ts";
import {
  decodeChange,
  encodeChange,
  FORGOTTEN,
  type KeyChange,
  NO,
  type WriteSession,
  YES,
} from "../../../src/facilities/store/command.ts";
import { WriteSessions } from "../../../src/facilities/store/sessions.ts";
import { StoreState } from "../../../src/facilities/store/state.ts";
import { checkKey, checkValue, isSame, type StoreValue } from "../../../src/facilities/store/value.ts";
import { MismatchError, OverflowError, UsageError } from "../../../src/ground/base/errors.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { errorOf } from "./support/error-of.ts";

const test = suite("state of a store");
const runs = { numRuns: rounds(300, 20_000), seed: SEED };

const bytes = (...values: number[]) => Uint8Array.from(values);
const text = fc.string({ unit: "grapheme" });
const value: fc.Arbitrary<StoreValue> = fc.oneof(text, fc.uint8Array({ maxLength: 20 }));
const change: fc.Arbitrary<KeyChange> = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), key: text, value }),
  fc.record({ kind: fc.constant("delete" as const), key: text }),
  fc.record({
    ...{ kind: fc.constant("compareAndSet" as const), key: text, value },
    expected: fc.option(value, { nil: undefined }),
  }),
);

test("numbers of any size are read as they were written", () => {
  for (const number of [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 53 - 1]) {
    const from = new ByteReader(new ByteWriter(1).whole(number).byte(7).done());
    assert.is(from.whole(), number);
    assert.is(from.byte(), 7);
    assert.instance(
      errorOf(() => from.byte()),
      MismatchError,
    );
  }
  assert.instance(
    errorOf(() => new ByteReader(bytes(5, 1, 2)).bytes()),
    MismatchError,
  );
});

test("a command is read as it was written, with and without a session", () => {
  const session = fc.record({
    id: fc.maxSafeNat(),
    born: fc.maxSafeNat(),
    oldest: fc.maxSafeNat(),
    at: fc.maxSafeNat(),
  });
  fc.assert(
    fc.property(change, fc.option(session, { nil: undefined }), (change, session) => {
      const plain = { change: { ...change }, session: session && { ...session } };
      assert.equal(decodeChange(encodeChange(change, session)), plain);
    }),
    runs,
  );
});

test("texts stay as they are: a mark of the byte order, nothing, all planes", () => {
  for (const value of ["\ufeff1", "", "ä€😀", "\0"]) {
    const state = new StoreState();
    state.apply(encodeChange({ kind: "set", key: value, value }), 1);
    assert.is(state.values.get(value), value);
  }
});

test("a short key and value take few bytes", () => {
  const change: KeyChange = { kind: "set", key: "12345678", value: "1234567890123456" };
  assert.is(encodeChange(change).length, 1 + 1 + 8 + 1 + 1 + 16);
});

/** What the state must be, in the plainest way. */
class Reference {
  readonly values = new Map<string, StoreValue>();

  apply(change: KeyChange): number {
    const there = this.values.get(change.key);
    if (change.kind === "delete") return Number(this.values.delete(change.key));
    if (change.kind === "compareAndSet") {
      const form = (x: StoreValue | undefined) => JSON.stringify([typeof x, x === undefined ? 0 : [...x]]);
      if (form(there) !== form(change.expected)) return 0;
    }
    this.values.set(change.key, change.value);
    return 1;
  }
}

test("any changes give what a Map gives, also over a snapshot", () => {
  const few = fc.oneof(
    ...(["set", "delete", "compareAndSet"] as const).map((kind) =>
      fc.record({
        ...{ kind: fc.constant(kind), key: fc.constantFrom("a", "b") },
        value: fc.constantFrom<StoreValue[]>("x", "", bytes(120), bytes()),
        expected: fc.constantFrom<(StoreValue | undefined)[]>("x", "", bytes(120), bytes(), undefined),
      }),
    ),
  ) as fc.Arbitrary<KeyChange>;
  fc.assert(
    fc.property(fc.array(few), fc.array(few), (before, after) => {
      const reference = new Reference();
      let state = new StoreState();
      let index = 0;
      const check = (change: KeyChange) =>
        assert.equal([...state.apply(encodeChange(change), ++index)], [reference.apply(change)]);
      before.forEach(check);
      const copy = new StoreState();
      copy.restore(state.snapshot());
      assert.equal(copy.snapshot(), state.snapshot());
      state = copy;
      after.forEach(check);
      assert.equal([...state.values], [...reference.values]);
    }),
    runs,
  );
});

test("a snapshot of another version, and one that is cut off", () => {
  const state = new StoreState();
  state.apply(encodeChange({ kind: "set", key: "a", value: "b" }), 1);
  const snapshot = state.snapshot();
  assert.match((errorOf(() => new StoreState().restore(bytes(9))) as Error).message, /version 1, got version 9/);
  assert.instance(
    errorOf(() => new StoreState().restore(snapshot.slice(0, -1))),
    MismatchError,
  );
});

test("bytes that are kept do not change with those that came", () => {
  const state = new StoreState();
  const command = encodeChange({ kind: "set", key: "a", value: bytes(1, 2) });
  state.apply(command, 1);
  command.fill(0);
  assert.equal(state.values.get("a"), bytes(1, 2));
});

test("values are the same by type and content", () => {
  const all = [undefined, "", "a", bytes(), bytes(97), bytes(98)];
  for (const [i, a] of all.entries())
    for (const [j, b] of all.entries()) {
      assert.is(isSame(a, b), i === j);
      assert.is(isSame(a, b instanceof Uint8Array ? b.slice() : b), i === j);
    }
});

test("keys and values that are refused", () => {
  const limits = { keyBytes: 4, valueBytes: 6 };
  for (const key of ["", "abcd", "ää", "€"]) checkKey("set", key, limits);
  for (const key of ["abcde", "äää", "€€"])
    assert.instance(
      errorOf(() => checkKey("set", key, limits)),
      OverflowError,
    );
  for (const key of [1, null, undefined, bytes(1), "\ud800", "\udc00a"])
    assert.instance(
      errorOf(() => checkKey("set", key, limits)),
      UsageError,
    );
  for (const value of ["", "abcdef", bytes(), bytes(1, 2, 3, 4, 5, 6), Buffer.from("x")])
    checkValue("set", value, limits);
  for (const value of ["abcdefg", bytes(1, 2, 3, 4, 5, 6, 7)])
    assert.instance(
      errorOf(() => checkValue("set", value, limits)),
      OverflowError,
    );
  for (const value of [1, null, undefined, {}, new Float64Array(1), "\udfff"])
    assert.instance(
      errorOf(() => checkValue("set", value, limits)),
      UsageError,
    );
  assert.match(
    (errorOf(() => checkKey("set", "abcde", limits)) as Error).message,
    /set: expected a key of at most 4 bytes, got 5 bytes. The option keyBytes sets the limit/,
  );
});

/** Sessions whose writes count. */
function counting(most?: number) {
  const sessions = new WriteSessions(most);
  let [count, index] = [0, 0];
  const write = (id: number, at: number, oldest = at, born = 0, outcome: typeof YES | typeof NO = YES) => {
    const session: WriteSession = { id, born, oldest, at };
    const before = count;
    const got = sessions.once(session, ++index, () => {
      count++;
      return outcome;
    });
    return [got, count > before];
  };
  return { sessions, write };
}

test("a write that comes again has the outcome that it had", () => {
  const { write } = counting();
  assert.equal(write(1, 1), [YES, true]);
  assert.equal(write(1, 2, 1, 0, NO), [NO, true]);
  assert.equal(write(1, 2, 1), [NO, false]);
  assert.equal(write(1, 1, 1), [YES, false]);
  assert.equal(write(2, 1), [YES, true], "another client");
  assert.equal(write(1, 4, 1), [YES, true], "ahead of one that comes late");
  assert.equal(write(1, 3, 1), [YES, true]);
  assert.equal(write(1, 3, 3), [YES, false]);
  assert.equal(write(1, 2, 1), [FORGOTTEN, false], "long answered");
});

test("a client that was forgotten is refused, and one that began later is not", () => {
  const { write } = counting(2);
  write(1, 1);
  write(2, 1);
  write(1, 2);
  // forgets client 2, whose last write was at index 2
  assert.equal(write(3, 1), [YES, true]);
  assert.equal(write(2, 2), [FORGOTTEN, false]);
  assert.equal(write(4, 1, 1, 1), [FORGOTTEN, false], "began before, and may have been forgotten");
  assert.equal(write(5, 1, 1, 2), [YES, true]);
  assert.equal(write(3, 1), [YES, false]);
  assert.equal(write(1, 2), [FORGOTTEN, false]);
});

test("sessions are part of a snapshot", () => {
  const { sessions, write } = counting(2);
  for (const id of [1, 2, 3]) write(id, 1, 1, id, id === 3 ? NO : YES);
  const to = new ByteWriter();
  sessions.write(to);
  const copy = new WriteSessions(2);
  copy.read(new ByteReader(to.done()));
  const again = new ByteWriter();
  copy.write(again);
  assert.equal(again.done(), to.done());
  const never = () => {
    throw new Error("again");
  };
  assert.is(copy.once({ id: 3, born: 0, oldest: 1, at: 1 }, 9, never), NO);
  assert.is(copy.once({ id: 1, born: 0, oldest: 1, at: 1 }, 10, never), FORGOTTEN);
});

test.run();
