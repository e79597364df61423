/**
 * Every illegal call in every state: it throws what the contract says, or is harmless, and the session goes on
 * as if it had not been made. Written once, for threads and virtual PEs.
 */
import * as assert from "uvu/assert";
import { bytes, f64, struct, u8, u32, u64 } from "../../../../src/ground/item/item-type.ts";
import { DONE, type Status } from "../../../../src/links/status/state.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import type { Play, Seat } from "./seats.ts";

/** What calls must come to: a value, or the code of the error, without its beginning. */
export type Table = Readonly<Record<string, readonly [call: () => unknown, result: unknown]>>;

/** What calls a conveyor admits. */
interface Called {
  readonly state: string;
  readonly rank: number;
  readonly size: number;
  pull(): boolean;
  unpull?(): boolean;
  begin(): Play;
  advance(done?: boolean): Play<Status>;
  reset(): Play;
  free(): void;
}

/** Runs what should end, or throw, in its first turn. */
function first(play: Play<unknown>): unknown {
  const { done, value } = play.next();
  // a virtual PE's advance ends its turn before it returns
  return done ? value : play.next().value;
}

function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error).replace("ERR_TUNDISH_", "");
  }
}

function check(c: Called, table: Table, where: string): void {
  for (const [name, [call, result]] of Object.entries(table)) {
    const before = c.state;
    assert.is(outcome(call), result, `${name} when ${where}`);
    assert.is(c.state, before, `${name} when ${where}: the state`);
  }
}

/**
 * A begin or a reset, with a look in the middle of it: there no call is admitted. A thread's is over in one turn.
 * @param name of the call
 */
function* midway(play: Play, c: Called, name: "begin" | "reset", illegal: Table): Play {
  let looks = 0;
  let turns = 0;
  for (; !play.next().done; turns++) {
    if (c.state === name && looks++ === 0) check(c, illegal, `${name} is under way`);
    yield;
  }
  assert.ok(turns < 2 || looks > 0, `${name} was never seen`);
  assert.is(c.state, name === "begin" ? "working" : "dormant");
}

/** The calls that no state admits, whatever the items are. */
export const wrong = (push: (dest: never, ...values: never[]) => boolean, values: readonly unknown[]): Table => {
  const to = (dest: unknown) => () => push(dest as never, ...(values as never[]));
  return Object.fromEntries(
    [-1, 2 ** 32, 0.5, Number.NaN, "0", undefined, null, {}, 1e99].map((dest) => [
      `push to ${String(dest)}`,
      [to(dest), "RANGE"] as const,
    ]),
  );
};

/** One session of a conveyor with illegal calls wherever there can be any. */
export function* walk(
  c: Called,
  push: () => boolean,
  same: () => boolean,
  working: Table,
  extra: (state: string) => Table = () => ({}),
): Play {
  const calls = {
    begin: () => first(c.begin()),
    push,
    pull: () => c.pull(),
    unpull: () => c.unpull?.(),
    advance: () => first(c.advance()),
    "advance(true)": () => first(c.advance(true)),
    reset: () => first(c.reset()),
    free: () => c.free(),
  };
  const table = (results: Partial<Record<keyof typeof calls, unknown>>): Table =>
    Object.fromEntries(
      Object.entries(results)
        .filter(([name]) => name !== "unpull" || c.unpull !== undefined)
        .map(([name, result]) => [name, [calls[name as keyof typeof calls], result] as const]),
    );
  const dormant = table({
    push: "STATE",
    pull: "STATE",
    unpull: "STATE",
    advance: "STATE",
    "advance(true)": "STATE",
    reset: undefined,
  });
  const illegal = table({ begin: "STATE", reset: "STATE", free: "STATE" });
  const none = { ...dormant, ...illegal };
  check(c, { ...dormant, ...extra("dormant") }, "dormant");
  yield* midway(c.begin(), c, "begin", none);
  const all = { ...illegal, ...working };
  check(c, { ...all, unpull: [calls.unpull, c.unpull === undefined ? undefined : false] }, "working");
  let sent = 0;
  let come = 0;
  let status: Status = 1;
  const seen = new Set<string>();
  while (status !== DONE) {
    if (sent < 20) for (; sent < 20 && push(); sent++) check(c, all, "working");
    else check(c, { ...illegal, ...table({ push: "STATE" }), ...extra(c.state) }, c.state);
    while (c.pull()) {
      assert.ok(same(), `item ${come}`);
      if (c.unpull?.()) {
        check(c, illegal, c.state);
        assert.is(c.pull(), true);
        assert.ok(same(), `item ${come} once more`);
      }
      come++;
    }
    status = yield* c.advance(sent === 20);
    seen.add(c.state);
  }
  assert.is(come, 20);
  // once done, done it stays
  const complete = table({
    begin: "STATE",
    push: "STATE",
    pull: false,
    unpull: false,
    advance: DONE,
    "advance(true)": DONE,
  });
  check(c, { ...complete, ...extra("complete") }, "complete");
  yield* midway(c.reset(), c, "reset", none);
  check(c, { ...dormant, ...extra("dormant") }, "dormant again");
}

