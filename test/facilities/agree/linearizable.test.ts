/** The checker of histories: known good and bad ones, random ones against all orders, and how fast it is. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { isLinearizableByBruteForce } from "./support/brute-force.ts";
import { historyText, type Model, type Operation, Recorder } from "./support/history.ts";
import { assertLinearizable, findViolation } from "./support/linearizable.ts";
import { findStaleRead } from "./support/local-reads.ts";
import { counterModel, decisionModel, logModel, type StoreOp, type StoreResult, storeModel } from "./support/models.ts";

const test = suite("linearizability");

const get = (key = "k"): StoreOp => ({ kind: "get", key });
const set = (value: string, key = "k"): StoreOp => ({ kind: "set", key, value });
const cas = (expected: string | null, value: string, key = "k"): StoreOp => ({
  ...{ kind: "cas", key, expected, value },
});
/** [invocation, return, operation, result]; each by a client of its own. */
type Line<Op, Result> = readonly [number, number | "?", Op, Result?];
const historyOf = <Op, Result>(...lines: Line<Op, Result>[]): Operation<Op, Result>[] =>
  lines.map(([invoke, returned, op, result], client) => ({
    ...{ client, op, invoke, result },
    returned: returned === "?" ? Number.POSITIVE_INFINITY : returned,
  }));

function known<State extends string | number, Op, Result>(
  name: string,
  model: Model<State, Op, Result>,
  isRight: boolean,
  ...lines: Line<Op, Result>[]
): void {
  test(`${name}: ${isRight ? "accepted" : "refused"}`, () => {
    const history = historyOf(...lines);
    assert.is(findViolation(model, history) === null, isRight);
    if (model.partOf === undefined || new Set(history.map(({ op }) => model.partOf?.(op))).size === 1)
      assert.is(isLinearizableByBruteForce(model, history), isRight);
  });
}

known("nothing", storeModel, true);
known("a read before any write", storeModel, true, [0, 1, get(), null]);
known("a read of what a write under way writes", storeModel, true, [0, 3, set("1"), null], [1, 2, get(), "1"]);
known("a stale read", storeModel, false, [0, 1, set("1"), null], [2, 3, set("2"), null], [4, 5, get(), "1"]);
known("a read of a value never written", storeModel, false, [0, 1, set("1"), null], [2, 3, get(), "7"]);
known("a read that goes back", storeModel, false, [0, 9, set("1"), null], [1, 2, get(), "1"], [3, 4, get(), null]);
known("two keys that do not agree on time", storeModel, true, [0, 1, set("1", "a"), null], [2, 3, get("b"), null]);
known(
  "one key of two is wrong",
  storeModel,
  false,
  [0, 1, set("1", "a"), null],
  [2, 3, get("a"), null],
  [4, 5, get("b"), null],
);
known(
  "split brain: both win a compare-and-set",
  storeModel,
  false,
  [0, 3, cas(null, "a"), true],
  [1, 2, cas(null, "b"), true],
);
known(
  "one of two wins a compare-and-set",
  storeModel,
  true,
  [0, 3, cas(null, "a"), true],
  [1, 2, cas(null, "b"), false],
);
known("nobody wins a compare-and-set", storeModel, false, [0, 3, cas(null, "a"), false], [1, 2, cas(null, "b"), false]);
known("a lost update", counterModel, false, [0, 2, 1, 1], [1, 3, 1, 1]);
known("two updates", counterModel, true, [0, 2, 1, 2], [1, 3, 1, 1]);
known("acks out of order", counterModel, false, [0, 1, 1, 2], [2, 3, 1, 1]);
known("acks of a log out of order", logModel, false, [0, 1, "a", 1], [2, 3, "b", 0]);
known("a log that lost an entry", logModel, false, [0, 1, "a", 0], [2, 3, "b", 1], [4, 5, null, "b"]);
known("a log", logModel, true, [0, 3, "a", 1], [1, 2, "b", 0], [4, 5, null, "ba"]);
known("two decisions", decisionModel, false, [0, 1, "commit", "commit"], [2, 3, "abort", "abort"]);
known("one decision, by who came first", decisionModel, true, [0, 9, "abort", "commit"], [1, 2, "commit", "commit"]);
known("a decision that nobody proposed", decisionModel, false, [0, 1, "commit", "abort"]);
known("unknown, took effect late", storeModel, true, [0, "?", set("1")], [1, 2, get(), null], [3, 4, get(), "1"]);
known("unknown, never took effect", storeModel, true, [0, "?", set("1")], [1, 2, get(), null], [3, 4, get(), null]);
known(
  "unknown, took effect twice",
  storeModel,
  false,
  [0, "?", set("1")],
  [1, 2, get(), "1"],
  [3, 4, set("2"), null],
  [5, 6, get(), "1"],
);
known("unknown, seen and then not", storeModel, false, [0, "?", set("1")], [1, 2, get(), "1"], [3, 4, get(), null]);
known("seen before it was asked for", storeModel, false, [0, 1, get(), "1"], [2, "?", set("1")]);
known(
  "an unknown compare-and-set explains the other's failure",
  storeModel,
  true,
  [0, "?", cas(null, "a")],
  [1, 2, cas(null, "b"), false],
);

