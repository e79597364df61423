/** Random calls of a resilient group, and what each has to give among the members that are left, worked out on one thread. */
import * as assert from "uvu/assert";
import { resilient } from "../../../../src/facilities/resilient/resilient.ts";
import type { ResilientGroup } from "../../../../src/facilities/resilient/resilient-group.ts";
import { type Group, RankLostError } from "../../../../src/index.ts";

/** Where a PE is in its program: before a call, in the op of one (then at its first use), after it. */
export type Point = "before" | "inside" | "after";

/** The end of a PE: at a point of call `k`. */
export interface Fate {
  readonly rank: number;
  readonly k: number;
  readonly point: Point;
}

/** A run; all of it follows from this. */
export interface Run {
  readonly seed: number;
  readonly count: number;
  readonly fates: readonly Fate[];
}

/** What a PE got of a call, and whom the group had lost then. */
export interface Entry {
  readonly got: unknown;
  readonly lost: readonly number[];
}

/** A whole number below n, of call k. */
export function pick(n: number, ...words: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const word of words) {
    hash = Math.imul(hash ^ word, 0x01000193);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 0x85ebca6b);
    hash ^= hash >>> 13;
  }
  return (hash >>> 0) % n;
}

const own = (k: number, rank: number): number => pick(1000, k, rank);
const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);
const f64 = (length: number, of: (i: number) => number) => Float64Array.from({ length }, (_, i) => of(i));
const plain = (x: unknown): unknown => (ArrayBuffer.isView(x) ? [...(x as Float64Array)] : x);

/** A call with everything that its arguments and results depend on. */
interface Scene {
  readonly k: number;
  readonly rank: number;
  readonly size: number;
  readonly root: number;
  /** Elements of arrays. */
  readonly length: number;
  /** A sum that ends the PE if it is to. */
  readonly add: (a: number, b: number) => number;
}

interface Kind {
  readonly name: keyof ResilientGroup & string;
  readonly hasRoot?: boolean;
  readonly args: (scene: Scene) => unknown[];
  /** By the members, in order. */
  readonly gives: (scene: Scene, members: readonly number[]) => unknown;
}

const element = (k: number, rank: number, i: number): number => own(k, rank) + (i % 17);
const arrayOf = ({ k, length }: Scene, rank: number) => f64(length, (i) => element(k, rank, i));
const sumOf = (scene: Scene, members: readonly number[]) =>
  f64(scene.length, (i) => sum(members.map((rank) => element(scene.k, rank, i))));
const before = ({ rank }: Scene, members: readonly number[], inclusive: boolean) =>
  members.filter((one) => one < rank || (inclusive && one === rank));
const ofAll = <T>(scene: Scene, members: readonly number[], part: (rank: number) => T): (T | undefined)[] =>
  Array.from({ length: scene.size }, (_, rank) => (members.includes(rank) ? part(rank) : undefined));
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const atRoot = <T>({ rank, root }: Scene, x: T): T | undefined => (rank === root ? x : undefined);