const item = struct({ a: u32, b: struct({ c: u64, d: bytes(3) }), e: u8 });

export function* rigidStates(pe: Seat, options: ConveyorOptions): Play {
  const c = pe.conveyor(item, options);
  const next = (c.rank + 1) % c.size;
  const inner = { c: 7n, d: Uint8Array.of(1, 2, 3) };
  const refused = {
    "no values": [next],
    "too few": [next, 1, inner],
    "too many": [next, 1, inner, 2, 3],
    "a string": [next, "1", inner, 2],
    "a bigint for a number": [next, 1n, inner, 2],
    "a number for a bigint": [next, 1, { ...inner, c: 7 }, 2],
    "null for a struct": [next, 1, null, 2],
    "no struct": [next, 1, 5, 2],
    "bytes too long": [next, 1, { ...inner, d: new Uint8Array(4) }, 2],
    "an array for bytes": [next, 1, { ...inner, d: [1, 2, 3] }, 2],
    "a field missing": [next, 1, { c: 7n }, 2],
  };
  const misfits: Table = Object.fromEntries(
    Object.entries(refused).map(([name, values]) => [
      `push ${name}`,
      [() => (c.push as (...values: unknown[]) => boolean)(...values), "USAGE"] as const,
    ]),
  );
  const working = {
    ...wrong(c.push.bind(c) as never, [1, inner, 2]),
    ...misfits,
    "push past the last": [() => c.push(c.size, 1, inner, 2), "RANGE"],
  } as Table;
  const same = () => {
    const { a, b, e } = c.item;
    return a === 1 && b.c === 7n && String(b.d) === "1,2,3" && e === 2;
  };
  yield* walk(
    c,
    () => c.push(next, 1, inner, 2),
    same,
    working,
    (state) =>
      state === "dormant" ? { "begin with no type": [() => first(c.begin({ bytes: 8 } as never)), "USAGE"] } : {},
  );
  // items that do not fit: begin is refused, and all is as it was, at all PEs
  const tooLarge = bytes(100_000);
  for (let i = 0; i < 2; i++) check(c, { begin: [() => first(c.begin(tooLarge)), "OFLO"] }, "dormant");
  yield* walk(c, () => c.push(next, 1, inner, 2), same, working);
  c.free();
  freed(c, () => c.push(next, 1, inner, 2));
  yield* rigidBytes(pe, options);
}

/** Bytes of a length of their own have an error of their own. */
function* rigidBytes(pe: Seat, options: ConveyorOptions): Play {
  const c = pe.conveyor(bytes(5), options);
  yield* c.begin();
  check(
    c,
    {
      "push of 4 bytes": [() => c.push(0, new Uint8Array(4)), "RIGID"],
      "push of 6 bytes": [() => c.push(0, new Uint8Array(6)), "RIGID"],
      "push of floats": [() => c.push(0, new Float32Array(5) as never), "USAGE"],
    },
    "working",
  );
  while ((yield* c.advance(true)) !== DONE) assert.is(c.pull(), false);
  c.free();
}