test("a violation names its part and the longest order", () => {
  const history = historyOf<StoreOp, StoreResult>([0, 1, set("1", "x"), null], [2, 3, get("x"), null]);
  const found = findViolation(storeModel, history);
  assert.is(found?.part, "x");
  assert.equal(found?.longest, [history[0]]);
  assert.throws(
    () => assertLinearizable(storeModel, history, "seed 7"),
    /^seed 7: not linearizable at x:\n0…1 {2}client 0/,
  );
});

test("a recorder notes overlapping calls", () => {
  const recorder = new Recorder<number, number>();
  const first = recorder.invoke(0, 1);
  const second = recorder.invoke(1, 1);
  recorder.invoke(2, 5);
  second(1);
  first(2);
  assert.is(
    historyText(recorder.operations),
    "0…4  client 0  1 -> 2\n1…3  client 1  1 -> 1\n2…?  client 2  5 -> undefined",
  );
  assert.is(findViolation(counterModel, recorder.operations), null);
});

/** Numbers below n, the same ones for the same seed (mulberry32). */
function numbers(seed: number): (n: number) => number {
  let at = seed | 0;
  return (n) => {
    at = (at + 0x6d2b79f5) | 0;
    let x = Math.imul(at ^ (at >>> 15), 1 | at);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) % n;
  };
}

/**
 * A real run: operations take effect one after the other at times 10, 20, …; their intervals are widened around these.
 * @param known of so many outcomes all but one
 */
function realRun(
  below: (n: number) => number,
  count: number,
  keys: number,
  clients: number,
  known = 12,
): Operation<StoreOp, StoreResult>[] {
  const values = new Map<string, string>();
  const free = new Array<number>(clients).fill(0);
  const followers = new Array<number>(clients).fill(0);
  const history: Operation<StoreOp, StoreResult>[] = [];
  for (let i = 1; i <= count; i++) {
    const key = `k${below(keys)}`;
    const before = values.get(key) ?? null;
    const expected = below(2) === 0 ? before : below(3) === 0 ? null : `${below(4)}`;
    const op = [get(key), set(`${below(4)}`, key), cas(expected, `${below(4)}`, key), { kind: "delete", key } as const][
      below(4)
    ] as StoreOp;
    const seat = below(clients);
    // a client has one call at a time, and is followed by another one if its outcome is not known
    const client = clients * (followers[seat] as number) + seat;
    const invoke = Math.max((free[seat] as number) + 1, 10 * i - below(40));
    if (invoke > 10 * i) continue;
    const isUnknown = below(known) === 0;
    if (isUnknown) (followers[seat] as number)++;
    const returned = isUnknown ? Number.POSITIVE_INFINITY : 10 * i + below(40);
    if (isUnknown && below(2) === 0) {
      history.push({ client, op, invoke, returned, result: undefined });
      free[seat] = 10 * i;
      continue;
    }
    let result: StoreResult = null;
    if (op.kind === "get") result = before;
    else if (op.kind === "set") values.set(key, op.value);
    else if (op.kind === "delete") result = values.delete(key);
    else {
      result = before === op.expected;
      if (result) values.set(key, op.value);
    }
    history.push({ client, op, invoke, returned, result: isUnknown ? undefined : result });
    free[seat] = isUnknown ? 10 * i : returned;
  }
  return history;
}

