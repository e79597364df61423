/** Sessions of programs that await. */

import { setTimeout as delay } from "node:timers/promises";
import { biconveyor, conveyor } from "../../../../src/conveyor.ts";
import { bytes, f64, i32, type PE, type Spmd, spmd, struct, u32 } from "../../../../src/index.ts";
import { playInTurn } from "../../../support/in-turn.ts";
import { mix } from "../support/payloads.ts";

export type Part =
  | "batches"
  | "mixed"
  | "early"
  | "asks"
  | "chain"
  | "structs"
  | "twice"
  | "throwingSource"
  | "throwingLoop"
  | "throwingBody"
  | "misuse"
  | "lost"
  | "timeout";

export interface Args {
  readonly part: Part;
  readonly items?: number;
  readonly hops?: 1 | 2;
}

const wanted = (pe: PE, items: number): number =>
  Array.from({ length: pe.size }, (_, rank) => rank).reduce((sum, rank) => {
    for (let i = 0; i < items; i++) if (mix(rank, i) % pe.size === pe.rank) sum += i;
    return sum;
  }, 0);

/** Pushes with and without pauses, and adds up what comes. */
async function batches(pe: PE, { items = 4000, hops = 1 }: Args): Promise<number> {
  const c = conveyor(pe, struct({ i: u32, x: f64 }), { hops, bufferBytes: 1024 });
  let wrong = 0;
  for (let round = 0; round < 2; round++) {
    let sum = 0;
    for await (const { columns, from, count } of c.batches(async (push) => {
      for (let i = 0; i < items; i++) {
        await push(mix(pe.rank, i) % pe.size, i, i / 2);
        if (i % 1000 === 0) await delay(1);
      }
    })) {
      for (let k = 0; k < count; k++) {
        sum += columns.i[k];
        if (columns.x[k] !== columns.i[k] / 2 || mix(from[k], columns.i[k]) % pe.size !== pe.rank) wrong++;
      }
    }
    wrong += sum === wanted(pe, items) ? 0 : 1;
  }
  return wrong;
}

/** Odd PEs await, even ones block. */
async function mixed(pe: PE, { items = 2000 }: Args): Promise<number> {
  const c = conveyor(pe, u32, { bufferBytes: 256 });
  let sum = 0;
  if (pe.rank % 2 === 0) {
    c.run(
      (push) => {
        for (let i = 0; i < items; i++) push(mix(pe.rank, i) % pe.size, i);
      },
      (i) => {
        sum += i;
      },
    );
  } else {
    // not awaited: the pushes wait in order
    const source = (push: (dest: number, i: number) => Promise<void> | undefined) => {
      for (let i = 0; i < items; i++) void push(mix(pe.rank, i) % pe.size, i);
    };
    for await (const batch of c.batches(source)) sum += batch.columns.reduce((a, b) => a + b, 0);
  }
  return sum - wanted(pe, items);
}

/** One leaves its loop after the first batch: the others lose nothing. */
async function early(pe: PE, { items = 2000 }: Args): Promise<number> {
  const c = conveyor(pe, u32, { bufferBytes: 64 });
  let sum = 0;
  const source = async (push: (dest: number, i: number) => Promise<void> | undefined) => {
    for (let i = 0; i < items; i++) await push(mix(pe.rank, i) % pe.size, i);
  };
  for await (const batch of c.batches(source)) {
    if (pe.rank === 0) break;
    sum += batch.columns.reduce((a, b) => a + b, 0);
  }
  if (c.state !== "dormant") return -1;
  return pe.rank === 0 ? 0 : sum - wanted(pe, items);
}

async function asks(pe: PE, { items = 2000, hops = 1 }: Args): Promise<number> {
  const c = biconveyor(pe, u32, i32, (i) => -i - pe.rank, { hops, window: 100 });
  const dests = Uint32Array.from({ length: items }, (_, i) => i % pe.size);
  const is = Uint32Array.from({ length: items }, (_, i) => i);
  const wrong = await c.runAsync(async () => {
    // many, and singles among them, all at once
    const [first, single, all, last] = await Promise.all([
      c.ask(pe.size - 1, 5),
      Promise.all(Array.from({ length: 500 }, (_, i) => c.ask(i % pe.size, i))),
      c.askAll(dests, is),
      c.ask(0, 7),
    ]);
    const empty = await c.askAll(new Uint32Array(0), new Uint32Array(0));
    return (
      (first === -5 - (pe.size - 1) ? 0 : 1) +
      (last === -7 ? 0 : 1) +
      single.filter((value, i) => value !== -i - (i % pe.size)).length +
      all.reduce((sum, value, i) => sum + (value === -i - (i % pe.size) ? 0 : 1), 0) +
      empty.length
    );
  });
  return wrong;
}

