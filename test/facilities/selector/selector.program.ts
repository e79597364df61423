/** Selectors on real PEs, and what goes wrong in them. */

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { type ConveyorOptions, selector } from "../../../src/conveyor.ts";
import { bytes, f64, type Group, i64, type PE, type Spmd, spmd, struct, u8, u32 } from "../../../src/index.ts";
import { playInTurn } from "../../support/in-turn.ts";
import { mix } from "../conveyor/support/payloads.ts";

export type Part =
  | "ping"
  | "pingAsync"
  | "pingInGroups"
  | "chain"
  | "parents"
  | "independent"
  | "triangles"
  | "recursive"
  | "pressure"
  | "sessions"
  | "silent"
  | "doneEarly"
  | "doneLate"
  | "refused"
  | "caught"
  | "throwingHandler"
  | "throwingSource"
  | "waitingHandler"
  | "asyncSource"
  | "sendOfSource"
  | "differ"
  | "endless"
  | "aborted"
  | "stuck"
  | "slow"
  | "unending";

export interface Args {
  readonly part: Part;
  readonly items?: number;
  readonly options?: ConveyorOptions;
}

const TINY = { bufferBytes: 64 };

/** The code that an act throws. */
function codeOf(act: () => void): string {
  try {
    act();
  } catch (error) {
    return (error as { code: string }).code.replace("ERR_TUNDISH_", "");
  }
  return "nothing";
}

/** Each asks everybody, and is answered: how much is wrong. */
function ping(pe: Group, { items = 1000, options }: Args): number {
  const s = selector(pe, { ask: u32, reply: struct({ index: u32, value: f64 }) }, { ...TINY, ...options });
  const got = new Uint8Array(items);
  let asked = 0;
  let wrong = 0;
  s.run(
    (send) => {
      for (let i = 0; i < items; i++) send.ask(i % pe.size, i);
    },
    {
      ask(index, from) {
        asked++;
        s.send.reply(from, index, index / 2 + pe.rank);
      },
      reply({ index, value }, from) {
        got[index]++;
        if (from !== index % pe.size || value !== index / 2 + from) wrong++;
      },
    },
  );
  const { ask, reply } = s.stats();
  if (ask.pushes !== items || reply.pulls !== items) wrong++;
  s.free();
  return wrong + got.filter((count) => count !== 1).length + pe.allreduce(asked, "sum") - items * pe.size;
}

/** In two groups at the same time, one of one PE. */
function pingInGroups(pe: PE, args: Args): number {
  const ranks = Array.from({ length: pe.size - 1 }, (_, rank) => rank + 1);
  using group = pe.group(pe.rank === 0 ? [0] : ranks);
  return ping(group, args);
}

async function pingAsync(pe: PE, { items = 600 }: Args): Promise<number> {
  using s = selector(pe, { ask: u32, reply: u32 }, TINY);
  let replies = 0;
  let turns = 0;
  for (let session = 0; session < 2; session++) {
    await s.runAsync(
      async (send) => {
        for (let i = 0; i < items; i++) {
          await send.ask((pe.rank + i) % pe.size, i);
          if (i % 500 === 0) await turnOfTheLoop(turns++);
        }
      },
      {
        // a send that finds no room in a handler is kept, also one of the source's kind
        ask: (index, from) => s.send.reply(from, index + 1),
        reply: (index) => {
          replies += index;
        },
      },
    );
  }
  return replies - items * (items + 1);
}

