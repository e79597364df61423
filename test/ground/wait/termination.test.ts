/** The termination of a world: who ends it first, and what everybody is told. */
import { inspect } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  AbortedError,
  HeapError,
  ModelError,
  RankLostError,
  TimeoutError,
  TundishError,
  WorldClosedError,
} from "../../../src/ground/base/errors.ts";
import { ABORTED, CLOSED, LOST, TIMED_OUT, WRITING, waitAreaBytes } from "../../../src/ground/wait/layout.ts";
import { Termination } from "../../../src/ground/wait/termination.ts";

/** Two views of one termination, as two threads have them, in an area whose far end must stay as it is. */
function terminations(): { one: Termination; other: Termination; i32: Int32Array; beyond: () => boolean } {
  const bytes = waitAreaBytes(0);
  const buffer = new SharedArrayBuffer(bytes + 4096);
  const [i32, u8] = [new Int32Array(buffer), new Uint8Array(buffer)];
  u8.fill(0xaa, bytes);
  const view = (): Termination => new Termination(new Int32Array(buffer), new Uint8Array(buffer), 0);
  return { one: view(), other: view(), i32, beyond: () => u8.subarray(bytes).every((byte) => byte === 0xaa) };
}

/** The cause that the other side is told. */
function tell(cause: unknown, message = "PE 1 was lost"): { error: TundishError; cause: Error & { code?: unknown } } {
  const { one, other, beyond } = terminations();
  one.decide(LOST, { rank: 1, message, cause });
  const error = other.error();
  assert.ok(beyond(), "the text stays in its place");
  return { error, cause: error.cause as Error };
}

const termination = suite("termination");

termination("undecided at first; the first to decide wins", () => {
  const { one, other } = terminations();
  assert.is(one.decided, false);
  assert.is(other.decide(LOST, { rank: 3, message: "PE 3 was lost" }), true);
  assert.is(one.decided, true);
  assert.is(one.decide(TIMED_OUT, { rank: -1, message: "too late" }), false);
  assert.is(one.error().message, "PE 3 was lost [ERR_TUNDISH_RANK_LOST]");
  assert.is((one.error() as RankLostError).rank, 3);
});

for (const [ending, Class] of [
  [LOST, RankLostError],
  [TIMED_OUT, TimeoutError],
  [ABORTED, AbortedError],
  [CLOSED, WorldClosedError],
] as const) {
  termination(`an end of kind ${Class.name} arrives as such`, () => {
    const { one, other } = terminations();
    one.decide(ending, { rank: 2, message: "it ended" });
    const error = other.error();
    assert.is(error.name, Class.name);
    assert.instance(error, Class);
    assert.instance(error, TundishError);
    assert.is(error.message, `it ended [${error.code}]`);
    assert.is(error.cause, undefined);
  });
}

termination("an error travels with name, message, code, stack and causes", () => {
  const root = Object.assign(new RangeError("deep"), { code: "ERR_DEEP" });
  const thrown = new HeapError("full", { cause: new TypeError("middle", { cause: root }) });
  const { cause } = tell(thrown);
  assert.is(cause.name, "HeapError");
  assert.is(cause.message, "full [ERR_TUNDISH_HEAP]");
  assert.is(cause.code, "ERR_TUNDISH_HEAP");
  assert.ok(cause.stack?.includes("termination.test"), "the stack is that of the throw");
  const middle = cause.cause as Error;
  assert.is(middle.name, "TypeError");
  const deep = middle.cause as Error & { code: string };
  assert.equal([deep.name, deep.message, deep.code], ["RangeError", "deep", "ERR_DEEP"]);
});

termination("whatever is thrown is told: as itself, else in words", () => {
  const hostile = new Error("hidden");
  Object.defineProperty(hostile, "message", {
    get() {
      throw new Error("no");
    },
  });
  const inspected = {
    f: () => 1,
    [inspect.custom]() {
      throw new Error("no code of the program runs");
    },
  };
  const things: [thrown: unknown, told: unknown][] = [
    ["text", "text"],
    [42, 42],
    [null, null],
    [2n ** 70n, 2n ** 70n],
    [
      { status: 404, when: new Date(0) },
      { status: 404, when: new Date(0) },
    ],
    [Symbol("s"), "Symbol(s)"],
    [{ status: 404, retry: () => 1 }, "{ status: 404, retry: [Function: retry] }"],
    // with brackets around the symbol, or without, by the version of Node
    [inspected, inspect(inspected, { customInspect: false, breakLength: Number.POSITIVE_INFINITY })],
    [hostile, "a value that cannot be printed"],
  ];
  for (const [thrown, told] of things) assert.equal(tell(thrown).cause as unknown, told);
  assert.is(tell(Object.assign(new Error("x"), { message: 5, name: 6, code: {} })).cause.message, "5");
  assert.is(tell(undefined).cause, undefined);
});

