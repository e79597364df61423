/** Calls, and other sessions that end by quiescence, on real PEs and on virtual ones; and what goes wrong in them. */

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import {
  type Calls,
  type CallsOptions,
  calls as callsOf,
  conveyor,
  elasticConveyor,
  selector as selectorOf,
} from "../../../src/conveyor.ts";
import { bytes, f64, type Group, type PE, type Spmd, spmd, struct, u8, u32 } from "../../../src/index.ts";
import { playInTurn } from "../../support/in-turn.ts";
import { mix } from "../conveyor/support/payloads.ts";

export type Part =
  | "tree"
  | "typed"
  | "serialized"
  | "order"
  | "sessions"
  | "silent"
  | "grouped"
  | "pressure"
  | "blocking"
  | "refused"
  | "throwing"
  | "throwingSource"
  | "promised"
  | "differ"
  | "endless"
  | "aborted"
  | "leaving"
  | "late";

export interface Args {
  readonly part: Part;
  readonly options?: CallsOptions;
  readonly levels?: number;
}

/** The code that an act throws. */
function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as { code?: string }).code?.replace("ERR_TUNDISH_", "") ?? String(error);
  }
  return "nothing";
}

const TINY = { bufferBytes: 64 };

/** A tree of calls: each node has two children at PEs that its number gives; how many there were of all, and how many should be. */
async function tree(pe: Group, { levels = 9, options }: Args): Promise<string> {
  let count = 0;
  let sum = 0;
  using calls = callsOf(
    pe,
    {
      grow: {
        args: struct({ node: u32, left: u8 }),
        run(node: number, left: number) {
          count++;
          sum = (sum + mix(node)) >>> 0;
          if (left === 0) return;
          for (const child of [2 * node, 2 * node + 1]) {
            calls.async(mix(child) % pe.size, child % 3 === 0 ? "other" : "grow", child, left - 1);
          }
        },
      },
      other(node: number, left: number) {
        calls.async(mix(node, 1) % pe.size, "grow", node, left);
      },
    },
    { ...TINY, ...options },
  );
  await calls.runAsync((call) => (pe.rank === 0 ? call(pe.size - 1, "grow", 1, levels) : undefined));
  const [all, checks] = await pe.allreduceAsync(Float64Array.of(count, sum), "sum");
  let expected = 0;
  const nodes = 2 ** (levels + 1) - 1;
  for (let node = 1; node <= nodes; node++) expected = (expected + mix(node)) >>> 0;
  return `${all === nodes} ${checks % 2 ** 32 === expected}`;
}

/** Typed arguments of every kind: what is wrong. */
async function typed(pe: PE): Promise<number> {
  const inner = struct({ x: f64, y: u8 });
  let wrong = 0;
  let count = 0;
  const calls = callsOf(
    pe,
    {
      all: {
        args: struct({ a: u8, of: inner, text: bytes(5), n: f64 }),
        run(a: number, of: { x: number; y: number }, text: Uint8Array, n: number) {
          count++;
          const isRight = a === 7 && of.x === 0.5 && of.y === calls.from && text[4] === a && n === -1.25;
          if (!isRight) wrong++;
        },
      },
      one: {
        args: bytes(3),
        run(text: Uint8Array) {
          count++;
          if (text.join("") !== `12${calls.from}`) wrong++;
        },
      },
    },
    TINY,
  );
  await calls.runAsync(async (call) => {
    for (let dest = 0; dest < pe.size; dest++) {
      await call(dest, "all", 7, { x: 0.5, y: pe.rank }, Uint8Array.of(1, 2, 3, 4, 7), -1.25);
      await call(dest, "one", Uint8Array.of(1, 2, pe.rank));
    }
  });
  const { pushes, pulls } = calls.stats();
  calls.free();
  return wrong + Math.abs(count - 2 * pe.size) + Math.abs(pushes - pulls);
}

/** Arguments that are serialized, some larger than a buffer, which wait. */
async function serialized(pe: PE): Promise<number> {
  let wrong = 0;
  const got = new Set<string>();
  const calls = callsOf(
    pe,
    {
      take(text: string, map: Map<string, Date>, list: Float64Array, nothing: undefined) {
        if (map.get(text)?.getTime() !== 5 || list.length !== 30 || list[29] !== 29) wrong++;
        if (nothing !== undefined) wrong++;
        got.add(`${calls.from} ${text}`);
        if (text.length < 4) for (let i = 0; i < 2; i++) give(text + i);
      },
      none() {
        got.add("none");
      },
    },
    TINY,
  );
  const list = Float64Array.from({ length: 30 }, (_, i) => i);
  const give = (text: string) =>
    calls.async(mix(text.length) % pe.size, "take", text, new Map([[text, new Date(5)]]), list, undefined);
  await calls.runAsync(async (call) => {
    await call((pe.rank + 1) % pe.size, "none");
    await call(0, "take", "a", new Map([["a", new Date(5)]]), list, undefined);
  });
  calls.free();
  if (!got.has("none")) wrong++;
  const all = await pe.allreduceAsync(got.size, "sum");
  // of each PE: "a" from itself; of the others, whoever has handled their parents
  return wrong + (all >= pe.size + 15 ? 0 : 1);
}

