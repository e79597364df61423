/** Containers on every kind of PE: random operations, the collective calls, and what goes wrong. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { array, bag, containers, countingMap, disjointSet, map, set, text, value } from "../../../src/containers.ts";
import { f64, i32, type PE, type Spmd, spmd, struct, u32 } from "../../../src/index.ts";
import { playInTurn } from "../../support/in-turn.ts";
import { idOf, KEYS } from "./support/keys.ts";
import { type Case, type Entries, inOrder, operationsOf, scrambled } from "./support/operations.ts";

export type Part =
  | "random"
  | "queries"
  | "values"
  | "sessions"
  | "combined"
  | "gathered"
  | "working"
  | "refused"
  | "kept"
  | "keeping"
  | ("throwing" | "throwingSource" | "promised" | "differ" | "endless" | "aborted" | "leaving" | "late");

export interface Args extends Partial<Case> {
  readonly part: Part;
  /** Whether the source blocks. */
  readonly blocks?: boolean;
  readonly options?: { readonly bufferBytes?: number; readonly combine?: number; readonly hops?: 1 | 2 | 3 };
  /** A PE that begins late, in virtual ns. */
  readonly late?: number;
}

/** What a PE has of the containers, and what is wrong. */
export interface Told extends Entries {
  readonly wrong: readonly string[];
}

const TINY = { bufferBytes: 256, combine: 8 };

async function random(pe: PE, args: Args): Promise<Told> {
  const { content = "text", seed = 0, count = 0, blocks = false, options, late = -1 } = args;
  const [keys] = KEYS[content] as (typeof KEYS)[string];
  using data = containers(
    pe,
    {
      counts: countingMap(keys),
      ordered: map(keys, f64, {
        scramble: {
          args: struct({ x: u32 }),
          run(entry, x: number) {
            entry.value = scrambled(entry.value, x);
            data.marks.visit(x % 13, "add", 1);
            data.seen.insert(entry.key);
          },
        },
        again: {
          args: f64,
          run(entry, x: number) {
            entry.value = scrambled(entry.value, x);
          },
        },
        halve: {
          run(entry) {
            if (entry.value === undefined || !entry.exists) throw new Error("expected an entry");
            if (entry.value % 2 === 1) {
              data.counts.insert(entry.key, 2);
              entry.value = undefined;
            } else entry.value /= 2;
          },
        },
      }),
      seen: set(keys),
      marks: map(u32, f64, {
        add: {
          args: f64,
          run(entry, by: number) {
            entry.value = (entry.value ?? 0) + by;
          },
        },
      }),
    },
    { ...TINY, ...options },
  );
  const operations = operationsOf({ content, seed, count }, pe.rank, pe.size);
  /** One operation of the blocking form, or of the other one. */
  const act = (
    to: Parameters<NonNullable<Parameters<typeof data.runAsync>[0]>>[0] | typeof data,
    operation: (typeof operations)[number],
  ): unknown => {
    const { key } = operation;
    switch (operation.kind) {
      case "count":
        return operation.by === 1 ? to.counts.insert(key) : to.counts.insert(key, operation.by);
      case "insert":
        return to.ordered.insert(key, operation.x);
      case "insertIfMissing":
        return to.ordered.insertIfMissing(key, operation.x);
      case "erase":
        return to.ordered.erase(key);
      case "scramble":
        return to.ordered.visit(key, "scramble", operation.x);
      case "scrambleIfExists":
        return to.ordered.visitIfExists(key, "again", operation.x);
      case "halve":
        return to.ordered.visitIfExists(key, "halve");
      case "add":
        return to.seen.insert(key);
      default: {
        const full = to.seen.insert(key) as unknown;
        const mark = () => to.marks.visit(100, "add", 1);
        return full === undefined ? mark() : (full as Promise<void>).then(mark);
      }
    }
  };
  if (blocks) {
    data.run((all) => {
      for (const operation of operations) act(all as never, operation);
    });
  } else {
    if (pe.rank === 0 && late > 0) pe.work(late);
    await data.runAsync(async (all) => {
      for (const operation of operations) {
        const full = act(all, operation);
        if (full !== undefined) await full;
      }
    });
  }
  const wrong: string[] = [];
  const check = (what: string, isRight: boolean) => isRight || wrong.push(what);
  const counts: [string, number][] = [];
  data.counts.forAll((key, one) => {
    counts.push([idOf(content, key), one]);
    check(`counts: ${idOf(content, key)} is at its owner`, data.counts.owner(key) === pe.rank);
    check("counts: getLocal", data.counts.getLocal(key) === one && data.counts.hasLocal(key));
  });
  const ordered: [string, number][] = [];
  data.ordered.forAll((key, one) => {
    ordered.push([idOf(content, key), one]);
  });
  const seen: string[] = [];
  data.seen.forAll((key) => seen.push(idOf(content, key)));
  const marks: [number, number][] = [];
  data.marks.forAll((key, one) => {
    marks.push([key, one]);
  });
  check("localSize", data.counts.localSize === counts.length && data.seen.localSize === seen.length);
  check("localBytes", data.counts.localBytes > 0);
  return {
    counts: inOrder(counts),
    ordered: inOrder(ordered),
    seen: inOrder(seen),
    marks: inOrder(marks),
    wrong,
  };
}