/** What is sent goes through three mailboxes: sums of what comes out, and whether all were complete in order. */
function chain(pe: PE, { items = 1000 }: Args): number {
  const s = selector(pe, { first: u32, second: u32, third: u32 }, TINY);
  const counts = [0, 0, 0];
  let sum = 0;
  const next = () => (pe.rank + 1) % pe.size;
  s.run(
    (send) => {
      for (let i = 0; i < items; i++) send.first(i % pe.size, i);
    },
    {
      first(i) {
        counts[0]++;
        s.send.second(next(), i);
      },
      second(i) {
        counts[1]++;
        for (let k = 0; k < 3; k++) s.send.third(next(), i);
      },
      third(i) {
        counts[2]++;
        sum += i;
      },
    },
  );
  const all = counts.map((count) => pe.allreduce(count, "sum") / pe.size);
  const wanted = (3 * items * (items - 1)) / 2;
  return (
    Math.abs(all[0] - items) +
    Math.abs(all[1] - items) +
    Math.abs(all[2] - 3 * items) +
    pe.allreduce(sum, "sum") / pe.size -
    wanted
  );
}

/** One mailbox is fed by two; a third comes after nothing, and gets nothing. */
function parents(pe: PE, { items = 1000 }: Args): number {
  const s = selector(pe, { sum: f64, left: u32, right: u32, none: u8 }, { ...TINY, after: { sum: ["left", "right"] } });
  let sum = 0;
  s.run(
    (send) => {
      for (let i = 0; i < items; i++) {
        send.left((i + 1) % pe.size, i);
        // only some PEs send to the other one
        if (pe.rank === 0) send.right((i + 2) % pe.size, i);
      }
    },
    {
      sum(value) {
        sum += value;
      },
      left: (i) => s.send.sum(i % pe.size, i),
      right: (i) => s.send.sum((i + 3) % pe.size, -i / 2),
      none: () => {
        throw new Error("nothing was sent here");
      },
    },
  );
  return pe.allreduce(sum, "sum") - (pe.size - 1 / 2) * ((items * (items - 1)) / 2);
}

/** No order at all: the source waits until all that can come here has. */
function independent(pe: PE, { items = 200 }: Args): number {
  const s = selector(pe, { there: u32, back: u32 }, { ...TINY, after: {} });
  let back = 0;
  let there = 0;
  s.run(
    (send, turn) => {
      for (let i = 0; i < items; i++) send.there(i % pe.size, 3);
      // a PE answers as many as it is asked, as items are dealt out evenly
      while (back < items || there < 4 * items) turn();
    },
    {
      there(life, from) {
        there++;
        s.send.back(from, life);
      },
      back(life, from) {
        if (life === 0) back++;
        else s.send.there(from, life - 1);
      },
    },
  );
  return pe.allreduce(back, "sum") - items * pe.size;
}

/** Triangles of a random graph whose vertices are spread over the PEs: beside those that a loop counts. */
function triangles(pe: PE, { items = 60 }: Args): number {
  const isEdge = (a: number, b: number) => mix(Math.min(a, b), Math.max(a, b)) % 4 === 0;
  let serial = 0;
  for (let a = 0; a < items; a++) {
    for (let b = 0; b < a; b++) {
      for (let c = 0; c < b; c++) if (isEdge(a, b) && isEdge(b, c) && isEdge(a, c)) serial++;
    }
  }
  const s = selector(pe, { wedge: struct({ b: u32, c: u32 }), found: u32 }, TINY);
  let count = 0;
  s.run(
    (send) => {
      for (let a = pe.rank; a < items; a += pe.size) {
        for (let b = 0; b < a; b++) {
          if (!isEdge(a, b)) continue;
          for (let c = 0; c < b; c++) if (isEdge(a, c)) send.wedge(b % pe.size, b, c);
        }
      }
    },
    {
      wedge({ b, c }) {
        if (b % pe.size !== pe.rank) throw new Error(`vertex ${b} is not here`);
        if (isEdge(b, c)) s.send.found(0, 1);
      },
      found(one) {
        count += one;
      },
    },
  );
  return pe.broadcast(count) - serial;
}

/**
 * Items that make four others each, for six generations, in the tiniest of buffers: each is numbered by its sender, in the
 * order of the sends to its destination.
 */