export const KINDS: readonly Kind[] = [
  { name: "barrier", args: () => [], gives: () => undefined },
  {
    name: "broadcast",
    hasRoot: true,
    args: ({ k, rank, root }) => [own(k, rank), root],
    gives: ({ k, root }) => own(k, root),
  },
  {
    name: "broadcast",
    hasRoot: true,
    args: (scene) => [scene.rank === scene.root ? { at: own(scene.k, scene.rank) } : undefined, scene.root],
    gives: ({ k, root }) => ({ at: own(k, root) }),
  },
  {
    name: "broadcast",
    hasRoot: true,
    args: (scene) => [arrayOf(scene, scene.rank), scene.root],
    gives: (scene) => arrayOf(scene, scene.root),
  },
  {
    name: "reduce",
    hasRoot: true,
    args: ({ k, rank, root, add }) => [own(k, rank), add, root],
    gives: (scene, members) => atRoot(scene, sum(members.map((rank) => own(scene.k, rank)))),
  },
  {
    name: "reduce",
    hasRoot: true,
    args: (scene) => [arrayOf(scene, scene.rank), "sum", scene.root],
    gives: (scene, members) => atRoot(scene, sumOf(scene, members)),
  },
  {
    name: "allreduce",
    args: ({ k, rank, add }) => [own(k, rank), add],
    gives: ({ k }, members) => sum(members.map((rank) => own(k, rank))),
  },
  { name: "allreduce", args: (scene) => [arrayOf(scene, scene.rank), "sum"], gives: sumOf },
  { name: "allreduce", args: (scene) => [arrayOf(scene, scene.rank), scene.add], gives: sumOf },
  {
    name: "allreduce",
    args: ({ k, rank }) => [{ value: own(k, rank), index: rank }, "minloc"],
    gives: ({ k }, members) => {
      const [index] = members.toSorted((a, b) => own(k, a) - own(k, b) || a - b);
      return { value: own(k, index as number), index };
    },
  },
  {
    name: "reduceScatter",
    args: (scene) => [f64(scene.size * 3, (i) => element(scene.k, scene.rank, i)), "sum"],
    gives: (scene, members) => f64(3, (i) => sum(members.map((rank) => element(scene.k, rank, 3 * scene.rank + i)))),
  },
  {
    name: "reduceScatter",
    args: ({ k, rank, size, add }) => [range(size).map((to) => own(k, rank) + to), add],
    gives: ({ k, rank: to }, members) => sum(members.map((rank) => own(k, rank) + to)),
  },
  {
    name: "scan",
    args: ({ k, rank, add }) => [own(k, rank), add],
    gives: (scene, members) => sum(before(scene, members, true).map((rank) => own(scene.k, rank))),
  },
  {
    name: "scan",
    args: (scene) => [arrayOf(scene, scene.rank), "sum"],
    gives: (scene, members) => sumOf(scene, before(scene, members, true)),
  },
  {
    name: "exscan",
    args: ({ k, rank }) => [own(k, rank), "sum"],
    gives: (scene, members) => {
      const lower = before(scene, members, false);
      return lower.length === 0 ? undefined : sum(lower.map((rank) => own(scene.k, rank)));
    },
  },
  {
    name: "gather",
    hasRoot: true,
    args: ({ k, rank, root }) => [`${k} ${rank}`, root],
    gives: (scene, members) =>
      atRoot(
        scene,
        ofAll(scene, members, (rank) => `${scene.k} ${rank}`),
      ),
  },
  {
    name: "gather",
    hasRoot: true,
    args: ({ k, rank, root }) => [f64(rank + 1, (i) => element(k, rank, i)), root],
    gives: (scene, members) =>
      atRoot(
        scene,
        members.flatMap((rank) => [...f64(rank + 1, (i) => element(scene.k, rank, i))]),
      ),
  },
  {
    name: "allgather",
    args: ({ k, rank }) => [{ k, rank }],
    gives: (scene, members) => ofAll(scene, members, (rank) => ({ k: scene.k, rank })),
  },
  {
    name: "allgather",
    args: ({ k, rank }) => [f64(rank + 1, (i) => element(k, rank, i))],
    gives: (scene, members) => members.flatMap((rank) => [...f64(rank + 1, (i) => element(scene.k, rank, i))]),
  },
  {
    name: "scatter",
    hasRoot: true,
    args: ({ k, rank, size, root }) => [rank === root ? f64(2 * size, (i) => element(k, root, i)) : undefined, root],
    gives: ({ k, rank, root }) => f64(2, (i) => element(k, root, 2 * rank + i)),
  },
  {
    name: "scatter",
    hasRoot: true,
    args: ({ k, rank, size, root }) => [rank === root ? range(size).map((to) => `${k} ${to}`) : undefined, root],
    gives: ({ k, rank }) => `${k} ${rank}`,
  },
  {
    name: "alltoall",
    args: ({ k, rank, size }) => [f64(2 * size, (i) => element(k, rank, i))],
    gives: (scene, members) =>
      ofAll(scene, members, (from) => [...f64(2, (i) => element(scene.k, from, 2 * scene.rank + i))]).flatMap(
        (part) => part ?? [0, 0],
      ),
  },
  {
    name: "alltoall",
    args: ({ k, rank, size }) => [range(size).map((to) => ({ k, rank, to }))],
    gives: (scene, members) => ofAll(scene, members, (rank) => ({ k: scene.k, rank, to: scene.rank })),
  },
  {
    name: "alltoallv",
    args: ({ k, rank, size }) => [range(size).map((to) => f64(to, (i) => element(k, rank, i)))],
    gives: (scene, members) => ofAll(scene, members, (rank) => [...f64(scene.rank, (i) => element(scene.k, rank, i))]),
  },
];

