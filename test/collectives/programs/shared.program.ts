/** One array for all PEs of a node: given, seen by all of them and by no other, taken back, refused. On threads, over nodes, on virtual PEs. */
import * as assert from "uvu/assert";
import { type Group, HeapError, type PE, type Spmd, spmd, type TypedArray, UsageError } from "../../../src/index.ts";
import { makeOf, random, TYPE_NAMES } from "../support/reference.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly isAsync: boolean;
}

/** Makes calls in the form that is asked for. */
class Caller {
  readonly #isAsync: boolean;

  constructor({ isAsync }: Args) {
    this.#isAsync = isAsync;
  }

  async call<T>(group: Group, name: string, ...args: readonly unknown[]): Promise<T> {
    const calls = group as unknown as Record<string, (...args: readonly unknown[]) => T>;
    const call = calls[this.#isAsync ? `${name}Async` : name];
    return (await call?.apply(group, args as unknown[])) as T;
  }

  shared<T extends TypedArray>(group: Group, type: unknown, length: number): Promise<T> {
    return this.call(group, "allocShared", type, length);
  }

  barrier(group: Group): Promise<void> {
    return this.call(group, "barrier");
  }

  /** The error of a call that must fail. */
  async failure(group: Group, name: string, ...args: readonly unknown[]): Promise<Error> {
    try {
      await this.call(group, name, ...args);
    } catch (error) {
      return error as Error;
    }
    return assert.unreachable(`${name} was not refused`) as never;
  }
}

/** The ranks in a group of its PEs on this node. */
function hereIn(pe: PE, group: Group): number[] {
  const first = pe.rank - pe.nodeRank;
  return [...group.ranks.keys()].filter((rank) => {
    const one = group.ranks[rank] as number;
    return one >= first && one < first + pe.nodeSize;
  });
}

/** All PEs of a node see the same elements, and those of other nodes see others. */
async function seen(pe: PE, group: Group, to: Caller): Promise<void> {
  const here = hereIn(pe, group);
  for (const [i, name] of TYPE_NAMES.entries()) {
    const length = group.size * [1, 13, 200][i % 3];
    const x = await to.shared<Uint8Array>(group, makeOf(name), length);
    assert.is(x[Symbol.toStringTag], name);
    assert.is(x.length, length);
    assert.is(x.byteOffset % 128, 0);
    assert.ok(
      x.every((value) => Number(value) === 0),
      "zeroed",
    );
    const marked = (rank: number) => (name.startsWith("Big") ? BigInt(rank + 1) : rank + 1) as number;
    await to.barrier(group);
    for (let at = group.rank; at < length; at += group.size) x[at] = marked(group.rank);
    await to.barrier(group);
    for (let at = 0; at < length; at++) {
      const writer = at % group.size;
      assert.is(Number(x[at]), here.includes(writer) ? writer + 1 : 0, `${name}[${at}]`);
    }
    await to.call(group, "free", x);
    assert.instance(await to.failure(group, "gather", x), UsageError);
  }
  const none = await to.shared<Float64Array>(group, Float64Array, 0);
  assert.is(none.length, 0);
  await to.call(group, "free", none);
}

/** Atomics count what all PEs of the node add. */
async function counted(pe: PE, group: Group, to: Caller): Promise<void> {
  const here = hereIn(pe, group).length;
  const counts = await to.shared<Int32Array>(group, Int32Array, 3);
  for (let i = 0; i < 2000; i++) Atomics.add(counts, i % 3, 1);
  await to.barrier(group);
  assert.equal([...counts], [667 * here, 667 * here, 666 * here]);
  await to.barrier(group);
  await to.call(group, "free", counts);
}

/** A freed block is used again, zeroed; many of them, and the heap does not fill up. */
async function reused(pe: PE, group: Group, to: Caller): Promise<void> {
  const first = await to.shared<Uint8Array>(group, Uint8Array, 5000);
  if (group.rank === 0) first.fill(255);
  await to.call(group, "free", first);
  const again = await to.shared<Uint8Array>(group, Uint8Array, 5000);
  // other groups, and virtual PEs of other nodes, may have taken it
  if (group.size === pe.size && pe.nodes === 1) assert.is(again.byteOffset, first.byteOffset);
  assert.ok(again.every((value) => value === 0));
  await to.call(group, "free", again);
  const next = random(11);
  const arrays: TypedArray[] = [];
  for (let i = 0; i < 60; i++) {
    if (arrays.length > 3) await to.call(group, "free", arrays.splice(Math.floor(next() * 3), 1)[0]);
    // arrays of each PE's own between them
    const name = i % 3 === 0 ? "alloc" : "allocShared";
    const x = await to.call<Uint8Array>(group, name, Uint8Array, 1 + Math.floor(next() * 9000));
    assert.ok(x.every((value) => value === 0));
    await to.barrier(group);
    if (name === "alloc" || group.rank === 0) x.fill(1);
    arrays.push(x);
  }
  for (const x of arrays) await to.call(group, "free", x);
}

/** No call writes into an array that others share; what reads it works. */
async function given(pe: PE, group: Group, to: Caller): Promise<void> {
  const { rank, size } = group;
  const here = hereIn(pe, group);
  const x = await to.shared<Float64Array>(group, Float64Array, 2 * size);
  for (const at of [2 * rank, 2 * rank + 1]) x[at] = rank + 1;
  await to.barrier(group);
  const before = x.slice();
  if (here.length > 1) {
    for (const [name, ...args] of [
      ["allreduce", x, "sum"],
      ["reduce", x, "max", 0],
      ["scan", x, "sum"],
      ["exscan", x, "sum"],
      ["allreduce", x, "minloc"],
      ["broadcast", x, (rank + 1) % size],
    ] as [string, ...unknown[]][]) {
      const error = await to.failure(group, name, ...args);
      assert.instance(error, UsageError, name);
      assert.match(error.message, /own, as the call writes .* allocShared\(\) that PE \d+ of the group shares\. Pass /);
    }
  }
  const ofNode = (from: number) => (here.includes(from) ? from + 1 : 0);
  assert.is((await to.call<Float64Array>(group, "allgather", x)).length, 2 * size * size);
  const all = await to.call<Float64Array | undefined>(group, "gather", x, 0);
  if (rank === 0) assert.equal([...(all as Float64Array).slice(0, 2 * size)], [...before]);
  assert.is((await to.call<Float64Array>(group, "scatter", x, 0)).length, 2);
  const blocks = await to.call<Float64Array>(group, "reduceScatter", x, "max");
  // each PE's part is written on its node alone
  assert.equal([...blocks], [rank + 1, rank + 1]);
  assert.is((await to.call<Float64Array>(group, "alltoall", x)).length, 2 * size);
  // the root alone gives it
  const mine = rank === 0 ? x : new Float64Array(2 * size);
  const got = await to.call<Float64Array>(group, "broadcast", mine, 0);
  assert.is(got, mine);
  const atRoot = await to.call<number[]>(group, "broadcast", rank === 0 ? [...before] : undefined, 0);
  assert.equal([...got], atRoot);
  // what comes writes parts that others have read until here
  await to.barrier(group);
  // parts that no two PEs have in common
  const part = x.subarray(2 * rank, 2 * rank + 2);
  const sum = (size * (size + 1)) / 2;
  assert.equal([...(await to.call<Float64Array>(group, "allreduce", part, "sum"))], [sum, sum]);
  await to.barrier(group);
  for (let at = 0; at < x.length; at++) assert.is(x[at], ofNode(at >> 1) > 0 ? sum : 0);
  await to.barrier(group);
  await to.call(group, "free", x);
}

/** The results of gather and allgather, in arrays that all share: two in turn, the same again, of parts that lie there. */
async function gathered(pe: PE, group: Group, to: Caller): Promise<void> {
  const { rank, size } = group;
  const ranks = [...Array(size).keys()];
  for (const [i, length] of [1, 3, 700, 5000].entries()) {
    const name = TYPE_NAMES[(i * 3 + size) % TYPE_NAMES.length];
    const Type = makeOf(name) as unknown as typeof Float64Array;
    const valueFrom = (from: number, round: number) =>
      (name.startsWith("Big") ? BigInt((from + round) % 100) : (from + round) % 100) as number;
    const one = await to.shared<Float64Array>(group, Type, length * size);
    const other = await to.shared<Float64Array>(group, Type, length * size);
    const own = await to.call<Float64Array>(group, "alloc", Type, length);
    const givens = [own, new Type(length), null];
    for (let round = 0; round < 24; round++) {
      // some times in turn, some times one again and again
      const into = round % 8 < 5 ? ([one, other][round & 1] as Float64Array) : one;
      const isOther = round % 8 > 0 && round % 8 < 5;
      const place = into.subarray(rank * length, (rank + 1) * length);
      // what lies there is written when all have read the last one: between two calls only if that was the other array
      const given = givens[round % (isOther ? 3 : 2)] ?? place;
      given.fill(valueFrom(rank, round));
      const root = round % 3 === 0 ? -1 : round % size;
      const args = root < 0 ? ["allgather", given] : ["gather", given, root];
      const got = await to.call<Float64Array | undefined>(group, ...(args as [string, unknown]), { into });
      if (root >= 0 && rank !== root) {
        assert.is(got, undefined);
        continue;
      }
      assert.ok(got === into, "the result is what was given");
      for (const from of ranks) {
        const part = into.subarray(from * length, (from + 1) * length);
        assert.ok(
          part.every((value) => value === valueFrom(from, round)),
          `${args[0]} of ${name}[${length}], round ${round}: the part of ${from}`,
        );
      }
    }
    await to.barrier(group);
    if (hereIn(pe, group).length > 1) {
      const short = new Type(length + 1);
      const wrong: readonly unknown[] = [short, new Type(0), new Float32Array(length).map(Number), 5, "text"];
      for (const x of name === "Float32Array" ? wrong.filter((_, at) => at !== 2) : wrong) {
        const error = await to.failure(group, "allgather", x, { into: one });
        assert.instance(error, UsageError);
        assert.match(
          error.message,
          /^into: expected a shared array that equal parts of all \d PEs fill, got a \w+ of \d+ for /,
        );
      }
      const overlapping = one.subarray(((rank + 1) % size) * length, ((rank + 1) % size) * length + length);
      const error = await to.failure(group, "gather", overlapping, 0, { into: one });
      assert.match(error.message, /^into: expected memory of its own/);
    }
    for (const x of [own, one, other]) await to.call(group, "free", x);
    const freed = await to.failure(group, "allgather", new Type(length), { into: one });
    assert.match(freed.message, /given back with free/);
  }
}

/** From node to node: the first PEs of the nodes are a group of their own, in which nobody shares the array. */
async function spread(pe: PE, group: Group, to: Caller): Promise<void> {
  const here = hereIn(pe, group);
  const table = await to.shared<Float64Array>(group, Float64Array, 1000);
  const first = await to.call<Group | null>(group, "split", here[0] === group.rank ? 0 : null);
  if (first !== null) {
    assert.is(first.rank === 0, group.rank === 0);
    if (first.rank === 0) for (let i = 0; i < table.length; i++) table[i] = i;
    await to.call(first, "broadcast", table, 0);
    // also a sum in place, of nodes
    const nodes = await to.call<Float64Array>(first, "allreduce", table, "sum");
    assert.is(nodes, table);
    first.leave();
  }
  await to.barrier(group);
  const nodes = await to.call<number>(group, "allreduce", here[0] === group.rank ? 1 : 0, "sum");
  assert.ok(table.every((value, i) => value === i * nodes));
  await to.call(group, "free", table);
}

/** A full heap, wrong arguments, what is not of this group: refused, and the world goes on. */
async function refused(pe: PE, group: Group, to: Caller): Promise<void> {
  const full = await to.failure(group, "allocShared", Uint8Array, 2 ** 40);
  assert.instance(full, HeapError);
  assert.match(
    full.message,
    /^allocShared: (cannot have 1099511627776 bytes beside the heap|expected at most 4294967296 elements)/,
  );
  for (const length of [-1, 1.5, Number.NaN, "3", undefined, null]) {
    const error = await to.failure(group, "allocShared", Float64Array, length);
    assert.instance(error, UsageError);
    assert.match(error.message, /^allocShared: expected a whole number of elements >= 0, got /);
  }
  for (const type of [undefined, Array, {}, "Float64Array"]) {
    const error = await to.failure(group, "allocShared", type, 1);
    assert.instance(error, UsageError);
    assert.match(error.message, /^allocShared: expected the constructor of a typed array/);
  }
  const x = await to.shared<Float64Array>(group, Float64Array, 4);
  for (const other of [x.subarray(), new Float64Array(4), undefined]) {
    assert.instance(await to.failure(group, "free", other), UsageError);
  }
  if (group !== pe) assert.instance(await to.failure(pe, "free", x), UsageError);
  await to.call(group, "free", x);
  assert.instance(await to.failure(group, "free", x), UsageError);
  assert.is(await to.call(group, "allreduce", 1, "sum"), group.size);
}

async function main(pe: PE, args: Args): Promise<string> {
  const to = new Caller(args);
  const groups: Group[] = [pe];
  const ranks = [...Array(pe.size).keys()];
  // in another order, and some of the PEs
  groups.push(pe.group(ranks.toReversed()));
  const odd = ranks.filter((rank) => rank % 2 === pe.rank % 2);
  groups.push(pe.group(odd));
  for (const group of groups) {
    await seen(pe, group, to);
    await counted(pe, group, to);
    await reused(pe, group, to);
    await given(pe, group, to);
    await gathered(pe, group, to);
    await spread(pe, group, to);
    await refused(pe, group, to);
    if (group !== pe) group.leave();
  }
  await to.barrier(pe);
  return "fine";
}

const program: Spmd = spmd((pe, args) => main(pe, args as Args));

export default program;