function recursive(pe: PE): string {
  const generations = 6;
  const item = struct({ life: u8, number: u32, tag: bytes(3), inner: struct({ big: i64 }) });
  // two buffers: there is room again between two handlers of one turn, and nothing may overtake what is kept
  const s = selector(pe, { item, count: u32 }, { bufferBytes: 32, buffersPerLink: 2 });
  const sent = new Uint32Array(pe.size);
  const come = new Uint32Array(pe.size);
  const tag = new Uint8Array(3);
  const inner = { big: 0n };
  let left = pe.rank === 0 ? 1 : 0;
  let depth = 0;
  for (let size = 1, life = 0; life < generations; life++, size *= 4) left += (size * 4) / pe.size;
  const spread = (life: number) => {
    for (let k = 0; k < 4; k++) {
      const dest = k % pe.size;
      // what is passed is the sender's again at once
      tag.fill(life);
      inner.big = BigInt(sent[dest]);
      s.send.item(dest, life, sent[dest]++, tag, inner);
      tag.fill(255);
      inner.big = -1n;
    }
  };
  s.run(
    (send, turn) => {
      // the first goes by itself: what the source sends while it waits for room is overtaken by what handlers send
      if (pe.rank === 0) send.item(0, generations, sent[0]++, tag.fill(generations), inner);
      while (left > 0) turn();
    },
    {
      item({ life, number, tag, inner }, from) {
        if (++depth > 1) throw new Error("a handler within a handler");
        if (number !== come[from]++) throw new Error(`${number} from ${from}, not ${come[from] - 1}`);
        if (inner.big !== BigInt(number) || tag.some((byte) => byte !== life)) throw new Error("not copied");
        left--;
        if (life > 0) spread(life - 1);
        s.send.count(pe.rank, 1);
        depth--;
      },
      count(one) {
        left -= one - 1;
      },
    },
  );
  const { item: stats, count } = s.stats();
  return `${left} ${stats.held > 0} ${count.pulls === stats.pulls} ${pe.allreduce(stats.pulls, "sum")}`;
}

/** What handlers send on takes as much memory as one call of one sends. */
function pressure(pe: PE, { items = 60, options }: Args): string {
  const s = selector(pe, { a: u32, b: u32, c: u32 }, { bufferBytes: 64, buffersPerLink: 1, ...options });
  let come = 0;
  s.run(
    (send) => {
      for (let i = 0; i < items; i++) send.a(0, i);
    },
    {
      a(i) {
        for (let k = 0; k < 50; k++) s.send.b(pe.size - 1, i);
      },
      b(i) {
        for (let k = 0; k < 2; k++) s.send.c(0, i);
      },
      c() {
        come++;
      },
    },
  );
  const { a, b, c } = s.stats();
  return `${a.held} ${b.held <= 50} ${c.held <= 2} ${pe.allreduce(come, "sum") - items * pe.size * 100}`;
}

/** One selector, many sessions, with other handlers each. */
function sessions(pe: PE): number {
  using s = selector(pe, { ask: u32, reply: u32 });
  let wrong = 0;
  for (let session = 0; session < 20; session++) {
    let sum = 0;
    s.run(
      (send) => {
        for (let i = 0; i < session; i++) send.ask(i % pe.size, i);
      },
      {
        ask: (i, from) => s.send.reply(from, i + session),
        reply: (value) => {
          sum += value;
        },
      },
    );
    wrong += Math.abs(sum - (session * (session - 1)) / 2 - session * session);
    if (codeOf(() => s.send.ask(0, 1)) !== "STATE") wrong++;
    if (codeOf(() => s.done("ask")) !== "STATE") wrong++;
  }
  if (s.stats().ask.cumulative.begins !== 20) wrong++;
  return wrong;
}