/** The collective calls, each beside the same by hand. */
async function queries(pe: PE, { content = "text" }: Args): Promise<unknown> {
  const [keys, some] = KEYS[content] as (typeof KEYS)[string];
  using data = containers(pe, { counts: countingMap(keys), stock: map(keys, text), seen: set(keys) }, TINY);
  await data.runAsync(async ({ counts, stock, seen }) => {
    for (const [i, key] of some.entries()) {
      await counts.insert(key, 1 + (i % 4));
      if (i % 2 === 0) await stock.insert(key, idOf(content, key));
      if (i % 3 === 0) await seen.insert(key);
    }
  });
  const id = (key: unknown) => idOf(content, key);
  const shown = <V>(all: Map<unknown, V> | undefined) => all && inOrder([...all].map(([key, one]) => [id(key), one]));
  const root = pe.size - 1;
  const { counts, stock, seen } = data;
  const own = some.filter((_, i) => i % pe.size === pe.rank);
  const got = await stock.getAllAsync(own);
  const has = await seen.hasAllAsync(new Set(own));
  const told = {
    size: await counts.sizeAsync(),
    total: (await counts.totalAsync()) / pe.size,
    top: (await counts.topKAsync(7)).map(([key, one]) => `${id(key)} ${one / pe.size}`),
    none: await counts.topKAsync(0),
    all: shown(await counts.allgatherAsync())?.map(([key, one]) => `${key} ${Number(one) / pe.size}`),
    stock: shown(await stock.allgatherAsync()),
    seen: inOrder([...(await seen.allgatherAsync())].map(id)),
    got: got.map((one, i) => one === undefined || one === id(own[i])),
    has: has.length,
  };
  const gathered = shown(await stock.gatherAsync(root));
  const set_ = await seen.gatherAsync(root);
  const isAtRoot = pe.rank === root;
  const wrong: string[] = [];
  if (isAtRoot !== (gathered !== undefined) || isAtRoot !== (set_ !== undefined)) wrong.push("gather");
  if (isAtRoot && JSON.stringify(gathered) !== JSON.stringify(told.stock)) wrong.push("gathered");
  if (told.got.includes(false)) wrong.push("getAll");
  data.clear();
  if ((await stock.sizeAsync()) + (await seen.sizeAsync()) !== 0) wrong.push("clear");
  return { ...told, got: undefined, has: undefined, wrong };
}

