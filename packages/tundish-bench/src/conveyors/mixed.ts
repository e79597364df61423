/**
 * Loops over items of several types, written as README.md and docs/conveyors.md show them: what a user writes, not what
 * is fastest. Each type has its own loops, as in a program that uses several; the last pushes all fields by a spread.
 */

import type { LoopKind, Sessions } from "../../../../microbench/conveyors/job.ts";
import { BLOCK, destsOf } from "../../../../microbench/conveyors/stream.ts";
import { type Conveyor, conveyor } from "../../../../src/conveyor.ts";
import { f64, type ItemType, type PE, struct } from "../../../../src/index.ts";

const Pair = struct({ a: f64, b: f64 });
const Quad = struct({ a: f64, b: f64, c: f64, d: f64 });
const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"] as const;
const Row = struct(Object.fromEntries(NAMES.map((name) => [name, f64])) as Record<(typeof NAMES)[number], typeof f64>);

/** The types. All fields but the first, which is the index of the item, are constants. */
export type Mixed = "8 B" | "16 B" | "32 B" | "128 B" | "128 B, spread";
export const MIXED: readonly Mixed[] = ["8 B", "16 B", "32 B", "128 B", "128 B, spread"];

/** A session with `n` items; returns the sum of what was received: of 128 B the first field. */
type Loop<I extends ItemType> = (c: Conveyor<I>, dests: Uint32Array, n: number) => number;

interface Loops<I extends ItemType> {
  readonly item: I;
  /** The amount that an item adds to the sum beside its index. */
  readonly constant: number;
  readonly loops: Readonly<Record<LoopKind, Loop<I>>>;
}

const ramp = Float64Array.from({ length: BLOCK }, (_, i) => i);
const filled = (value: number): Float64Array => new Float64Array(BLOCK).fill(value);
const MASK = BLOCK - 1;

const eight: Loops<typeof f64> = {
  item: f64,
  constant: 0,
  loops: {
    "item-wise": (c, dests, n) => {
      let sum = 0;
      c.begin();
      for (let i = 0; c.advance(i === n); ) {
        for (; i < n; i++) if (!c.push(dests[i & MASK], i & MASK)) break;
        while (c.pull()) sum += c.item;
      }
      c.reset();
      return sum;
    },
    "batch-wise": (c, dests, n) => {
      let sum = 0;
      c.begin();
      for (let i = 0; c.advance(i === n); ) {
        const k = i & MASK;
        i += c.pushAll(dests, ramp, k, Math.min(BLOCK, k + n - i)) - k;
        for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
          const { columns, count } = batch;
          for (let j = 0; j < count; j++) sum += columns[j];
        }
      }
      c.reset();
      return sum;
    },
    run: (c, dests, n) => {
      const sum = new Float64Array(1);
      c.run(
        (push) => {
          for (let i = 0; i < n; i++) push(dests[i & MASK], i & MASK);
        },
        (item) => {
          sum[0] += item;
        },
      );
      return sum[0];
    },
  },
};

/** The loops over items of 8 bytes. */
export const eightBytes: Readonly<Record<LoopKind, Loop<typeof f64>>> = eight.loops;

const ones = filled(1);
const sixteen: Loops<typeof Pair> = {
  item: Pair,
  constant: 1,
  loops: {
    "item-wise": (c, dests, n) => {
      let sum = 0;
      c.begin();
      for (let i = 0; c.advance(i === n); ) {
        for (; i < n; i++) if (!c.push(dests[i & MASK], i & MASK, 1)) break;
        while (c.pull()) sum += c.item.a + c.item.b;
      }
      c.reset();
      return sum;
    },
    "batch-wise": (c, dests, n) => {
      let sum = 0;
      const columns = { a: ramp, b: ones };
      c.begin();
      for (let i = 0; c.advance(i === n); ) {
        const k = i & MASK;
        i += c.pushAll(dests, columns, k, Math.min(BLOCK, k + n - i)) - k;
        for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
          const { a, b } = batch.columns;
          for (let j = 0; j < batch.count; j++) sum += a[j] + b[j];
        }
      }
      c.reset();
      return sum;
    },
    run: (c, dests, n) => {
      const sum = new Float64Array(1);
      c.run(
        (push) => {
          for (let i = 0; i < n; i++) push(dests[i & MASK], i & MASK, 1);
        },
        ({ a, b }) => {
          sum[0] += a + b;
        },
      );
      return sum[0];
    },
  },
};

const quads = { a: ramp, b: ones, c: filled(2), d: filled(3) };
const thirtyTwo: Loops<typeof Quad> = {
  item: Quad,
  constant: 6,
  loops: {
    "item-wise": (c, dests, n) => {
      let sum = 0;
      c.begin();
      for (let i = 0; c.advance(i === n); ) {
        for (; i < n; i++) if (!c.push(dests[i & MASK], i & MASK, 1, 2, 3)) break;
        while (c.pull()) sum += c.item.a + c.item.b + c.item.c + c.item.d;
      }
      c.reset();
      return sum;
    },
    "batch-wise": (c, dests, n) => {
      let sum = 0;
      c.begin();
      for (let i = 0; c.advance(i === n); ) {
        const k = i & MASK;
        i += c.pushAll(dests, quads, k, Math.min(BLOCK, k + n - i)) - k;
        for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
          const { a, b, c, d } = batch.columns;
          for (let j = 0; j < batch.count; j++) sum += a[j] + b[j] + c[j] + d[j];
        }
      }
      c.reset();
      return sum;
    },
    run: (c, dests, n) => {
      const sum = new Float64Array(1);
      c.run(
        (push) => {
          for (let i = 0; i < n; i++) push(dests[i & MASK], i & MASK, 1, 2, 3);
        },
        ({ a, b, c, d }) => {
          sum[0] += a + b + c + d;
        },
      );
      return sum[0];
    },
  },
};