/** After free nothing is admitted any more; freed twice is freed once. */
export function freed(c: Called, push: () => boolean): void {
  const table: Table = {
    begin: [() => first(c.begin()), "STATE"],
    push: [push, "STATE"],
    pull: [() => c.pull(), "STATE"],
    unpull: [() => c.unpull?.(), c.unpull === undefined ? undefined : "STATE"],
    advance: [() => first(c.advance(true)), "STATE"],
    reset: [() => first(c.reset()), "STATE"],
    free: [() => c.free(), undefined],
  };
  check(c, table, "freed");
}

export function* elasticStates(pe: Seat, options: ConveyorOptions): Play {
  const c = pe.elasticConveyor(options);
  const next = (c.rank + 1) % c.size;
  // larger than a buffer, so that oversized items are put back and looked at again too
  const sent = new Uint8Array((options.bufferBytes ?? 16384) + 100).fill(c.rank);
  const previous = (c.rank + c.size - 1) % c.size;
  const same = () =>
    c.from === previous && c.bytes.length === sent.length && c.bytes.every((byte) => byte === previous);
  const working = {
    ...wrong(c.push.bind(c) as never, [sent]),
    "push past the last": [() => c.push(c.size, sent), "RANGE"],
    "push of a string": [() => c.push(0, "x" as never), "USAGE"],
    "push of nothing": [() => (c.push as (dest: number) => boolean).call(c, 0), "USAGE"],
    "push of a buffer": [() => c.push(0, new ArrayBuffer(3) as never), "USAGE"],
  } as Table;
  yield* walk(c, () => c.push(next, sent), same, working);
  yield* misfit(c, next);
  c.free();
  freed(c, () => c.push(next, sent));
}

/** An item of another length than was asked for stays where it is. */
function* misfit(c: ReturnType<Seat["elasticConveyor"]>, next: number): Play {
  yield* c.begin();
  const lengths = [0, 3, 1000, 8];
  let sent = 0;
  let come = 0;
  let status: Status = 1;
  while (status !== DONE) {
    while (sent < 4 && c.push(next, new Uint8Array(lengths[sent]).fill(sent))) sent++;
    for (;;) {
      const code = outcome(() => c.pull(lengths[come] + 1));
      if (code === false) break;
      assert.is(code, "MISFIT");
      assert.is(
        outcome(() => c.pull(Number.NaN)),
        "MISFIT",
      );
      assert.is(c.unpull(), false, "nothing was pulled");
      assert.is(c.pull(lengths[come]), true);
      assert.ok(c.bytes.length === lengths[come] && c.bytes.every((byte) => byte === come));
      assert.is(c.unpull(), true);
      assert.is(c.unpull(), false, "only the last one");
      assert.is(c.pull(), true);
      come++;
    }
    status = yield* c.advance(sent === 4);
  }
  assert.is(come, 4);
  yield* c.reset();
}

export function* biStates(pe: Seat, options: ConveyorOptions): Play {
  const within: unknown[] = [];
  const c = pe.biconveyor(
    struct({ x: u32, y: f64 }),
    f64,
    ({ x, y }) => {
      // an answer may not call what it belongs to
      if (within.length === 0) {
        const calls = [
          () => c.push(0, 1, 2),
          () => c.pull(),
          () => first(c.advance()),
          () => first(c.begin()),
          () => first(c.reset()),
          () => c.free(),
        ];
        within.push(...calls.map(outcome));
      }
      return x + y;
    },
    options,
  );
  const next = (c.rank + 1) % c.size;
  const working = {
    ...wrong(c.push.bind(c) as never, [3, 0.5]),
    "push past the last": [() => c.push(c.size, 3, 0.5), "RANGE"],
    "push too few": [() => (c.push as (...values: unknown[]) => boolean)(next, 3), "USAGE"],
    "push another type": [() => (c.push as (...values: unknown[]) => boolean)(next, "3", 1), "USAGE"],
  } as Table;
  yield* walk(
    c,
    () => c.push(next, 3, 0.5),
    () => c.item === 3.5,
    working,
  );
  assert.equal(within, new Array(6).fill("STATE"));
  c.free();
  freed(c, () => c.push(next, 3, 0.5));
  yield* fullWindow(pe, options);
  yield* badAnswers(pe, options);
  yield* largeReplies(pe, options);
}