/** Values and arguments of every form, and entries that visitors change in place. */
async function values(pe: PE): Promise<unknown> {
  const point = struct({ x: f64, y: u32 });
  const wrong: string[] = [];
  using data = containers(
    pe,
    {
      points: map(u32, point, {
        move: {
          args: struct({ dx: f64, dy: u32 }),
          run(entry, dx, dy) {
            const { x, y } = entry.value ?? { x: 0, y: 0 };
            entry.value = { x: x + dx, y: y + dy };
          },
        },
      }),
      lists: map(text, value<number[]>(), {
        push: {
          args: value<{ readonly n: number }>(),
          run(entry, { n }) {
            if (entry.value === undefined) entry.value = [n];
            else entry.value.push(n);
          },
        },
        shout: {
          args: text,
          run(entry, word) {
            if (word !== "größer") wrong.push(word);
            if (entry.value !== undefined) entry.value[0] = (entry.value[0] ?? 0) + 1000;
          },
        },
      }),
      names: map(u32, text),
    },
    TINY,
  );
  const long = "ä€".repeat(3000);
  await data.runAsync(async ({ points, lists, names }) => {
    for (let i = 0; i < 20; i++) {
      await points.visit(i % 5, "move", 0.5, 2);
      await lists.visit(`list ${i % 3}`, "push", { n: 10 });
    }
    await lists.visitIfExists("list 1", "shout", "größer");
    await lists.visitIfExists("list 7", "shout", "größer");
    await names.insert(7, long);
    await names.insert(8, "\ud800");
  });
  const points = await data.points.allgatherAsync();
  const lists = await data.lists.allgatherAsync();
  const names = await data.names.allgatherAsync();
  const n = pe.size;
  for (let i = 0; i < 5; i++) {
    const { x, y } = points.get(i) ?? {};
    if (x !== 2 * n || y !== 8 * n) wrong.push(`point ${i}: ${x}, ${y}`);
  }
  const sum = (name: string) => lists.get(name)?.reduce((all, one) => all + one);
  if (sum("list 0") !== 70 * n || sum("list 1") !== 1070 * n) wrong.push(`${sum("list 0")}, ${sum("list 1")}`);
  if (lists.size !== 3) wrong.push(`${lists.size} lists`);
  if (names.get(7) !== long || names.get(8) !== "\ud800") wrong.push("names");
  return wrong;
}

/** Several sessions, sources that are absent, entries that stay, and a source that goes through its own entries. */
async function sessions(pe: PE): Promise<unknown> {
  using data = containers(pe, {
    counts: countingMap(u32),
    doubled: map(u32, f64),
  });
  await data.runAsync();
  for (let session = 0; session < 3; session++) {
    await data.runAsync(({ counts }) => {
      for (let i = 0; i < 100; i++) counts.insert(i % 10);
    });
  }
  await data.runAsync(async ({ doubled }) => {
    const all: (Promise<void> | undefined)[] = [];
    data.counts.forAll((key, count) => all.push(doubled.insert(key, 2 * count)));
    await Promise.all(all);
  });
  const doubled = await data.doubled.allgatherAsync();
  const group = await pe.splitAsync(pe.rank % 2);
  if (group === null) throw new Error("expected a group");
  const parts = containers(group, {
    sums: map(u32, f64, {
      add: {
        run(entry) {
          // looking for another key leaves this entry what it is
          if (parts.sums.hasLocal(entry.key + 1) && parts.sums.owner(entry.key + 1) !== group.rank) return;
          entry.value = (entry.value ?? 0) + 1;
        },
      },
    }),
  });
  await parts.runAsync(({ sums }) => {
    for (let i = 0; i < 20; i++) sums.visit(i % 10, "add");
  });
  const sums = await parts.sums.allgatherAsync();
  const isRight = sums.size === 10 && [...sums.values()].every((one) => one === 2 * group.size);
  parts.free();
  group.leave();
  const { pushes, pulls } = data.stats();
  const [pushed, pulled] = await pe.allreduceAsync(Float64Array.of(pushes, pulls), "sum");
  return [doubled.size, [...doubled.values()].every((one) => one === 60 * pe.size), pushed === pulled, isRight];
}

const ENDLESS = { timeout: 20_000 };

/** PE 0 combines, adds and unites what stays there until PE 1 has sent it more than there is room for. */
async function takingTurns(pe: PE): Promise<unknown> {
  let isOver = false;
  const length = 100;
  const data = containers(
    pe,
    {
      counts: countingMap(text),
      sums: array(f64, length),
      parts: disjointSet(length),
      items: bag(u32),
      ends: array(u32, length, {
        end: {
          run() {
            isOver = true;
          },
        },
      }),
    },
    { bufferBytes: 256 },
  );
  const each = 800;
  const found: number[] = [];
  for (const call of ["insert", "add", "union"] as const) {
    isOver = false;
    data.run(({ counts, sums, parts, items, ends }) => {
      while (pe.rank === 0 && !isOver) {
        if (call === "insert") counts.insert("tin");
        else if (call === "add") sums.add(1, 1);
        else parts.union(1, 2);
      }
      for (let i = 0; pe.rank === 1 && i < each; i++) items.insertAt(0, i);
      if (pe.rank === 1) ends.visit(0, "end");
    }, ENDLESS);
    found.push(data.items.size());
    data.clear();
    isOver = false;
    await data.runAsync(async ({ counts, sums, parts, items, ends }) => {
      while (pe.rank === 0 && !isOver) {
        const kept = call === "insert" ? counts.insert("tin") : call === "add" ? sums.add(1, 1) : parts.union(1, 2);
        if (kept !== undefined) await kept;
      }
      for (let i = 0; pe.rank === 1 && i < each; i++) await items.insertAt(0, i);
      if (pe.rank === 1) await ends.visit(0, "end");
    }, ENDLESS);
    found.push(data.items.size());
    data.clear();
  }
  data.free();
  return found;
}

