/** Shared maps, sets and counters on threads: linearizable, none of their entries is lost as they grow. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sharedCounter } from "../../../src/facilities/shared/tables/counter.ts";
import { sharedMap } from "../../../src/facilities/shared/tables/map.ts";
import { sharedSet } from "../../../src/facilities/shared/tables/set.ts";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { bytes, f64, i64, struct, u8, u16, u32, u64 } from "../../../src/ground/item/item-type.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Model } from "../agree/support/history.ts";
import { assertLinearizable } from "../agree/support/linearizable.ts";
import type { Args, Op, Told } from "./programs/tables.program.ts";

const test = suite("shared tables");
const module = sibling("./programs/tables.program.js", import.meta.url);
const play = <T>(pes: number, args: Args, more = {}): Promise<T[]> =>
  launchPooled<T>(module, { pes, args, waitTimeout: 60_000, ...more });

/** One entry, or the counter: the state is its value, "" if there is none. */
const MODEL: Model<number | string, Op, Told["result"]> = {
  initial: "",
  partOf: ({ key }) => `key ${key}`,
  step(state, { kind, value }, result) {
    const now = state === "" ? undefined : (state as number);
    const sum = (now ?? 0) + value;
    switch (kind) {
      case "get":
        return result === now ? state : undefined;
      case "set":
        return value;
      case "delete":
        return result === (now !== undefined) ? "" : undefined;
      case "update":
        if (now === undefined) return result === undefined ? "" : undefined;
        return result === now * 2 + value ? result : undefined;
      default:
        return result === sum ? sum : undefined;
    }
  },
};

const HISTORIES = rounds(30, 3000);
for (const pes of [2, 4]) {
  test(`${HISTORIES} histories of ${pes} PEs are linearizable`, async () => {
    for (let i = 0; i < HISTORIES; i++) {
      const args: Args = { what: "history", seed: SEED + i, turns: 150, keys: 3 };
      const told = await play<Told[]>(pes, args);
      const all = told.flatMap((list, process) => list.map((one) => ({ ...one, process })));
      assertLinearizable(MODEL, all as never, `seed ${args.seed}`);
    }
  });
}

for (const pes of [1, 2, 5]) {
  const turns = rounds(3000, 100_000);
  test(`growth, sums, updates: ${pes} PEs`, async () => {
    for (const what of ["growth", "sums", "update"] as const) {
      const results = await play<number>(pes, { what, seed: SEED, turns, keys: 500 });
      assert.ok(results.every((one) => one > 0));
    }
  });
}

test("a PE that throws or exits in an update: the entry is as it was, others go on", async () => {
  for (let i = 0; i < rounds(10, 300); i++) {
    const turns = 50;
    const results = await play<number | undefined>(
      3,
      { what: "lost", seed: i, turns, keys: 1 },
      { onLoss: "continue" },
    );
    const left = results.filter((one) => one !== undefined) as number[];
    assert.is(left.length, 2);
    assert.is(Math.max(...left), 5 + 2 * turns);
  }
});

test("keys and values of all types; misuse is told and changes nothing", async () => {
  await simulateAsync({ pes: 2 }, async (pe) => {
    const big = sharedMap(pe, u64, i64);
    const wide = sharedMap(pe, f64, struct({ at: struct({ x: f64, y: u8 }), key: bytes(3) }), { name: "wide" });
    const narrow = sharedMap(pe, u16, u8);
    const texts = sharedMap(pe, bytes(8), f64);
    const sums = sharedMap(pe, u8, u32);
    const set = sharedSet(pe, u32);
    const counter = sharedCounter(pe);
    if (pe.rank === 0) {
      big.set(2n ** 63n, -5n);
      assert.is(big.add(2n ** 63n, 2n), -3n);
      assert.is(sums.add(1, 5), 5);
      assert.is(sums.add(1, -7), 2 ** 32 - 2);
      wide.set(-0, { at: { x: 1.5, y: 7 }, key: Uint8Array.of(1, 2, 3) });
      for (let i = 0; i < 1000; i++) narrow.set(i, i & 255);
      texts.set("", 1).set("äöü", 2).set("12345678", 3);
      assert.ok(set.add(5));
      assert.not(set.add(5));
      assert.is(counter.add(5), 5);
    }
    await pe.barrierAsync();
    assert.is(big.get(2n ** 63n), -3n);
    assert.equal(wide.get(0), { at: { x: 1.5, y: 7 }, key: Uint8Array.of(1, 2, 3) });
    for (let i = 0; i < 1000; i++) assert.is(narrow.get(i), i & 255);
    assert.equal(
      new Map(texts),
      new Map([
        ["", 1],
        ["äöü", 2],
        ["12345678", 3],
      ]),
    );
    assert.is(texts.get("123456789".slice(1)), undefined);
    assert.equal([...set], [5]);
    assert.is(counter.value, 5);
    const wrong: [() => unknown, RegExp][] = [
      [() => texts.set("123456789", 1), /at most 8 bytes as key, got one of 9/],
      [() => texts.set(5 as never, 1), /expected a text as key, got 5/],
      [() => texts.set("x", "y" as never), /expected a value of type f64, got "y"/],
      [() => narrow.set(65_536, 1), /key of type u16, got 65536/],
      [() => big.get(5 as never), /key of type u64, got 5/],
      [() => big.get(2n ** 64n), /key of type u64, got 18446744073709551616n/],
      [() => big.set(1n, 2n ** 63n), /expected a value of type i64, got 9223372036854775808n/],
      [() => narrow.set(1, 256), /expected a value of type u8, got 256/],
      [() => narrow.set(1, 1.5), /expected a value of type u8, got 1\.5/],
      [() => wide.set(1, { at: { x: 1, y: -1 }, key: Uint8Array.of(1, 2, 3) }), /got -1 in at\.y/],
      [() => wide.set(1, { at: { x: 1 } } as never), /in at\.y/],
      [() => wide.add(1, {} as never), /expected a map of values of f64.*"wide".*Use update/],
      [() => texts.update("x", () => texts.size + (texts.get("x") ?? 0)), /function of an update or forEach/],
      [() => texts.forEach(() => void texts.delete("")), /function of an update or forEach/],
      [() => sharedMap(pe, struct({ x: u8 }) as never, f64), /expected a type of keys/],
      [() => sharedMap(pe, u8, bytes(3) as never), /expected a type of values/],
      [() => counter.add(0.5), /whole number, got 0\.5/],
    ];
    for (const [call, message] of wrong) {
      assert.throws(call, (error: Error) => {
        assert.instance(error, UsageError);
        assert.match(error.message, message);
        return true;
      });
    }
    assert.is(texts.size, 3);
    await pe.barrierAsync();
    assert.is(
      texts.update("", (old) => (old === undefined ? 1 : undefined)),
      pe.rank === 0 ? undefined : 1,
    );
    for (const one of [big, wide, narrow, texts, sums, set, counter]) one.leave();
    assert.throws(() => texts.get(""), /has left the shared map/);
  });
});

test("memory comes back when all have left", async () => {
  await simulateAsync({ pes: 2, memoryBytes: 2 ** 22 } as never, async (pe) => {
    for (let round = 0; round < 50; round++) {
      const map = sharedMap(pe, u32, f64);
      for (let i = 0; i < 20_000; i++) map.set(i, i);
      await pe.barrierAsync();
      map.leave();
      await pe.barrierAsync();
    }
  });
});

test.run();