/** Where no query has room, a wrong call is wrong all the same. */
function* fullWindow(pe: Seat, options: ConveyorOptions): Play {
  // a trivial one has no room for two anyway
  if (options.type === "trivial") return;
  const c = pe.biconveyor(u32, u32, (x) => x, { ...options, window: 2, lossy: true });
  yield* c.begin();
  assert.equal([c.push(0, 1), c.push(0, 2), c.push(0, 3)], [true, true, false]);
  yield* c.advance(true);
  assert.is(
    outcome(() => c.push(0, 3)),
    "STATE",
  );
  const come: number[] = [];
  do while (c.pull()) come.push(c.item);
  while ((yield* c.advance(true)) !== DONE);
  assert.equal(come, [1, 2]);
  c.free();
}

/** An answer that throws, or is none, is told to whoever called advance, and asked for again. */
function* badAnswers(pe: Seat, options: ConveyorOptions): Play {
  const elastic = pe.elasticBiconveyor(
    (query, from) => {
      if (turn++ === 0) throw new RangeError("not now");
      if (turn === 2) return 5 as never;
      return Uint8Array.of(query[0], from);
    },
    options.type === "trivial" ? {} : options,
  );
  const rigid = pe.biconveyor(
    u32,
    f64,
    (query) => {
      if (turn++ === 0) throw new RangeError("not now");
      return turn === 2 ? ("five" as never) : query;
    },
    options,
  );
  let turn = 0;
  for (const c of [elastic, rigid]) {
    turn = 0;
    const errors: unknown[] = [];
    yield* c.begin();
    const next = (c.rank + 1) % c.size;
    const bi = c as typeof elastic | typeof rigid;
    let sent = 0;
    let come = 0;
    let status: Status = 1;
    while (status !== DONE) {
      while (sent < 3 && (bi === elastic ? elastic.push(next, Uint8Array.of(sent)) : rigid.push(next, sent))) {
        sent++;
      }
      while (bi.pull()) {
        if (bi === elastic) assert.equal(Array.from(elastic.bytes), [come, c.rank]);
        else assert.is(rigid.item, come);
        come++;
      }
      try {
        status = yield* bi.advance(sent === 3);
      } catch (error) {
        errors.push((error as { code?: string }).code ?? (error as Error).name);
        yield* pe.turn();
      }
    }
    assert.is(come, 3);
    assert.equal(errors, ["RangeError", "ERR_TUNDISH_USAGE"]);
    yield* c.reset();
    c.free();
  }
}

/** Replies that do not fit a buffer: begin is refused, and nothing has begun. */
function* largeReplies(pe: Seat, options: ConveyorOptions): Play {
  if (options.type === "trivial") return;
  const c = pe.biconveyor(u8, bytes(1000), () => new Uint8Array(1000), { ...options, bufferBytes: 256 });
  for (let i = 0; i < 2; i++) check(c, { begin: [() => first(c.begin()), "OFLO"] }, "dormant");
  check(c, { push: [() => c.push(0, 1), "STATE"], free: [() => c.free(), undefined] }, "dormant");
  yield* pe.turn();
}

/** Freed as soon as it is complete, without reset. */
export function* freeWhenComplete(pe: Seat, options: ConveyorOptions): Play {
  for (let i = 0; i < 3; i++) {
    const c = pe.conveyor(u32, options);
    yield* c.begin();
    while ((yield* c.advance(true)) !== DONE) c.pull();
    const { begins, votes } = c.stats();
    c.free();
    assert.equal([c.stats().begins, c.stats().votes], [begins, votes]);
    freed(c, () => c.push(0, 1));
  }
}