/** A source that only combines, for ever. */
function keeping(pe: PE): void {
  const data = containers(pe, { counts: countingMap(text) });
  data.run(
    ({ counts }) => {
      while (pe.rank === 0) counts.insert("tin");
    },
    { timeout: 300 },
  );
}

/** What is refused, each as its message. */
function refused(pe: PE): string[] {
  const told: string[] = [];
  const tell = (act: () => unknown) => {
    try {
      act();
      told.push("nothing");
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      told.push(`${code} ${message}`);
    }
  };
  const any = (x: unknown) => x as never;
  tell(() => containers(pe, any({})));
  tell(() => containers(pe, any({ counts: 5 })));
  tell(() => containers(pe, { run: countingMap(u32) }));
  tell(() => containers(pe, { counts: countingMap(any("text")) }));
  tell(() => containers(pe, { stock: map(u32, any(undefined)) }));
  tell(() => containers(pe, { stock: map(u32, f64, any({ add: 5 })) }));
  tell(() => containers(pe, { stock: map(u32, f64, any({ add: { async run() {} } })) }));
  tell(() => containers(pe, { stock: map(u32, f64, any({ add: { args: 5, run() {} } })) }));
  tell(() => containers(pe, { counts: countingMap(u32) }, { combine: -1 }));
  tell(() => containers(pe, { counts: countingMap(u32) }, { type: "simple" }));
  tell(() => containers(pe, { counts: countingMap(u32) }, any({ combin: 1 })));
  const data = containers(pe, {
    counts: countingMap(u32),
    words: countingMap(text),
    big: set(struct({ a: f64 })),
    any: set(value<unknown>()),
    stock: map(u32, f64, {
      add: {
        args: f64,
        run(entry, x: number) {
          kept = entry;
          if (x === 7) tell(() => Object.assign(entry, { value: "x" }));
          if (x === 7) tell(() => data.run());
          entry.value = x;
        },
      },
    }),
    things: map(text, value<unknown>()),
  });
  let kept: { readonly key: number } | undefined;
  tell(() => data.counts.insert(1));
  tell(() => data.words.insert("tin"));
  tell(() => data.stock.visit(1, "add", 2));
  data.run(() => {
    tell(() => data.counts.insert(any("tin")));
    tell(() => data.counts.insert(-1));
    tell(() => data.counts.insert(0.5));
    tell(() => data.counts.insert(1, 0));
    tell(() => data.words.insert(any(7)));
    tell(() => data.big.insert(any({ b: 1 })));
    tell(() => data.any.insert(new Map()));
    tell(() => data.any.insert(() => {}));
    const own: unknown[] = [];
    own.push(own);
    tell(() => data.any.insert(own));
    tell(() => data.stock.insert(1, any("x")));
    const visit = (...args: unknown[]) => (data.stock.visit as (...args: unknown[]) => unknown).apply(data.stock, args);
    tell(() => visit(1, "ad", 1));
    tell(() => visit(1, "add", "x"));
    tell(() => visit(1, "add"));
    tell(() => data.things.insert("f", () => {}));
    tell(() => data.counts.size());
    tell(() => data.clear());
    tell(() => data.free());
    tell(() => data.run());
    if (pe.rank === 0) data.stock.visit(1, "add", 7);
    // its visitor runs here or elsewhere, before the end
  });
  tell(() => data.run(any(5)));
  tell(() => data.run(any(async () => {})));
  tell(() => data.run(() => {}, any({ timeout: 0 })));
  tell(() => data.counts.topK(-1));
  tell(() => data.counts.getAll(any(5)));
  tell(() => data.counts.owner(any("x")));
  if (kept !== undefined) tell(() => kept?.key);
  data.free();
  tell(() => data.run());
  // those of the visitor are told by one PE only
  return told;
}