/** One result is another one. */
function mutated(
  below: (n: number) => number,
  history: readonly Operation<StoreOp, StoreResult>[],
): Operation<StoreOp, StoreResult>[] {
  const at = below(history.length);
  return history.map((one, i) => {
    if (i !== at || one.result === undefined || one.op.kind === "set") return one;
    const other = typeof one.result === "boolean" ? !one.result : one.result === "0" ? "1" : "0";
    return { ...one, result: other };
  });
}

test("real runs are accepted, and changed ones refused where no order fits", () => {
  let refused = 0;
  const count = rounds(2000, 100_000);
  for (let i = 0; i < count; i++) {
    const below = numbers(SEED + i);
    const history = realRun(below, 7, 1, 3);
    assertLinearizable(storeModel, history, `seed ${SEED + i}`);
    if (history.length === 0) continue;
    const other = mutated(below, history);
    const isRight = findViolation(storeModel, other) === null;
    assert.is(isRight, isLinearizableByBruteForce(storeModel, other), `seed ${SEED + i}: ${historyText(other)}`);
    if (!isRight) refused++;
  }
  assert.ok(refused > count / 20, `${refused} refused`);
});

test("any history is judged as by trying all orders", () => {
  const value = fc.constantFrom("1", "2");
  const expected = fc.constantFrom(null, "1", "2");
  const operation = fc
    .tuple(
      fc.oneof(
        fc.tuple(fc.constant(get()), expected),
        fc.tuple(
          value.map((x) => set(x)),
          fc.constant(null),
        ),
        fc.tuple(fc.constant({ kind: "delete", key: "k" } as const), fc.boolean()),
        fc.tuple(
          fc.tuple(expected, value).map(([a, b]) => cas(a, b)),
          fc.boolean(),
        ),
      ),
      fc.nat(12),
      fc.integer({ min: 0, max: 6 }),
      fc.boolean(),
    )
    .map(([[op, result], invoke, length, isUnknown]): Operation<StoreOp, StoreResult> => {
      if (isUnknown && length < 3)
        return { client: 0, op, invoke, returned: Number.POSITIVE_INFINITY, result: undefined };
      return { client: 0, op, invoke, returned: invoke + length, result };
    });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), (history) => {
      assert.is(findViolation(storeModel, history) === null, isLinearizableByBruteForce(storeModel, history));
    }),
    { numRuns: rounds(1000, 100_000), seed: SEED },
  );
});

test("long histories are checked too, with more operations than bits in a word", () => {
  for (let i = 0; i < rounds(20, 1000); i++) {
    const below = numbers(SEED + i);
    const history = realRun(below, 500, 3, 8, 60);
    assert.ok(history.length > 33);
    assertLinearizable(storeModel, history, `seed ${SEED + i}`);
  }
});

test("short histories are checked by the thousand", () => {
  for (let i = 0; i < rounds(2000, 100_000); i++) {
    const below = numbers(SEED - i);
    const history = realRun(below, 30, 3, 6);
    assertLinearizable(storeModel, history, `seed ${SEED - i}`);
  }
});

test("local reads: a place in the order that never goes back, and not before own writes", () => {
  const order = [set("1"), set("2"), set("1"), set("9", "other")];
  const read = (result: StoreResult, key?: string) => ({ read: get(key), result });
  const find = (...seen: Parameters<typeof findStaleRead<string, StoreOp, StoreResult>>[2]) =>
    findStaleRead(storeModel, order, seen);
  assert.is(find(read(null), read("1"), read("2"), read("1"), read("9", "other")), null);
  assert.is(find(read("2"), read(null)), 1);
  assert.is(find(read("1"), read("2"), read("1"), read("2")), 3);
  assert.is(find({ acknowledged: 2 }, read("1")), null, "the third write");
  assert.is(find({ acknowledged: 1 }, read(null)), 1);
  assert.is(find(read("9", "other"), read("2")), 1, "over keys");
  assert.is(find(read("7")), 0);
  assert.is(find(read("2"), { ...read("1"), since: 0 }), null, "begun before");
  assert.is(find(read("2"), { ...read(null), since: 0 }, read(null)), 2);
});

test.run();