/** One PE sends nothing, and all goes to it; then nobody sends anything. */
function silent(pe: PE, { items = 1000 }: Args): number {
  const s = selector(pe, { ask: u32, reply: u32 });
  let replies = 0;
  const run = (count: number) =>
    s.run(
      (send) => {
        for (let i = 0; i < count; i++) send.ask(0, i);
      },
      {
        ask: (i, from) => s.send.reply(from, i),
        reply: () => {
          replies++;
        },
      },
    );
  run(pe.rank === 0 ? 0 : items);
  run(0);
  return replies - (pe.rank === 0 ? 0 : items);
}

/** A mailbox that is done by the program, in a handler and in the source. */
function doneEarly(pe: PE): string {
  const s = selector(pe, { a: u32, b: u32 }, TINY);
  const codes: string[] = [];
  s.run(
    (send, turn) => {
      // no room for all of them: what was accepted comes all the same
      for (let i = 0; i < 100; i++) send.a(pe.rank, i);
      s.done("a");
      s.done("a");
      codes.push(codeOf(() => send.a(0, 1)));
      send.b(pe.rank, 7);
      while (codes.length < 2) turn();
    },
    {
      a: () => {},
      b: () => {
        s.done("b");
        codes.push(codeOf(() => s.send.b(0, 1)));
      },
    },
  );
  return `${codes.join(" ")} ${s.stats().a.pulls}`;
}

/** A handler sends to a mailbox before its own, when the source has returned. */
function doneLate(pe: PE): void {
  const s = selector(pe, { a: u32, b: u32 });
  s.run((send) => send.a(0, 1), {
    a: () => s.send.b(0, 1),
    b: () => s.send.a(0, 1),
  });
}

/** What cannot be: codes and messages. */
function refused(pe: PE): string[] {
  const errors: string[] = [];
  const note = (act: () => unknown) => {
    try {
      act();
      errors.push("nothing");
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      errors.push(`${code} ${message}`);
    }
  };
  note(() => selector(pe, {}));
  note(() => selector(pe, null as never));
  note(() => selector(pe, { a: 5 as never }));
  note(() => selector(pe, { 1: u32 }));
  note(() => selector(pe, { a: u32 }, { after: { b: ["a"] } as never }));
  note(() => selector(pe, { a: u32 }, { after: { a: ["b" as never] } }));
  note(() => selector(pe, { a: u32 }, { after: { a: "a" as never } }));
  note(() => selector(pe, { a: u32 }, { after: { a: ["a"] } }));
  note(() =>
    selector(pe, { a: u32, b: u32, c: u32, d: u32 }, { after: { a: ["d"], b: ["a"], c: ["b"], d: ["c", "a"] } }),
  );
  note(() => selector(pe, { a: u32 }, { steady: false as never }));
  note(() => selector(pe, { a: u32 }, { hop: 1 } as never));
  note(() => selector(pe, { a: u32 }, { itemBytes: 8 }));
  note(() => selector(pe, { a: u32, b: u32, c: u32 }, { maxBytes: 1000 }));
  note(() => selector(pe, { a: u32 }, { type: "simple", hops: 3 }));
  const s = selector(pe, { a: u32, b: struct({ x: u32 }) });
  note(() => s.run(null as never, { a() {}, b() {} }));
  note(() => s.run(() => {}, { a() {} } as never));
  note(() => s.run(() => {}, { a() {}, b() {}, c() {} } as never));
  note(() => s.run(() => {}, { a() {}, b: (async () => {}) as never }));
  note(() => s.done("c" as never));
  s.run(
    (send) => {
      note(() => send.a(pe.size, 1));
      note(() => (send.a as (dest: number) => void)(0));
      note(() => send.b(0, "x" as never));
      note(() => s.free());
      note(() => s.run(() => {}, { a() {}, b() {} }));
      send.a(pe.rank, 1);
    },
    {
      a() {
        // also where it is kept, and not pushed
        const room = 20_000;
        for (let i = 0; i < room; i++) s.send.b(pe.rank, i);
        note(() => s.send.b(pe.size, 1));
        note(() => s.send.b(0, "x" as never));
        note(() => (s.send.b as (dest: number) => void)(0));
      },
      b() {},
    },
  );
  errors.push(String(s.stats().b.held > 0));
  return errors;
}

