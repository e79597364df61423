/** Groups: many, overlapping, side by side; what is refused. */
import { isDeepStrictEqual } from "node:util";
import * as assert from "uvu/assert";
import { ALLOCATOR_USED, LINE } from "../../../src/ground/memory/heap-layout.ts";
import type { Group, PE } from "../../../src/index.ts";
import { type Spmd, spmd } from "../../../src/index.ts";
import { random } from "../support/reference.ts";

export type Part =
  | "one"
  | "pairs"
  | "many"
  | "refused"
  | "beside"
  | "orders"
  | "alloc"
  | "full"
  | "disordered"
  | "left"
  | "alone in it"
  | "used after"
  | "after the end";

/** Bytes of the heap in use, headers of blocks included. */
export function usedBytes(pe: PE): number {
  const probe = pe.alloc(Uint8Array, 1);
  const used = new Int32Array(probe.buffer)[ALLOCATOR_USED] * LINE;
  pe.free(probe);
  return used;
}

/** A few collectives, to show that a group works. */
function use(group: Group): void {
  const { rank, size } = group;
  group.barrier();
  assert.is(group.allreduce(rank + 1, "sum"), (size * (size + 1)) / 2);
  assert.is(group.broadcast(rank === size - 1 ? "last" : "", size - 1), "last");
  const x = group.allreduce(new Float64Array(500).fill(rank), "max");
  assert.is(x[499], size - 1);
  assert.equal(group.allgather(rank), [...Array(size).keys()]);
}