/** From one PE to another calls are handled in the order in which they were made, whatever the handlers: how many are not. */
async function order(pe: PE): Promise<number> {
  let wrong = 0;
  const next = new Uint32Array(pe.size);
  const check = (number: number) => {
    if (number !== next[calls.from]++) wrong++;
  };
  const calls = callsOf(
    pe,
    { typed: { args: u32, run: (number: number) => check(number) }, any: (number: number) => check(number) },
    TINY,
  );
  await calls.runAsync(async (call) => {
    for (let i = 0; i < 300; i++) {
      for (let dest = 0; dest < pe.size; dest++) await call(dest, i % 7 < 3 ? "typed" : "any", i);
    }
  });
  calls.free();
  return wrong + next.filter((count) => count !== 300).length;
}

/** Several sessions of one table, the source of one of them absent, and one that waits meanwhile. */
async function sessions(pe: PE): Promise<string> {
  using calls = callsOf(pe, { ping: { args: u32, run: (left: number): void => ping(left) } }, TINY);
  let count = 0;
  function ping(left: number): void {
    count++;
    if (left > 0) calls.async((pe.rank + 1) % pe.size, "ping", left - 1);
  }
  const told: number[] = [];
  for (let session = 0; session < 4; session++) {
    count = 0;
    if (session === 1) await calls.runAsync();
    else {
      await calls.runAsync(async (call) => {
        if (pe.rank === session % pe.size) await Promise.resolve();
        if (pe.rank === 0) await call(0, "ping", 4 * pe.size - 1);
      });
    }
    told.push(count);
  }
  return told.join(" ");
}

/** Each answers each call with more than there is room for: whether all came, and whether some had to wait. */
function pressure(pe: PE, { levels = 6 }: Args): string {
  let count = 0;
  const calls = callsOf(
    pe,
    {
      more: {
        args: u8,
        run(left: number) {
          count++;
          for (let i = 0; left > 0 && i < 4; i++) calls.async((pe.rank + i) % pe.size, "more", left - 1);
        },
      },
    },
    { bufferBytes: 64, buffersPerLink: 1 },
  );
  calls.run((call) => call((pe.rank + 1) % pe.size, "more", levels));
  const { held } = calls.stats();
  calls.free();
  const all = pe.allreduce(count, "sum");
  return `${all === (pe.size * (4 ** (levels + 1) - 1)) / 3} ${pe.allreduce(held, "max") > 0}`;
}

/** Blocking forms: calls, and runs of conveyors. */
function blocking(pe: PE): string {
  let seen = 0;
  const c = conveyor(pe, struct({ node: u32, left: u8 }), { ...TINY, steady: true });
  c.run(
    (send, turn) => {
      if (pe.rank === 0) send(0, 1, 8);
      turn();
    },
    ({ node, left }, _from, send) => {
      seen++;
      if (left === 0) return;
      for (const child of [2 * node, 2 * node + 1]) send(mix(child) % pe.size, child, left - 1);
    },
    { ends: "quiescence" },
  );
  const { votes } = c.stats();
  // the same conveyor with an end of the other kind
  c.run(
    (push) => push(0, pe.rank, 1),
    () => {
      seen++;
    },
  );
  c.free();
  let bytesSeen = 0;
  const e = elasticConveyor(pe, { ...TINY, steady: true });
  e.run(
    (send) => {
      if (pe.rank === 0) send(pe.size - 1, Uint8Array.of(6));
    },
    (bytes, _from, send) => {
      bytesSeen += bytes.length;
      for (let i = 0; i < 2 && (bytes[0] as number) > 0; i++) {
        const next = new Uint8Array(bytes.length + 20).fill((bytes[0] as number) - 1);
        send((pe.rank + i) % pe.size, next);
      }
    },
    { ends: "quiescence" },
  );
  e.free();
  let expected = 0;
  for (let level = 0; level <= 6; level++) expected += 2 ** level * (1 + 20 * level);
  const all = pe.allreduce(seen, "sum");
  return `${all === 511 + pe.size} ${pe.allreduce(bytesSeen, "sum") === expected} ${votes >= 2}`;
}

