/** Trees of tasks on threads: each task runs exactly once; what throws ends the run at all; a PE that is lost. */
import { allreduce, f32, f64, i8, i64, type PE, type Spmd, spmd, struct, u16, u32 } from "../../../../src/index.ts";
import { forEach, tasks } from "../../../../src/loop.ts";
import { errorOf, mixed, Tree } from "../support/trees.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly kind: "random" | "typed" | "wide" | "exits" | "throws" | "stays" | "queens" | "nested";
  readonly seed?: number;
  readonly runs?: number;
}

/** Random trees, one after the other; each node marks itself in a shared array. @returns the runs that threw */
function random(pe: PE, seed: number, runs: number): number {
  const most = 4000;
  const marks = pe.allocShared(Int32Array, most);
  let tree = new Tree(0, 1);
  const all = tasks(pe, {
    node(at, depth) {
      Atomics.add(marks, at, 1);
      if (at === tree.throwsAt) throw new RangeError(`at ${at}`);
      for (const child of tree.childrenOf(at)) all.spawn.node(child, depth + 1);
    },
    leaf(at, a, b, c, d, e, f) {
      if (a + b + c + d + e + f !== 21) throw new Error(`got ${[a, b, c, d, e, f]}`);
      Atomics.add(marks, at, 1);
    },
  });
  let thrown = 0;
  for (let k = 0; k < runs; k++) {
    tree = new Tree(mixed(seed, k), most);
    if (pe.rank === 0) marks.fill(0);
    pe.barrier();
    const error = errorOf(() =>
      all.run((spawn) => {
        for (const root of tree.roots) if (root % pe.size === pe.rank) spawn.node(root, 0);
        if (pe.rank === pe.size - 1) spawn.leaf(tree.size, 1, 2, 3, 4, 5, 6);
      }),
    );
    pe.barrier();
    if (tree.throwsAt >= 0) {
      thrown++;
      if (error?.message !== `at ${tree.throwsAt}`) throw new Error(`run ${k}: ${error}`);
    } else if (error !== undefined) throw error;
    else
      for (let i = 0; i <= tree.size; i++) if (marks[i] !== 1) throw new Error(`run ${k}: ${i} ran ${marks[i]} times`);
    pe.barrier();
  }
  pe.free(marks);
  return thrown;
}

/** Arguments of several types, each of which tells whether the others are right. @returns the tasks that ran */
function typed(pe: PE): number {
  let ran = 0;
  const big = (at: number): bigint => BigInt.asIntN(64, BigInt(at) * 0x9e3779b97f4a7c15n);
  const all = tasks(pe, {
    mixed: {
      args: struct({ small: i8, at: u32, big: i64, in: struct({ x: f32, y: f64 }) }),
      run(small: number, at: number, given: bigint, inner: { x: number; y: number }) {
        const same = small === (at << 24) >> 24 && given === big(at) && inner.x === Math.fround(at / 3);
        if (!(same && inner.y === at / 3)) throw new Error(`${at}: ${[small, given, inner.x, inner.y]}`);
        ran++;
      },
    },
    one: {
      args: u16,
      run(value: number) {
        if (value % 2 !== 0) throw new Error(`got ${value}`);
        ran++;
      },
    },
    plain() {
      ran++;
    },
  });
  all.run((spawn) => {
    for (let i = 0; i < 1000; i++) {
      const at = (i * 4099 + pe.rank) >>> 0;
      spawn.mixed(at, at, big(at), { x: at / 3, y: at / 3 });
      spawn.one(65_536 + 2 * i);
      spawn.plain();
    }
  });
  return allreduce(ran, "sum");
}

/** More tasks than there is room for: the rest is run at once. */
function wide(pe: PE): [number, boolean] {
  let ran = 0;
  const all = tasks(pe, {
    one() {
      ran++;
    },
  });
  all.run((spawn) => {
    for (let i = 0; i < 20_000; i++) spawn.one();
  });
  const { ran: counted } = all.stats();
  return [allreduce(ran, "sum"), counted === ran];
}

/** Solutions of n queens. */
function queens(pe: PE, n: number): number {
  let found = 0;
  const all = tasks(pe, {
    place(row: number, columns: number, left: number, right: number) {
      if (row === n) found++;
      for (let free = ((1 << n) - 1) & ~(columns | left | right); free !== 0; free &= free - 1) {
        const one = free & -free;
        all.spawn.place(row + 1, columns | one, (left | one) << 1, (right | one) >> 1);
      }
    },
  });
  all.run((spawn) => {
    if (pe.rank === pe.size - 1) spawn.place(0, 0, 0, 0);
  });
  return allreduce(found, "sum");
}

/** A PE that ends in a task, one that throws in its source, one that never comes. */
function faulty(pe: PE, kind: Args["kind"]): void {
  const all = tasks(pe, {
    end() {
      if (kind === "exits" && pe.rank === 1) process.exit(3);
    },
  });
  if (kind === "stays" && pe.rank === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
  all.run((spawn) => {
    if (kind === "throws" && pe.rank === 1) throw new TypeError("in the source");
    for (let i = 0; i < 2000; i++) spawn.end(); // more than wait: some run here
  });
}

const program: Spmd = spmd((pe: PE, args): unknown => {
  const { kind, seed = 1, runs = 1 } = args as Args;
  if (kind === "random") return random(pe, seed, runs);
  if (kind === "typed") return typed(pe);
  if (kind === "wide") return wide(pe);
  if (kind === "queens") return [4, 5, 6, 7, 8].map((n) => queens(pe, n));
  if (kind === "nested") {
    const all = tasks(pe, {
      meet() {
        pe.barrier();
      },
      loop() {
        forEach(pe, 3, () => {});
      },
    });
    const told = (["meet", "loop"] as const).map((name) =>
      String(errorOf(() => all.run((spawn) => pe.rank === 0 && spawn[name]()))?.message).slice(0, 32),
    );
    return [...told, allreduce(1, "sum")];
  }
  const error = errorOf(() => faulty(pe, kind));
  if (kind === "throws") return [error?.name, error?.message, allreduce(1, "sum")];
  if (error !== undefined) throw error;
  return undefined;
});

export default program;