const rows = Object.fromEntries(NAMES.map((name, j) => [name, j === 0 ? ramp : filled(j)])) as Record<
  (typeof NAMES)[number],
  Float64Array
>;
const row: Loops<typeof Row> = {
  item: Row,
  constant: 0,
  loops: {
    "item-wise": (c, dests, n) => {
      let sum = 0;
      c.begin();
      for (let i = 0; c.advance(i === n); ) {
        for (; i < n; i++)
          if (!c.push(dests[i & MASK], i & MASK, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) break;
        while (c.pull()) sum += c.item.a;
      }
      c.reset();
      return sum;
    },
    "batch-wise": (c, dests, n) => {
      let sum = 0;
      c.begin();
      for (let i = 0; c.advance(i === n); ) {
        const k = i & MASK;
        i += c.pushAll(dests, rows, k, Math.min(BLOCK, k + n - i)) - k;
        for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
          const { a } = batch.columns;
          for (let j = 0; j < batch.count; j++) sum += a[j];
        }
      }
      c.reset();
      return sum;
    },
    run: (c, dests, n) => {
      const sum = new Float64Array(1);
      c.run(
        (push) => {
          for (let i = 0; i < n; i++)
            push(dests[i & MASK], i & MASK, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        },
        ({ a }) => {
          sum[0] += a;
        },
      );
      return sum[0];
    },
  },
};

/** As a function that gets its items as arrays passes them on. */
const spread: Loops<typeof Row> = {
  ...row,
  loops: {
    ...row.loops,
    "item-wise": (c, dests, n) => {
      let sum = 0;
      const values = Array.from({ length: 16 }, (_, j) => j);
      c.begin();
      const spread = c as unknown as { push(dest: number, ...values: number[]): boolean };
      for (let i = 0; c.advance(i === n); ) {
        for (; i < n; i++) {
          values[0] = i & MASK;
          if (!spread.push(dests[i & MASK], ...values)) break;
        }
        while (c.pull()) sum += c.item.a;
      }
      c.reset();
      return sum;
    },
    run: (c, dests, n) => {
      const sum = new Float64Array(1);
      const values = Array.from({ length: 16 }, (_, j) => j);
      c.run(
        (push) => {
          for (let i = 0; i < n; i++) {
            values[0] = i & MASK;
            (push as (dest: number, ...values: number[]) => void)(dests[i & MASK], ...values);
          }
        },
        ({ a }) => {
          sum[0] += a;
        },
      );
      return sum[0];
    },
  },
};

const LOOPS: Readonly<Record<Mixed, Loops<ItemType>>> = {
  "8 B": eight as unknown as Loops<ItemType>,
  "16 B": sixteen as unknown as Loops<ItemType>,
  "32 B": thirtyTwo as unknown as Loops<ItemType>,
  "128 B": row as unknown as Loops<ItemType>,
  "128 B, spread": spread as unknown as Loops<ItemType>,
};

/** Types that can be pushed in a way: columns have no spread. */
export const mixedBy = (way: LoopKind): Mixed[] =>
  MIXED.filter((one) => way !== "batch-wise" || one !== "128 B, spread");

/** By the number of items that each PE pushes: the sum of what this PE receives. */
export function sumsOf(pe: PE, constant: number): (items: number) => number {
  // by items of a block
  const expected = new Float64Array(BLOCK + 1);
  for (let rank = 0; rank < pe.size; rank++) {
    const theirs = destsOf(pe, rank);
    for (let i = 0, sum = 0; i < BLOCK; i++) {
      if (theirs[i] === pe.rank) sum += i + constant;
      expected[i + 1] += sum;
    }
  }
  return (items) => Math.floor(items / BLOCK) * expected[BLOCK] + expected[items % BLOCK];
}

/** Sessions over a conveyor that is made when it is first needed, or by `make`. */
export interface MixedSessions extends Sessions {
  make(): void;
}

/**
 * Prepares what is not timed, of one type and way. Collective.
 * @param anew makes a conveyor for each session
 */
export function mixedSessions(pe: PE, mixed: Mixed, way: LoopKind, anew = false): MixedSessions {
  const { item, constant, loops } = LOOPS[mixed];
  const loop = loops[way];
  const dests = destsOf(pe, pe.rank);
  const expected = sumsOf(pe, constant);
  let kept: Conveyor<ItemType> | null = null;
  let [sum, pushed] = [0, 0];
  return {
    make: () => {
      kept ??= conveyor(pe, item);
    },
    session: (items) => {
      pushed = items;
      kept ??= conveyor(pe, item);
      sum = loop(kept, dests, items);
      if (!anew) return;
      kept.free();
      kept = null;
    },
    check: () => {
      const right = expected(pushed);
      if (sum !== right) throw new Error(`PE ${pe.rank}: ${mixed}: expected the sum ${right}, got ${sum}`);
    },
  };
}