function refused(pe: PE): string[] {
  const told: string[] = [];
  const tell = (act: () => unknown) => {
    try {
      act();
      told.push("nothing");
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      told.push(`${code} ${message}`);
    }
  };
  const make = (handlers: unknown, options?: unknown) => () => callsOf(pe, handlers as never, options as never);
  tell(make({}));
  tell(make(undefined));
  tell(make({ a: 5 }));
  tell(make({ async a() {} }));
  tell(make({ a: { args: 5, run() {} } }));
  tell(make({ a: { args: u32 } }));
  tell(make(Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`h${i}`, () => {}]))));
  tell(make({ a() {} }, { type: "simple" }));
  tell(make({ a() {} }, { steady: false }));
  tell(make({ a() {} }, { hop: 2 }));
  const calls = callsOf(pe, { a(_x: unknown) {}, b: { args: u32, run(_x: number) {} } });
  tell(() => calls.async(0, "a", 1));
  tell(() => calls.run(5 as never));
  tell(() => calls.run((async () => {}) as never));
  calls.run((call, turn) => {
    tell(() => call(pe.size, "a", 1));
    tell(() => call(0, "c" as "a", 1));
    tell(() => call(0, "a", () => {}));
    const throwing = {
      get x() {
        throw new TypeError("own");
      },
    };
    tell(() => call(0, "a", throwing));
    tell(() => call(0, "b", "x" as never));
    tell(() => (call as (...args: unknown[]) => void)(0, "b"));
    tell(() => calls.free());
    tell(() => calls.run());
    turn();
  });
  calls.free();
  const selector = (options: unknown) => () => selectorOf(pe, { m: u32 }, options as never);
  tell(selector({ ends: "quiescence", after: {} }));
  tell(selector({ ends: "quiescence", type: "simple" }));
  tell(selector({ ends: "never" }));
  const s = selectorOf(pe, { m: u32 }, { ends: "quiescence" });
  tell(() => s.done("m"));
  tell(() => s.send.m(0, 1));
  s.free();
  const c = conveyor(pe, u32);
  const quiet = { ends: "quiescence" } as const;
  tell(() =>
    c.run(
      () => {},
      () => {},
      quiet,
    ),
  );
  tell(() => c.run(() => {}, { table: new Uint32Array(1), op: "count" } as never, quiet));
  tell(() =>
    c.run(
      () => {},
      () => {},
      { ends: "late" } as never,
    ),
  );
  c.free();
  const simple = conveyor(pe, u32, { type: "simple", steady: true });
  tell(() =>
    simple.run(
      () => {},
      () => {},
      quiet,
    ),
  );
  simple.free();
  return told;
}

/** What ends a session before its time, at every PE. */
async function ending(pe: PE, { part }: Args): Promise<unknown> {
  const controller = new AbortController();
  const options = {
    ...(part === "endless" ? { timeout: 300 } : {}),
    ...(part === "aborted" && pe.rank === 0 ? { signal: controller.signal } : {}),
  };
  let count = 0;
  const handlers = {
    go: {
      args: u32,
      run(_: number): undefined {
        count++;
        if (part === "throwing" && pe.rank === 0 && count === 50) throw new TypeError("fifty");
        if (part === "promised" && count === 50) return Promise.resolve() as never;
        if (part === "aborted" && pe.rank === 0 && count === 50) controller.abort("enough");
        if (part === "leaving" && pe.rank === 1 && count === 50) process.exit(7);
        if (part !== "late") calls.async((pe.rank + 1) % pe.size, "go", 1);
        return undefined;
      },
    },
  };
  const calls: Calls<typeof handlers> = callsOf(
    pe,
    part === "differ" && pe.rank === 1 ? ({ stop: handlers.go } as never as typeof handlers) : handlers,
    options,
  );
  if (part === "late") {
    const late = calls.runAsync(() => {});
    let code = "nothing";
    // what comes before the conveyor has noticed that the source has returned counts as the source's
    for (; code === "nothing"; await turnOfTheLoop()) code = codeOf(() => calls.async(0, "go", 1));
    await late;
    return code;
  }
  calls.run(() => {
    if (part !== "differ") calls.async(pe.rank, "go", 1);
    if (part === "throwingSource" && pe.rank === 1) throw new TypeError("no source");
  });
  return count;
}

function main(pe: PE, args: Args): unknown {
  switch (args.part) {
    case "tree":
      return tree(pe, args);
    case "grouped": {
      const others = Array.from({ length: pe.size }, (_, rank) => rank).filter((rank) => rank > 0);
      const group = pe.group(pe.rank === 0 ? [0] : others);
      return tree(group, args);
    }
    case "typed":
      return typed(pe);
    case "serialized":
      return serialized(pe);
    case "order":
      return order(pe);
    case "sessions":
      return sessions(pe);
    case "silent": {
      using calls = callsOf(pe, { nobody() {} });
      return calls.runAsync().then(() => calls.stats().votes);
    }
    case "pressure":
      return pressure(pe, args);
    case "blocking":
      return blocking(pe);
    case "refused":
      return refused(pe);
    default:
      return ending(pe, args);
  }
}

const program: Spmd = spmd((pe: PE, args: Args | readonly Args[]) => playInTurn(args, (step: Args) => main(pe, step)));
export default program;