/** What ends a session before its time, at every PE. */
async function ending(pe: PE, { part }: Args): Promise<unknown> {
  const controller = new AbortController();
  let count = 0;
  const seen = { go: countingMap(u32), ...(part === "differ" && pe.rank === 1 ? { other: set(u32) } : {}) };
  const data = containers(pe, {
    ...seen,
    ring: map(u32, f64, {
      go: {
        run(entry): undefined {
          count++;
          if (part === "throwing" && pe.rank === 0 && count === 50) throw new TypeError("fifty");
          if (part === "promised" && count === 50) return Promise.resolve() as never;
          if (part === "aborted" && pe.rank === 0 && count === 50) controller.abort("enough");
          if (part === "leaving" && pe.rank === 1 && count === 50) process.exit(7);
          if (part !== "late") data.ring.visit((entry.key + 1) % 16, "go");
          return undefined;
        },
      },
    }),
  });
  if (part === "late") {
    const late = data.runAsync();
    let code: string | undefined;
    // what comes before the conveyor has noticed that the source has returned counts as the source's
    for (; code === undefined; await turnOfTheLoop()) {
      try {
        data.ring.visit(0, "go");
      } catch (error) {
        ({ code } = error as { code: string });
      }
    }
    await late;
    return code;
  }
  const limits = {
    ...(part === "endless" ? { timeout: 300 } : {}),
    ...(part === "aborted" && pe.rank === 0 ? { signal: controller.signal } : {}),
  };
  data.run(() => {
    for (let key = 0; key < 16; key++) data.ring.visit(key, "go");
    if (part === "throwingSource" && pe.rank === 1) throw new TypeError("no source");
  }, limits);
  return count;
}

/** How many operations one key that comes 1000 times takes, at all PEs: combined, and not. */
async function combined(pe: PE): Promise<unknown> {
  const told: number[] = [];
  for (const combine of [4096, 1, 0]) {
    using data = containers(pe, { words: countingMap(text) }, { combine });
    await data.runAsync(async ({ words }) => {
      for (let i = 0; i < 1000; i++) await words.insert("tin");
    });
    const right = 1000 * pe.size === (await data.words.totalAsync());
    told.push(right ? await pe.allreduceAsync(data.stats().pushes, "sum") : -1);
  }
  return told;
}

/** Whole numbers that come once or twice, in batches; and how many operations they take at all PEs. */
async function gathered(pe: PE, { blocks = false }: Args): Promise<unknown> {
  const each = 20_000;
  const told: unknown[] = [];
  for (const options of [{}, { bufferBytes: 256 }, { combine: 0 }]) {
    using data = containers(pe, { counts: countingMap(i32) }, options);
    const keyAt = (i: number) => Math.imul(i + 1, 0x9e3779b1);
    if (blocks) {
      data.run(({ counts }) => {
        for (let i = 0; i < each; i++) counts.insert(keyAt(i));
        counts.insert(keyAt(7), 2 ** 40);
      });
    } else {
      await data.runAsync(async ({ counts }) => {
        for (let i = 0; i < each; i++) await counts.insert(keyAt(i));
        await counts.insert(keyAt(7), 2 ** 40);
      });
    }
    const [one, other] = await data.counts.getAllAsync([keyAt(7), keyAt(8)]);
    const isRight =
      one === pe.size * (2 ** 40 + 1) &&
      other === pe.size &&
      (await data.counts.sizeAsync()) === each &&
      (await data.counts.totalAsync()) === pe.size * (each + 2 ** 40);
    told.push(isRight, await pe.allreduceAsync(data.stats().pushes, "sum"));
  }
  return told;
}

/** A source that works for longer than a PE may wait, without anything to send. */
function working(pe: PE): boolean {
  const data = containers(pe, { counts: countingMap(text) });
  let count = 0;
  data.run(({ counts }) => {
    for (const begun = performance.now(); performance.now() - begun < 800; count++) counts.insert("tin");
  });
  return data.counts.getLocal("tin") === count;
}

function main(pe: PE, args: Args): unknown {
  switch (args.part) {
    case "random":
      return random(pe, args);
    case "queries":
      return queries(pe, args);
    case "values":
      return values(pe);
    case "sessions":
      return sessions(pe);
    case "combined":
      return combined(pe);
    case "kept":
      return takingTurns(pe);
    case "gathered":
      return gathered(pe, args);
    case "working":
      return working(pe);
    case "keeping":
      return keeping(pe);
    case "refused":
      return refused(pe);
    default:
      return ending(pe, args);
  }
}

const program: Spmd = spmd((pe: PE, args: Args | readonly Args[]) => playInTurn(args, (step: Args) => main(pe, step)));
export default program;
