/**
 * Short messages, after which nobody waits for those who read them: calls of any kind and length one after the other,
 * by PEs in one thread in random order, so that some are ahead by as many calls as they may be. Each PE overwrites its
 * x when its call has returned.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Alltoall, alltoallValues } from "../../../src/collectives/node/alltoall.ts";
import { pack } from "../../../src/collectives/node/exposed-values.ts";
import { Gather } from "../../../src/collectives/node/gather.ts";
import { regionOf } from "../../../src/collectives/node/region.ts";
import { scatterValues } from "../../../src/collectives/node/scatter.ts";
import { SingleCopy } from "../../../src/collectives/node/single-copy.ts";
import { broadcastValue } from "../../../src/collectives/node/value-broadcast.ts";
import { ALL } from "../../../src/collectives/team/eager-board.ts";
import type { Team } from "../../../src/collectives/team/team.ts";
import { EAGER_SLOTS, LONGEST_EAGER } from "../../../src/collectives/team/team-block.ts";
import type { Condition } from "../../../src/ground/wait/condition.ts";
import type { Task } from "../../../src/ground/wait/task.ts";
import { rounds } from "../../support/long.ts";
import { teamsInOneThread } from "../support/teams.ts";

const eager = suite("eager");

const PES = 3;
const NAMES = ["gather", "allgather", "alltoall", "lists", "scatter", "broadcast"] as const;
/** Elements: none, few, and around the longest of the short messages. */
const LENGTHS = [0, 1, 3, 9, LONGEST_EAGER / 8 - 6, LONGEST_EAGER / 8 - 3, LONGEST_EAGER / 8, LONGEST_EAGER / 8 + 3];