function throwing(pe: PE, where: "handler" | "source", isCaught = false): void {
  const s = selector(pe, { a: u32, b: u32 }, TINY);
  s.run(
    (send) => {
      if (where === "source" && pe.rank === pe.size - 1) throw new TypeError("no source");
      try {
        for (let i = 0; i < 10_000; i++) send.a(0, i);
      } catch (error) {
        if (!isCaught) throw error;
      }
    },
    {
      a: (i) => s.send.b(0, i),
      b: (i) => {
        if (i === 7 && where === "handler") throw new TypeError("seven");
      },
    },
  );
}

function waitingHandler(pe: PE): void {
  let kept = () => {};
  selector(pe, { a: u32 }).run(
    (send, turn) => {
      kept = turn;
      send.a(0, 1);
    },
    { a: () => kept() },
  );
}

function asyncSource(pe: PE): void {
  selector(pe, { a: u32 }).run((async () => {}) as never, { a() {} });
}

async function sendOfSource(pe: PE): Promise<void> {
  const s = selector(pe, { a: u32 }, TINY);
  await s.runAsync(
    async () => {
      for (let i = 0; i < 1000; i++) s.send.a(0, i);
    },
    { a() {} },
  );
}

function differ(pe: PE): void {
  selector(pe, { a: u32, b: u32 }, pe.rank === 0 ? {} : { after: {} });
}

function endless(pe: PE): void {
  const s = selector(pe, { a: u32, b: u32 }, { timeout: 300 });
  s.run(
    (_, turn) => {
      while (pe.rank === 0) turn();
    },
    { a() {}, b() {} },
  );
}

function aborted(pe: PE): void {
  const signal = pe.rank === 0 ? AbortSignal.abort("enough") : undefined;
  const s = selector(pe, { a: u32, b: u32 }, { signal });
  s.run(() => {}, { a() {}, b() {} });
}

/** A handler that never returns. */
function stuck(pe: PE): void {
  const s = selector(pe, { a: u32, b: struct({ x: u32 }) });
  s.run((send) => send.a(0, 1), {
    a: () => s.send.b(1, 1),
    b() {
      for (;;);
    },
  });
}

/** Something moves in one mailbox, and nothing in the others. */
function slow(pe: PE): string {
  const s = selector(pe, { a: u32, b: u32, c: u32 }, { after: { c: ["b"] } });
  const end = Date.now() + 1000;
  s.run(
    (send, turn) => {
      for (let i = 0; pe.rank === 0 && Date.now() < end; i++) {
        if (i % 10 === 0) send.b(1, i);
        turn();
      }
    },
    { a() {}, b() {}, c() {} },
  );
  return "over";
}

/** A source that never returns. */
function unending(pe: PE): void {
  selector(pe, { a: u32, b: u32, c: u32 }).run(
    (_, turn) => {
      while (pe.rank === 0) turn();
    },
    { a() {}, b() {}, c() {} },
  );
}

const parts: Readonly<Record<Part, (pe: PE, args: Args) => unknown>> = {
  ping,
  pingAsync,
  pingInGroups,
  chain,
  parents,
  independent,
  triangles,
  recursive,
  pressure,
  sessions,
  silent,
  doneEarly,
  doneLate,
  refused,
  caught: (pe) => throwing(pe, "handler", true),
  throwingHandler: (pe) => throwing(pe, "handler"),
  throwingSource: (pe) => throwing(pe, "source"),
  waitingHandler,
  asyncSource,
  sendOfSource,
  differ,
  endless,
  aborted,
  stuck,
  slow,
  unending,
};

const program: Spmd = spmd((pe, args) =>
  playInTurn(args as Args | readonly Args[], (step) => parts[step.part](pe, step)),
);
export default program;
