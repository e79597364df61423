/** The fate of a world: who ends it first, and what everybody is told. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  AbortedError,
  HeapError,
  RankLostError,
  TimeoutError,
  TundishError,
  WorldClosedError,
} from "../../src/base/errors.ts";
import { ABORTED, CLOSED, LOST, TIMED_OUT, WRITING, waitAreaBytes } from "../../src/wait/layout.ts";
import { Fate } from "../../src/wait/termination.ts";

/** Two views of one fate, as two threads have them, in an area whose far end must stay as it is. */
function fates(): { one: Fate; other: Fate; i32: Int32Array; beyond: () => boolean } {
  const bytes = waitAreaBytes(0);
  const buffer = new SharedArrayBuffer(bytes + 4096);
  const [i32, u8] = [new Int32Array(buffer), new Uint8Array(buffer)];
  u8.fill(0xaa, bytes);
  const view = (): Fate => new Fate(new Int32Array(buffer), new Uint8Array(buffer), 0);
  return { one: view(), other: view(), i32, beyond: () => u8.subarray(bytes).every((byte) => byte === 0xaa) };
}

/** The cause that the other side is told. */
function tell(
  cause: unknown,
  message = "PE 1 was lost",
): { error: TundishError; cause: Error & { code?: unknown } } {
  const { one, other, beyond } = fates();
  one.decide(LOST, { rank: 1, message, cause });
  const error = other.error();
  assert.ok(beyond(), "the text stays in its place");
  return { error, cause: error.cause as Error };
}

const fate = suite("fate");

fate("undecided at first; the first to decide wins", () => {
  const { one, other } = fates();
  assert.is(one.decided, false);
  assert.is(other.decide(LOST, { rank: 3, message: "PE 3 was lost" }), true);
  assert.is(one.decided, true);
  assert.is(one.decide(TIMED_OUT, { rank: -1, message: "too late" }), false);
  assert.is(one.error().message, "PE 3 was lost");
  assert.is((one.error() as RankLostError).rank, 3);
});

for (const [ending, Class] of [
  [LOST, RankLostError],
  [TIMED_OUT, TimeoutError],
  [ABORTED, AbortedError],
  [CLOSED, WorldClosedError],
] as const) {
  fate(`an end of kind ${Class.name} arrives as such`, () => {
    const { one, other } = fates();
    one.decide(ending, { rank: 2, message: "it ended" });
    const error = other.error();
    assert.is(error.name, Class.name);
    assert.instance(error, Class);
    assert.instance(error, TundishError);
    assert.is(error.message, "it ended");
    assert.is(error.cause, undefined);
  });
}

fate("an error travels with name, message, code, stack and causes", () => {
  const root = Object.assign(new RangeError("deep"), { code: "ERR_DEEP" });
  const thrown = new HeapError("full", { cause: new TypeError("middle", { cause: root }) });
  const { cause } = tell(thrown);
  assert.is(cause.name, "HeapError");
  assert.is(cause.message, "full");
  assert.is(cause.code, "ERR_TUNDISH_HEAP");
  assert.ok(cause.stack?.includes("fate.test"), "the stack is that of the throw");
  const middle = cause.cause as Error;
  assert.is(middle.name, "TypeError");
  const deep = middle.cause as Error & { code: string };
  assert.equal([deep.name, deep.message, deep.code], ["RangeError", "deep", "ERR_DEEP"]);
});

fate("whatever is thrown is told", () => {
  const hostile = new Error("hidden");
  Object.defineProperty(hostile, "message", {
    get() {
      throw new Error("no");
    },
  });
  const things: [thrown: unknown, told: RegExp][] = [
    ["text", /threw "text"/],
    [42, /threw 42/],
    [null, /threw null/],
    [Symbol("s"), /threw Symbol\(s\)/],
    [{ toString: () => "an object" }, /threw an object/],
    [Object.create(null), /threw a value that cannot be printed/],
    [hostile, /threw a value that cannot be printed/],
    [Object.assign(new Error("x"), { message: 5, name: 6, code: {} }), /^5$/],
  ];
  for (const [thrown, told] of things) assert.match(tell(thrown).cause.message, told);
  assert.is(tell(undefined).cause, undefined);
});

fate("a chain of causes that bites its own tail ends", () => {
  const error = new Error("round");
  error.cause = error;
  let depth = 0;
  for (let at: unknown = tell(error).cause; at instanceof Error; at = at.cause) depth++;
  assert.ok(depth >= 1 && depth < 10);
});

fate("a long account is shortened: stacks first, the chain last; it never leaves its place", () => {
  const long = (text: string): string => text.repeat(5000);
  for (const text of ["x", "ö", "漢", "😀", "\u0000", '"', "\ud800"]) {
    const deep = Object.assign(new Error(long(text)), { code: "ERR_DEEP" });
    const { error, cause } = tell(
      new Error(long(text), { cause: new Error(long(text), { cause: deep }) }),
      `PE 1 threw ${long(text)}`,
    );
    assert.match(error.message, /^PE 1 threw /);
    assert.ok(cause instanceof Error, "the cause is told");
    assert.is(((cause.cause as Error).cause as { code?: string }).code, "ERR_DEEP");
  }
});

fate("who ends it is killed while writing: the others still get an error, soon", () => {
  const { one, i32 } = fates();
  i32[0] = WRITING;
  const started = performance.now();
  assert.is(one.decided, true);
  assert.is(one.error().code, "ERR_TUNDISH_WORLD_CLOSED");
  assert.ok(performance.now() - started < 2000);
});

fate.run();
