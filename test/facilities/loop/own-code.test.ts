/** Loops over bodies that have code of their own, and when they get it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ownCode } from "../../../src/facilities/loop/own-code.ts";
import { forEachAsync } from "../../../src/loop.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";

const test = suite("code of loops");
const LONG = 2 ** 17;

test("a body gets code by its text, once its calls have cost as much", () => {
  const sum = { of: 0 };
  const bodyOf = (weight: number) => (k: number) => {
    sum.of += weight * k;
    return k;
  };
  assert.is(ownCode(bodyOf(1), "body(k)", 100), null);
  assert.is(ownCode(bodyOf(1), "body(k)", LONG), null);
  assert.is(ownCode(bodyOf(1), "body(k)", LONG), null);
  const plain = ownCode(bodyOf(1), "body(k)", LONG);
  assert.ok(plain !== null);
  assert.ok(plain === ownCode(bodyOf(2), "body(k)", LONG));
  assert.is(ownCode(bodyOf(1), "body(k)", 100), null);
  assert.is(plain(bodyOf(10), 7, 7, null)(3, 6), 5);
  assert.is(sum.of, 120);
  assert.is(plain(bodyOf(1), 0, 1, null)(3, 3), undefined);
  const others = (["body(from + k * step)", "body(items[k], k)"] as const).map((call) => {
    for (let i = 0; i < 2; i++) assert.is(ownCode(bodyOf(1), call, LONG), null);
    return ownCode(bodyOf(1), call, LONG);
  });
  assert.is(others[0]?.(bodyOf(1), 100, -5, null)(2, 4), 85);
  assert.is(others[1]?.(bodyOf(1), 0, 1, ["a", "b", "c"])(0, 2), "b");
});

test("texts that are counted at the same time get code of their own", () => {
  const bodies = [(k: number) => k + 1, (k: number) => k + 2];
  for (let round = 0; round < 2; round++) for (const body of bodies) ownCode(body, "body(k)", LONG);
  const [one, other] = bodies.map((body) => String(ownCode(body, "body(k)", LONG)));
  assert.match(one, "body(k)");
  assert.is.not(one, other);
});

test("loops with it run every index once, end by errors, refuse promises", async () => {
  const n = 2 ** 15;
  const elements = Array.from({ length: n }, (_, k) => 2 * k);
  const { results } = await simulateAsync({ pes: 2, seed: 1 }, async (pe) => {
    const told: unknown[] = [];
    /** What a loop does in the last of many rounds of the same bodies: its error, or whether each index was run once. */
    const last = async (loop: (once: (k: number) => unknown) => Promise<void>, at: number, thrown: unknown) => {
      for (let round = 0; round < 12; round++) {
        const seen = new Uint8Array(n);
        const once = (k: number) => {
          seen[k] = (seen[k] as number) + 1;
          if (round === 11 && k === at && thrown instanceof Error) throw thrown;
          return round === 11 && k === at ? thrown : undefined;
        };
        const ended = await loop(once).then(
          () => "",
          (error: Error) => error.message,
        );
        const all = await pe.allreduceAsync(seen, "sum");
        if (ended === "") assert.ok(all.every((times) => times === 1));
        if (round === 11) told.push(ended);
      }
    };
    for (const [at, thrown] of [
      [-1, undefined],
      [n - 1, new RangeError("at the end")],
      [n / 2 - 1, Promise.resolve()],
    ] as const) {
      await last((once) => forEachAsync(pe, n, (i) => once(i) as undefined, { schedule: "static" }), at, thrown);
      const down = { begin: 3 * n, end: 0, step: -3 };
      await last(
        (once) => forEachAsync(pe, down, (i) => once(n - i / 3) as undefined, { schedule: "static" }),
        at,
        thrown,
      );
      await last(
        (once) => forEachAsync(pe, elements, (x, k) => once(x - k) as undefined, { schedule: "static" }),
        at,
        thrown,
      );
    }
    return told;
  });
  for (const told of results as string[][]) {
    assert.equal(told.slice(0, 6), ["", "", "", "at the end", "at the end", "at the end"]);
    for (const one of told.slice(6)) assert.match(one, /the body returned a promise/);
  }
});

test("only so many texts have any", () => {
  const bodies = Array.from({ length: 80 }, (_, i) => new Function("k", `return k + ${i}`) as (k: never) => unknown);
  const got = bodies.map((body) => [1, 2, 3].map(() => ownCode(body, "body(k)", LONG)).at(-1));
  const many = got.filter((one) => one !== null && one !== undefined);
  assert.ok(many.length > 50 && many.length < 64, `${many.length}`);
  assert.is(new Set(many).size, many.length);
});

test.run();