/** Each question depends on the last answer. */
async function chain(pe: PE, { items = 300 }: Args): Promise<number> {
  const c = biconveyor(pe, u32, u32, (i) => i + 1);
  return c.runAsync(async () => {
    let at = pe.rank;
    for (let k = 0; k < items; k++) at = await c.ask(at % pe.size, at);
    return at - pe.rank - items;
  });
}

async function structs(pe: PE): Promise<string> {
  const query = struct({ n: u32, inner: struct({ x: f64, key: bytes(3) }) });
  const reply = struct({ sum: f64, key: bytes(3) });
  const c = biconveyor(pe, query, reply, ({ n, inner }) => ({ sum: n + inner.x, key: inner.key }));
  return c.runAsync(async () => {
    const one = await c.ask(0, 5, { x: 0.5, key: Uint8Array.of(1, 2, 3) });
    const next = await c.ask(0, 6, { x: 0.25, key: Uint8Array.of(4, 5, 6) });
    const all = await c.askAll(Uint32Array.of(0, pe.size - 1), {
      n: Uint32Array.of(1, 2),
      inner: { x: Float64Array.of(0.125, 0.5), key: Uint8Array.of(1, 2, 3, 4, 5, 6) },
    });
    // copies: the first is what it was
    return `${one.sum} ${one.key} ${next.sum} ${next.key} ${all.sum} ${all.key}`;
  });
}

/** Blocking and awaiting sessions of one conveyor in turn. */
async function twice(pe: PE): Promise<number> {
  const c = biconveyor(pe, u32, u32, (i) => 2 * i);
  let wrong = 0;
  for (let round = 0; round < 5; round++) {
    wrong += (await c.runAsync(() => c.ask(0, round))) === 2 * round ? 0 : 1;
    c.run(
      (push) => push(pe.size - 1, round),
      (reply) => {
        if (reply !== 2 * round) wrong++;
      },
    );
  }
  return wrong;
}

async function throwingSource(pe: PE): Promise<void> {
  const c = conveyor(pe, u32);
  for await (const _ of c.batches(async (push) => {
    await push(0, 1);
    if (pe.rank === 1) throw new TypeError("no source");
  }));
}

async function throwingLoop(pe: PE): Promise<void> {
  const c = conveyor(pe, u32);
  for await (const _ of c.batches(async (push) => {
    for (let i = 0; i < 10_000; i++) await push(0, i);
  })) {
    throw new TypeError("no loop");
  }
}

async function throwingBody(pe: PE): Promise<void> {
  const c = biconveyor(pe, u32, u32, (i) => i);
  await c.runAsync(async () => {
    await c.ask(0, 1);
    if (pe.rank === 1) throw new TypeError("no body");
  });
}

async function misuse(pe: PE): Promise<string> {
  const codes: string[] = [];
  const note = async (act: () => unknown) => {
    try {
      await act();
      codes.push("none");
    } catch (error) {
      codes.push(String((error as { code?: string }).code).replace("ERR_TUNDISH_", ""));
    }
  };
  const c = biconveyor(pe, u32, u32, (i) => i);
  await note(() => c.ask(0, 1));
  await note(() => c.askAll(new Uint32Array(1), new Uint32Array(1)));
  await note(() => c.runAsync(null as never));
  await c.runAsync(async () => {
    await note(() => c.ask(pe.size, 1));
    await note(() => c.ask(0, "x" as never));
    await note(() => c.askAll([0] as never, new Uint32Array(1)));
    await note(() => c.askAll(new Uint32Array(2), new Uint32Array(1)));
    await note(() => c.askAll(Uint32Array.of(0, pe.size), new Uint32Array(2)));
    await note(() => c.runAsync(() => 1));
  });
  await note(() => c.ask(0, 1));
  const d = conveyor(pe, u32);
  await note(() => d.batches(5 as never));
  d.begin();
  await note(() => d.batches());
  while (d.advance(true));
  d.reset();
  return codes.join(" ");
}

/** PE 1 never begins. */
async function lost(pe: PE): Promise<void> {
  if (pe.rank === 1) return;
  const c = conveyor(pe, u32);
  for await (const _ of c.batches());
}

/** PE 1 begins, and never ends. */
async function timeout(pe: PE): Promise<void> {
  const c = conveyor(pe, u32, { timeout: 300 });
  await (async () => {
    for await (const _ of c.batches(() => (pe.rank === 1 ? delay(60_000, undefined, { ref: false }) : undefined)));
  })();
}

const parts: Readonly<Record<Part, (pe: PE, args: Args) => unknown>> = {
  batches,
  mixed,
  early,
  asks,
  chain,
  structs,
  twice,
  throwingSource,
  throwingLoop,
  throwingBody,
  misuse,
  lost,
  timeout,
};

const program: Spmd = spmd((pe, args) =>
  playInTurn(args as Args | readonly Args[], (step) => parts[step.part](pe, step)),
);
export default program;