const LENGTHS = [1, 5, 40, 300, 5000];

function sceneOf(seed: number, k: number, rank: number, size: number): { scene: Scene; kind: Kind } {
  const kind = KINDS[pick(KINDS.length, seed, k, 1)] as Kind;
  const length = LENGTHS[pick(LENGTHS.length, seed, k, 2)] as number;
  const root = pick(size, seed, k, 3);
  return { kind, scene: { k, rank, size, root, length, add: (a, b) => a + b } };
}

/** How a PE ends itself, and how it makes a call. */
export interface Ways {
  readonly end: () => unknown;
  readonly blocks: boolean;
  /** Called before each call, for delays and so on. */
  readonly pause?: (k: number) => unknown;
}

/** Plays a run at one PE. @param log gets what it has got of each call */
export async function play(
  pe: Group,
  { seed, count, fates }: Run,
  { end, blocks, pause }: Ways,
  log: Entry[],
): Promise<void> {
  const all = resilient(pe);
  const { rank, size } = all;
  const fate = fates.find((one) => one.rank === rank);
  const endsAt = (k: number, point: Point) => fate?.k === k && fate.point === point;
  // arrays in the heap take other ways than those of the PE; made while nobody was lost, or not at all
  const heap = new Map<number, Float64Array>();
  for (const length of LENGTHS.slice(1)) {
    try {
      heap.set(length, await pe.allocAsync(Float64Array, length));
    } catch (error) {
      if (!(error instanceof RankLostError)) throw error;
      break;
    }
  }
  for (let k = 0; k < count; k++) {
    await pause?.(k);
    if (endsAt(k, "before")) end();
    const { kind, scene } = sceneOf(seed, k, rank, size);
    const add = (a: number, b: number): number => {
      if (endsAt(k, "inside")) end();
      return a + b;
    };
    const args = kind.args({ ...scene, add });
    const [x] = args;
    const place = x instanceof Float64Array && pick(2, seed, k, rank) === 0 ? heap.get(x.length) : undefined;
    if (place !== undefined) {
      place.set(x as Float64Array);
      args[0] = place;
    }
    const name = (blocks ? kind.name : `${kind.name}Async`) as "barrierAsync";
    try {
      const got = await (all[name] as (...given: unknown[]) => unknown)(...args);
      log.push({ got: Array.isArray(got) ? Array.from(got, plain) : plain(got), lost: all.lost });
    } catch (error) {
      if (!(error instanceof RankLostError) || kind.hasRoot !== true || error.rank !== pe.ranks[scene.root])
        throw error;
      log.push({ got: "lost", lost: all.lost });
    }
    if (endsAt(k, "after")) end();
  }
  all.leave();
}

/** Checks what all PEs have got. @param doomed ranks that may be lost @returns how many calls had lost a PE before their end */
export function check(logs: readonly (readonly Entry[])[], { seed, count }: Run, doomed: ReadonlySet<number>): number {
  const size = logs.length;
  let lost: readonly number[] = [];
  let repaired = 0;
  for (let k = 0; k < count; k++) {
    const entries = logs.flatMap((log, rank) => (log[k] === undefined ? [] : [{ rank, entry: log[k] as Entry }]));
    const [first] = entries;
    if (first === undefined) break;
    const now = first.entry.lost;
    assert.ok(
      lost.every((rank) => now.includes(rank)),
      `call ${k}: lost ${lost.join()}, then ${now.join()}`,
    );
    assert.ok(
      now.every((rank) => doomed.has(rank)),
      `call ${k}: lost ${now.join()}`,
    );
    if (now.length > lost.length) repaired++;
    lost = now;
    const members = range(size).filter((rank) => !now.includes(rank));
    for (const { rank, entry } of entries) {
      const { kind, scene } = sceneOf(seed, k, rank, size);
      const isLost = kind.hasRoot === true && now.includes(scene.root);
      const expected = isLost ? "lost" : kind.gives(scene, members);
      const text = `call ${k}, ${kind.name} at PE ${rank}`;
      assert.equal(entry.lost, now, text);
      assert.ok(members.includes(rank), text);
      assert.equal(entry.got, Array.isArray(expected) ? Array.from(expected, plain) : plain(expected), text);
    }
  }
  for (const [rank, log] of logs.entries()) if (!doomed.has(rank)) assert.is(log.length, count, `PE ${rank}`);
  return repaired;
}