const refusal = async (call: () => unknown): Promise<string> => {
  try {
    await call();
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return "no error";
};

const parts: Record<Part, (pe: PE, count: number) => unknown> = {
  /** Very many groups, each left at once by some PEs and late by others, in a heap that holds few. */
  async left(pe, count) {
    const next = random(11);
    // longer than what a team has for it
    const long = () => new Float64Array(40_000).fill(pe.rank);
    use(pe.group([...Array(pe.size).keys()]));
    pe.barrier();
    const before = usedBytes(pe);
    const open: Group[] = [];
    for (let i = 0; i < count; i++) {
      const ranks = [...Array(pe.size).keys()].filter(() => next() < 0.7);
      const [kind, late] = [next(), next() < 0.2];
      if (!ranks.includes(pe.rank)) continue;
      const group = pe.group(ranks);
      if (kind < 0.1) assert.is(group.broadcast(long(), ranks.length - 1)[5], ranks.at(-1));
      else if (kind < 0.2) assert.is(group.reduce(long(), "max", 0)?.[39_999] ?? ranks.at(-1), ranks.at(-1));
      else if (kind < 0.3) assert.is(await group.broadcastAsync(i, 0), i);
      // the root is done, and gone, before the others have begun
      else if (kind < 0.5) assert.is(group.broadcast(i, ranks.length - 1), i);
      else use(group);
      if (late) open.push(group);
      else group.leave();
      if (open.length > 3) open.shift()?.leave();
    }
    for (const group of open) {
      using done = group;
      assert.is(done.size, group.ranks.length);
    }
    pe.barrier();
    return usedBytes(pe) - before;
  },

  /** What a group that was left says, and that the rest goes on. */
  async "used after"(pe) {
    const group = pe.group([...Array(pe.size).keys()]);
    // the others' part of it comes when PE 0 has tried to leave
    if (pe.rank > 0) await pe.barrierAsync();
    const underWay = group.barrierAsync();
    const told = pe.rank > 0 ? [] : [await refusal(() => group.leave())];
    if (pe.rank === 0) await pe.barrierAsync();
    await underWay;
    group.leave();
    group.leave();
    for (const call of [
      () => group.barrier(),
      () => group.barrierAsync(),
      () => group.broadcast(1),
      () => group.allreduce(1, "sum"),
      () => group.reduceAsync(1, "sum"),
      () => group.gather({ x: 1 }),
      () => group.alloc(Int8Array, 3),
    ]) {
      told.push(await refusal(call));
    }
    use(pe);
    return told;
  },

  /** One PE leaves, the others still wait for it. */
  "alone in it"(pe) {
    const group = pe.group([...Array(pe.size).keys()]);
    use(group);
    if (pe.rank === 0) group.leave();
    else group.barrier();
    pe.barrier();
  },

  /** In a world that has failed, leaving says nothing. */
  async "after the end"(pe) {
    const group = pe.group([...Array(pe.size).keys()]);
    const failed = await refusal(() => (pe.rank === 0 ? pe.barrierAsync({ timeout: 50 }) : group.barrierAsync()));
    assert.match(failed, /^TimeoutError/);
    assert.is(await refusal(() => group.leave()), "no error");
    pe.barrier();
  },

  /** The last PE has the ranks the other way round. */
  disordered(pe) {
    const ranks = [...Array(pe.size).keys()];
    use(pe.group(ranks));
    pe.group(pe.rank === pe.size - 1 ? ranks.reverse() : ranks).barrier();
  },
  /** Alone, everything works and gives back what was given. */
  async one(pe) {
    const alone = pe.group([pe.rank]);
    assert.equal([alone.rank, alone.size, alone.ranks], [0, 1, [pe.rank]]);
    use(alone);
    const x = Int32Array.of(3, 1, 2);
    assert.is(alone.reduce(x, "sum"), x);
    assert.is(alone.exscan(1, "sum"), undefined);
    assert.is(alone.scan(5n, "prod"), 5n);
    assert.equal(alone.gather(x), x);
    assert.equal(alone.scatter(x), x);
    assert.equal(alone.alltoall(x), x);
    assert.equal(alone.alltoallv([x]), [x]);
    assert.equal(await alone.alltoallAsync([{ a: 1 }]), [{ a: 1 }]);
    assert.is(await alone.allreduceAsync(7, "max"), 7);
    await alone.barrierAsync();
    pe.barrier();
  },

  /** Hundreds of them, each used once: the heap grows by their blocks and no more. */
  many(pe) {
    const next = random(5);
    use(pe.group([...Array(pe.size).keys()]));
    pe.barrier();
    const before = usedBytes(pe);
    const count = 300;
    let largest = 0;
    for (let i = 0; i < count; i++) {
      // the same choice at every PE
      const ranks = [...Array(pe.size).keys()].filter(() => next() < 0.6);
      if (next() < 0.5) ranks.reverse();
      if (ranks.length === 0 || !ranks.includes(pe.rank)) continue;
      largest = Math.max(largest, ranks.length);
      use(pe.group(ranks));
    }
    pe.barrier();
    return { count, grown: usedBytes(pe) - before };
  },

  /** What a group of two costs, exactly. */
  pairs(pe) {
    const before = usedBytes(pe);
    for (let i = 0; i < 50; i++) if (pe.rank < 2) use(pe.group(i % 2 === 0 ? [0, 1] : [1, 0]));
    pe.barrier();
    return (usedBytes(pe) - before) / 50;
  },

  refused(pe) {
    const { rank, size } = pe;
    const other = (rank + 1) % size;
    const told: string[] = [];
    for (const ranks of [
      [],
      [rank, size],
      [rank, -1],
      [rank, rank],
      [other],
      [rank, 0.5],
      [rank, Symbol("rank") as never],
      [rank, "1"],
      [rank, Number.NaN],
      [rank, undefined],
    ]) {
      try {
        pe.group(ranks as number[]);
        told.push(`no error for [${ranks}]`);
      } catch (error) {
        told.push(`${(error as Error).name}: ${(error as Error).message}`);
      }
    }
    const all = [...Array(size).keys()];
    for (const options of [null, { pln: 1 }]) {
      assert.throws(() => pe.group(all, options as never), /^group: (expected an object|unknown option 'pln')/);
    }
    use(pe.group(all));
    return told;
  },

  /** Calls in three groups under way at once at one PE, awaited in another order than made. */
  async beside(pe) {
    const all = [...Array(pe.size).keys()];
    const evens = all.filter((rank) => rank % 2 === pe.rank % 2);
    const [a, b] = [pe.group(evens), pe.group(all.toReversed())];
    for (let round = 0; round < 50; round++) {
      const later: Promise<unknown>[] = [
        a.allreduceAsync(round, "sum"),
        b.scanAsync(1, "sum"),
        pe.allgatherAsync(new Uint8Array([pe.rank])),
        b.broadcastAsync({ round }, round % pe.size),
        a.barrierAsync(),
        pe.allreduceAsync(Float64Array.of(round), "max"),
      ];
      const got = [];
      for (const one of later.toReversed()) got.unshift(await one);
      const expected = [
        evens.length * round,
        pe.size - pe.rank,
        Uint8Array.from(all),
        { round },
        undefined,
        Float64Array.of(round),
      ];
      assert.ok(isDeepStrictEqual(got, expected), JSON.stringify(got));
    }
  },

  /** The order of the ranks is that of the group: roots, scans and gathers go by it. */
  orders(pe) {
    const ranks = [...Array(pe.size).keys()];
    ranks.push(...ranks.splice(0, 1));
    const group = pe.group(ranks);
    assert.is(ranks[group.rank], pe.rank);
    assert.equal(group.ranks, ranks);
    assert.is(group.broadcast(pe.rank, 0), ranks[0]);
    assert.equal(group.allgather(pe.rank), ranks);
    const order = group.scan(
      String.fromCharCode(97 + pe.rank).charCodeAt(0),
      (a: number, b: number) => (a * 7 + b) % 65_521,
    );
    const expected = ranks
      .slice(0, group.rank + 1)
      .map((rank) => 97 + rank)
      .reduce((a, b) => (a * 7 + b) % 65_521);
    assert.is(order, expected);
    // twice the same ranks: two groups
    const again = pe.group(ranks);
    for (const one of [again, group, again]) use(one);
  },

  /** Arrays of a group's own. */
  alloc(pe) {
    const ranks = pe.rank < 2 ? [1, 0] : [...Array(pe.size).keys()].slice(2);
    const group = pe.group(ranks);
    for (let i = 0; i < 20; i++) {
      const x = group.alloc(Float64Array, 100 * i).fill(group.rank);
      group.allreduce(x, "sum");
      assert.ok(x.every((value) => value === (ranks.length * (ranks.length - 1)) / 2));
      group.free(x);
    }
    let refused = "";
    const own = pe.alloc(Int8Array, 3);
    try {
      group.free(own);
    } catch (error) {
      refused = (error as Error).message;
    }
    assert.match(refused, /^free: expected an array that alloc\(\) or allocShared\(\) of this group returned/);
    pe.free(own);
  },

  /** A heap with no room for a group tells all of its PEs, and the world goes on. */
  full(pe) {
    const ranks = [...Array(pe.size).keys()];
    let made = 0;
    for (;;) {
      try {
        pe.group(ranks);
        made++;
      } catch (error) {
        assert.is((error as Error).name, "HeapError");
        break;
      }
    }
    assert.equal(pe.allgather(made), Array(pe.size).fill(made));
    use(pe);
    return made;
  },
};

/** What the PEs are told to do. */
export interface Args {
  readonly part: Part;
  /** Groups of `left`. */
  readonly count: number;
}

const program: Spmd = spmd((pe, args) => {
  const { part, count } = args as Args;
  return parts[part](pe, count);
});

export default program;