const call = fc.record({
  name: fc.constantFrom(...NAMES),
  root: fc.nat({ max: PES - 1 }),
  lengths: fc.tuple(...Array.from({ length: PES }, () => fc.constantFrom(...LENGTHS))),
  inHeap: fc.boolean(),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** What PE `from` has for PE `to` in call `i`. */
const numbers = (i: number, from: number, to: number, length: number): number[] =>
  Array.from({ length }, (_, k) => 1e6 * i + 1e5 * from + 1e4 * to + k);

/** What PE `rank` gives in a call, by the PE that gets it; of a call in which all get the same, one. */
function given({ name, lengths, root }: Call, i: number, rank: number): number[][] {
  const to = name === "gather" || name === "allgather" || name === "broadcast" ? 1 : PES;
  // equal parts
  const common = Math.floor((lengths[root] as number) / PES);
  const length = name === "alltoall" || name === "scatter" ? common : (lengths[rank] as number);
  return Array.from({ length: to }, (_, peer) => numbers(i, rank, peer, length));
}

/** What PE `rank` has in the end. */
function expected(call: Call, i: number, rank: number): unknown {
  const { name, root } = call;
  const from = Array.from({ length: PES }, (_, peer) => given(call, i, peer));
  if (name === "gather") return rank === root ? from.flat(2) : undefined;
  if (name === "allgather") return from.flat(2);
  if (name === "alltoall") return from.flatMap((parts) => parts[rank] as number[]);
  if (name === "lists") return from.map((parts) => parts[rank]);
  if (name === "scatter") return from[root]?.[rank];
  return rank === root ? undefined : from[root]?.[0];
}

const plain = (result: unknown): unknown =>
  ArrayBuffer.isView(result) ? [...(result as Float64Array)] : Array.isArray(result) ? result.map(plain) : result;

/** Plays calls on three PEs; the turns say whose next step it is. @returns by how many calls a PE was ahead */
function play(calls: readonly Call[], turns: readonly number[]): number {
  const pes = teamsInOneThread(PES, 2 ** 21);
  const { heap } = pes[0] as Team;
  const gathers = pes.map((team) => new Gather(team));
  const alltoalls = pes.map((team) => new Alltoall(team));

  const begin = (one: Call, i: number, rank: number): { task: Task<unknown>; xs: Float64Array[]; free: () => void } => {
    const team = pes[rank] as Team;
    const { name, root, inHeap } = one;
    const mine = given(one, i, rank);
    const blocks: number[] = [];
    const array = (from: number[]): Float64Array => {
      if (!inHeap) return Float64Array.from(from);
      blocks.push(heap.allocate(Math.max(8, 8 * from.length)));
      const x = new Float64Array(heap.buffer, blocks.at(-1), from.length);
      x.set(from);
      return x;
    };
    const xs = name === "lists" ? mine.map(array) : [array(mine.flat())];
    const word = 7 + NAMES.indexOf(name);
    const tag = team.enter(word, 0, root);
    team.note(word, 0, root);
    const packed = xs.map((x) => pack(team.payload, x));
    const [x] = packed as [(typeof packed)[0]];
    const value = pack(team.payload, mine.flat());
    const tasks: Record<Call["name"], () => Task<unknown>> = {
      gather: () => (gathers[rank] as Gather).begin(tag, x, root, undefined),
      allgather: () => (gathers[rank] as Gather).begin(tag, x, ALL, undefined),
      alltoall: () => (alltoalls[rank] as Alltoall).begin(tag, x, undefined),
      lists: () => alltoallValues(team, tag, packed),
      scatter: () => scatterValues(team, tag, rank === root ? x : null, root, undefined),
      broadcast: () => broadcastValue(team, tag, rank === root ? value : null, root),
    };
    const free = (): void => {
      for (const block of blocks) heap.free(block);
    };
    return { task: tasks[name](), xs, free };
  };

  let ahead = 0;
  const at = pes.map(() => 0);
  const waits = pes.map(() => null as Condition | null);
  const under = pes.map(() => null as ReturnType<typeof begin> | null);
  /** Takes a PE a step on: to where it waits, and past calls that are over. */
  const step = (rank: number): void => {
    while ((at[rank] as number) < calls.length) {
      const i = at[rank] as number;
      const one = calls[i] as Call;
      under[rank] ??= begin(one, i, rank);
      const { task, xs, free } = under[rank];
      // a generator goes on only when what it waits for is fulfilled
      if (waits[rank]?.ready() === false) return;
      const { done, value } = task.next();
      waits[rank] = done ? null : value;
      if (!done) return;
      assert.equal(plain(value), expected(one, i, rank), `call ${i} of PE ${rank}: ${JSON.stringify(one)}`);
      // who has returned may change what it gave
      for (const x of xs) x.fill(-1);
      free();
      under[rank] = null;
      at[rank] = i + 1;
      ahead = Math.max(ahead, i + 1 - Math.min(...at));
    }
  };
  for (const rank of turns) step(rank);
  for (let round = 0; at.some((i) => i < calls.length); round++) {
    assert.ok(round < 100 * calls.length, "they wait for each other");
    for (const rank of pes.keys()) step(rank);
  }
  return ahead;
}

eager("any calls, in any order of steps, by PEs that are ahead of each other", () => {
  let ahead = 0;
  const calls = fc.array(call, { minLength: 1, maxLength: 12 });
  const turns = fc.array(fc.nat({ max: PES - 1 }), { maxLength: 60 });
  const one = (...played: Parameters<typeof play>) => {
    ahead = Math.max(ahead, play(...played));
  };
  fc.assert(fc.property(calls, turns, one), { numRuns: rounds(200, 20_000) });
  assert.ok(ahead >= EAGER_SLOTS, `a PE was ahead by ${ahead} calls`);
});

eager("a PE that gathers short parts goes on until its slots are full", () => {
  const pes = teamsInOneThread(2, 2 ** 20);
  const [root, other] = pes as [Team, Team];
  const calls = (team: Team) => {
    const gather = new Gather(team);
    return () => {
      const tag = team.enter(7, 0, 0);
      team.note(7, 0, 0);
      return gather.begin(tag, pack(team.payload, 5), 0, undefined);
    };
  };
  const [atRoot, atOther] = [calls(root), calls(other)];
  for (let i = 0; i < EAGER_SLOTS; i++) assert.is(atOther().next().done, true);
  const waiting = atOther();
  assert.is(waiting.next().done, false, "all slots are full");
  assert.equal(atRoot().next().value, [5, 5]);
  // the root has begun only the first call, and may still read it
  assert.is(waiting.next().done, false);
  assert.equal(atRoot().next().value, [5, 5]);
  assert.is(waiting.next().done, true);
});

eager("phases wrap, also of PEs that nobody has looked at since", () => {
  const pes = teamsInOneThread(PES, 2 ** 21);
  for (const { board, eager } of pes) for (const one of [board, eager.headers]) setPhase(one, 2 ** 31 - 70_000);
  const gathers = pes.map((team) => new Gather(team));
  const begin = (rank: number, x: unknown, root: number): Task<unknown> => {
    const team = pes[rank] as Team;
    const tag = team.enter(7, 0, root);
    team.note(7, 0, root);
    return (gathers[rank] as Gather).begin(tag, pack(team.payload, x), root, undefined);
  };
  const short = new Uint8Array(8);
  for (let i = 0; i < 140_000; i++) for (const rank of [1, 2, 0]) assert.is(begin(rank, short, 0).next().done, true);
  // nobody but PE 0 has looked at PE 2
  const [one, two] = [begin(1, 1, ALL), begin(0, 0, ALL)];
  for (const task of [one, two]) assert.is(task.next().done, false, "PE 2 has not begun");
  const three = begin(2, 2, ALL);
  for (const task of [three, one, two]) assert.equal(task.next(), { done: true, value: [0, 1, 2] });
  const long = new Float64Array(LONGEST_EAGER);
  const waiting = begin(1, long, 0);
  assert.is(waiting.next().done, false, "the root has not read it");
  begin(2, short.subarray(0, 0), 0).next();
  assert.is(begin(0, long, 0).next().done, true);
  assert.is(waiting.next().done, true);
});

eager("what a call was about is forgotten when it is over", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const pes = teamsInOneThread(2, 2 ** 21);
  const all: WeakRef<object>[] = [];
  // in a function of its own, whose variables are gone
  const play = (make: (team: Team) => (tag: number, x: Float64Array) => Task<unknown>): void => {
    const calls = pes.map(make);
    const tasks = pes.map((team, rank) => {
      const x = new Float64Array(100);
      all.push(new WeakRef(x));
      const tag = team.enter(7, 0, 0);
      team.note(7, 0, 0);
      return (calls[rank] as (typeof calls)[0])(tag, x);
    });
    tasks[0]?.next();
    for (const task of tasks.toReversed()) {
      const { done, value } = task.next();
      assert.is(done, true);
      if (value !== undefined) all.push(new WeakRef(value as object));
    }
    kept.push(calls);
  };
  const kept: unknown[] = [];
  play((team) => {
    const gather = new Gather(team);
    return (tag, x) => gather.begin(tag, pack(team.payload, x), ALL, undefined);
  });
  play((team) => {
    const alltoall = new Alltoall(team);
    return (tag, x) => alltoall.begin(tag, pack(team.payload, x), undefined);
  });
  play((team) => {
    const broadcast = new SingleCopy(team);
    return (tag, x) => broadcast.begin(tag, regionOf(team, x, "f64"), 0);
  });
  // a WeakRef keeps what it has for the rest of its turn
  await new Promise(setImmediate);
  gc();
  assert.is(kept.length, 3);
  assert.equal(
    all.map((one) => one.deref()),
    all.map(() => undefined),
  );
});

/** As after so many calls. */
function setPhase(board: object, phase: number): void {
  (board as { phase: number }).phase = phase;
}

eager.run();