termination("an error keeps its class, its own properties, its causes and the errors of an AggregateError", () => {
  class StockError extends RangeError {
    override name = "StockError";
  }
  const list = new AggregateError([new TypeError("one"), "two", new HeapError("three")], "all of them");
  const thrown = Object.assign(new StockError("out of it", { cause: list }), {
    code: "ERR_STOCK",
    details: { wanted: new Map([["bolts", 7]]), left: new Float64Array([1, 2]) },
    retry: () => 1,
    source: new URIError("from there"),
  });
  const { cause } = tell(thrown) as { cause: Error } as { cause: typeof thrown };
  assert.instance(cause, RangeError);
  assert.equal([cause.name, cause.message, cause.code], ["StockError", "out of it", "ERR_STOCK"]);
  assert.equal(cause.details, thrown.details);
  assert.is(cause.retry as unknown, "[Function: retry]");
  assert.instance(cause.source, URIError);
  const all = cause.cause as AggregateError;
  assert.instance(all, AggregateError);
  const [one, two, three] = all.errors as [Error, string, HeapError];
  assert.instance(one, TypeError);
  assert.is(two, "two");
  assert.instance(three, HeapError);
  assert.equal([three.code, three.message], ["ERR_TUNDISH_HEAP", "three [ERR_TUNDISH_HEAP]"]);
  assert.equal(Object.keys(all), [], "what is hidden stays so");
});

termination("errors of this package keep their details, also when a class of the user's is derived from theirs", () => {
  class Mine extends ModelError {}
  const { cause } = tell(new Mine("send.3", "too few", { cause: new RankLostError(7, "gone") }));
  assert.instance(cause, ModelError);
  assert.equal([cause.name, (cause as ModelError).path], ["Mine", "send.3"]);
  assert.instance(cause.cause, RankLostError);
  assert.is((cause.cause as RankLostError).rank, 7);
});

termination("it goes from node to node as JSON", () => {
  const [here, there] = [terminations(), terminations()];
  const cause = new RangeError("far", { cause: { rows: [1, 2] } });
  here.one.decide(LOST, { rank: 5, message: "PE 5 was lost", cause });
  assert.is(there.one.adopt(JSON.parse(JSON.stringify(here.other.record()))), true);
  const error = there.other.error();
  assert.instance(error, RankLostError);
  assert.is((error as RankLostError).rank, 5);
  assert.instance(error.cause, RangeError);
  assert.equal((error.cause as Error).cause, { rows: [1, 2] });
});

termination("what aborts arrives as it is: a DOMException", () => {
  const { cause } = tell(AbortSignal.abort().reason);
  assert.instance(cause, DOMException);
  assert.equal([cause.name, cause.code], ["AbortError", 20]);
});

termination("a value that is too large is told in words, the rest as it is", () => {
  const thrown = Object.assign(new RangeError("too much"), { column: new Float64Array(1e6), row: 5 });
  const cause = tell(thrown).cause as unknown as { column: unknown; row: unknown };
  assert.match(cause.column as string, /^Float64Array\(1000000\) \[/);
  assert.is(cause.row, 5);
});

termination("a chain of causes that bites its own tail does so at the other end too", () => {
  const error = new Error("round");
  error.cause = error;
  const { cause } = tell(error);
  assert.instance(cause, Error);
  assert.is(cause.cause, cause);
});

termination("a long account is shortened: stacks first, the chain last; it never leaves its place", () => {
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

termination("who looks while the end is being written waits for it", () => {
  const { one, i32 } = terminations();
  one.decide(TIMED_OUT, { rank: -1, message: "too late" });
  i32[0] = WRITING;
  // the writer is through when the reader looks at the clock for the third time
  let looks = 0;
  const reader = new Termination(i32, new Uint8Array(i32.buffer), 0, undefined, () => {
    if (++looks === 3) i32[0] = TIMED_OUT;
    return 0;
  });
  assert.is(reader.error().message, "too late [ERR_TUNDISH_TIMEOUT]");
});

termination("who ends it is killed while writing: the others still get an error, soon", () => {
  const { one, i32 } = terminations();
  i32[0] = WRITING;
  const started = performance.now();
  assert.is(one.decided, true);
  assert.is(one.error().code, "ERR_TUNDISH_WORLD_CLOSED");
  assert.ok(performance.now() - started < 30_000);
});

termination.run();
