/** Texts of values for messages. */
import vm from "node:vm";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { shortText } from "../../../src/ground/base/short-text.ts";

const texts = suite("short texts of values");

class Lead {}

for (const [value, text] of [
  [undefined, "undefined"],
  [null, "null"],
  [-0, "-0"],
  [Number.NaN, "NaN"],
  [1n, "1n"],
  ["a\n", '"a\\n"'],
  [Symbol("s"), "Symbol(s)"],
  [function main() {}, "[Function: main]"],
  [[], "[]"],
  [[1, [2, [3]]], "[ 1, [ 2, [Array] ] ]"],
  [{ a: 1, b: { c: {} } }, "{ a: 1, b: { c: {} } }"],
  [new Lead(), "Lead {}"],
  [new TypeError("off"), "TypeError: off"],
  [new UsageError("off"), "UsageError: off"],
  [vm.runInNewContext('new RangeError("far")'), "RangeError: far"],
] as [unknown, string][]) {
  texts(`${text}`, () => assert.is(shortText(value), text));
}

texts("code of the program is not run", () => {
  const never = (..._: unknown[]): never => {
    throw new Error("was run");
  };
  const odd = {
    toString: never,
    toJSON: never,
    [Symbol.toPrimitive]: never,
    [Symbol.for("nodejs.util.inspect.custom")]: never,
    get at(): number {
      return never();
    },
  };
  assert.match(shortText(odd), /at: \[Getter\]/);
  const traps = new Proxy({}, { get: (_, trap) => never.bind(null, trap) });
  // Node 26 and Bun say that it is a proxy
  assert.match(shortText(new Proxy({ a: 1 }, traps)), /^(\{ a: 1 \}|Proxy\(\{ a: 1 \}\))$/);
  assert.is(shortText(new Proxy(new Error("behind"), traps)).includes("behind"), true);
  assert.is(shortText(Object.assign(() => 1, { toString: never })).startsWith("[Function"), true);
});

texts("what throws when it is looked at has a text all the same", () => {
  const bad = Object.defineProperty(new Error("x"), "message", {
    get() {
      throw new Error("again");
    },
  });
  assert.is(shortText(bad), "a value that cannot be printed");
});

texts("texts are short", () => {
  const long = "x".repeat(1e6);
  for (const value of [long, [long, long], { [long]: 1 }, new Map([[long, long]]), new Uint8Array(1e6)]) {
    assert.ok(shortText(value).length < 210);
  }
  assert.ok(shortText(new Error(long)).length < 2010);
});

texts.run();
