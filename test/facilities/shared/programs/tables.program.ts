/** Calls of a shared map and a counter by several PEs: histories for the checker, sums, growth, faults. */
import { sharedCounter } from "../../../../src/facilities/shared/tables/counter.ts";
import { sharedMap } from "../../../../src/facilities/shared/tables/map.ts";
import { sharedSet } from "../../../../src/facilities/shared/tables/set.ts";
import { bytes, f64, struct, u32 } from "../../../../src/ground/item/item-type.ts";
import type { PE, Spmd } from "../../../../src/index.ts";
import { spmd } from "../../../../src/index.ts";
import { pick } from "./play.ts";

export interface Args {
  readonly what: "history" | "growth" | "sums" | "update" | "lost";
  readonly seed: number;
  readonly turns: number;
  readonly keys: number;
}

export type Op = {
  readonly kind: "get" | "set" | "delete" | "add" | "update" | "count";
  readonly key: number;
  readonly value: number;
};
export interface Told {
  readonly op: Op;
  readonly result: number | boolean | undefined;
  readonly invoke: number;
  readonly returned: number;
}

const now = (): number => Number(process.hrtime.bigint());
const KINDS = ["get", "get", "set", "delete", "add", "update", "count"] as const;

function history(pe: PE, { seed, turns, keys }: Args): Told[] {
  const map = sharedMap(pe, u32, f64);
  const counter = sharedCounter(pe);
  const all: Told[] = [];
  pe.barrier();
  for (let turn = 0; turn < turns; turn++) {
    const kind = KINDS[pick(KINDS.length, seed, 1, turn, pe.rank)] as Op["kind"];
    const key = kind === "count" ? -1 : pick(keys, seed, 2, turn, pe.rank);
    const value = 1 + turn * 16 + pe.rank;
    const invoke = now();
    let result: Told["result"];
    if (kind === "get") result = map.get(key);
    else if (kind === "set") result = map.set(key, value) === map;
    else if (kind === "delete") result = map.delete(key);
    else if (kind === "add") result = map.add(key, value);
    else if (kind === "update") result = map.update(key, (old) => (old === undefined ? undefined : old * 2 + value));
    else result = counter.add(value);
    all.push({ op: { kind, key, value }, result, invoke, returned: now() });
    // other keys, so that the table grows
    if (turn % 4 === 0) map.set(1000 + pe.rank * turns + turn, 1);
  }
  pe.barrier();
  map.leave();
  counter.leave();
  return all;
}

/** Every PE adds its own keys, and reads those of the others as it comes to them. */
function growth(pe: PE, { turns }: Args): number {
  const type = struct({ a: f64, b: u32 });
  const map = sharedMap(pe, f64, type, { capacity: 1 });
  const reached = pe.allocShared(Int32Array, pe.size * 32);
  pe.barrier();
  for (let i = 0; i < turns; i++) {
    map.set(i * pe.size + pe.rank, { a: i, b: pe.rank });
    Atomics.store(reached, pe.rank * 32, i + 1);
    const other = (pe.rank + 1 + (i % Math.max(1, pe.size - 1))) % pe.size;
    const there = Atomics.load(reached, other * 32);
    if (there === 0) continue;
    const k = pick(there, i, other);
    const found = map.get(k * pe.size + other);
    if (found === undefined || found.a !== k || found.b !== other) {
      throw new Error(`key ${k * pe.size + other}: ${JSON.stringify(found)}`);
    }
  }
  pe.barrier();
  if (map.size !== turns * pe.size) throw new Error(`size ${map.size}`);
  const keys = new Set(map.keys());
  if (keys.size !== map.size) throw new Error(`${keys.size} keys`);
  pe.barrier();
  // deleted again, and others in their place: the table does not grow for ever
  for (let i = 0; i < turns; i++) if (!map.delete(i * pe.size + pe.rank)) throw new Error(`not there: ${i}`);
  pe.barrier();
  if (map.size !== 0 || [...map].length !== 0) throw new Error(`size ${map.size}`);
  pe.barrier();
  map.leave();
  return turns;
}

/** Texts that all PEs count. */
function sums(pe: PE, { turns, keys, seed }: Args): number {
  const map = sharedMap(pe, bytes(15), u32);
  const seen = sharedSet(pe, bytes(15));
  let first = 0;
  for (let i = 0; i < turns; i++) {
    const word = `wört ${pick(keys, seed, i, pe.rank)}`;
    map.add(word, 1);
    if (seen.add(word)) first++;
  }
  pe.barrier();
  const all = [...map].reduce((sum, [, n]) => sum + n, 0);
  if (all !== turns * pe.size) throw new Error(`${all} instead of ${turns * pe.size}`);
  const firsts = pe.allreduce(first, "sum");
  if (firsts !== map.size || seen.size !== map.size) throw new Error(`${firsts} first ones of ${map.size}`);
  for (const word of seen) if (!map.has(word)) throw new Error(word);
  pe.barrier();
  return all;
}

function update(pe: PE, { turns, keys, seed }: Args): number {
  const map = sharedMap(pe, u32, struct({ n: u32, sum: f64 }));
  for (let i = 0; i < turns; i++) {
    map.update(pick(keys, seed, i, pe.rank), (old) => {
      for (let k = 0; k < pick(200, i); k++) spun++;
      return { n: (old?.n ?? 0) + 1, sum: (old?.sum ?? 0) + i };
    });
  }
  pe.barrier();
  let n = 0;
  let sum = 0;
  map.forEach((value) => {
    n += value.n;
    sum += value.sum;
  });
  if (n !== turns * pe.size || sum !== (pe.size * turns * (turns - 1)) / 2) throw new Error(`${n} ${sum}`);
  return spun > 0 ? n : 0;
}
let spun = 0;

/** PE 1 is lost in an update: the entry stays as it was, and the others go on. */
function lost(pe: PE, { turns, seed }: Args): number {
  const map = sharedMap(pe, u32, f64);
  if (pe.rank === 0) map.set(7, 5);
  pe.barrier();
  if (pe.rank === 1) {
    map.update(7, () => {
      if (seed % 2 === 0) throw new RangeError("not this");
      return process.exit(3);
    });
  }
  for (let i = 0; i < turns; i++) map.add(7, 1);
  return map.get(7) as number;
}

const PLAYS = { history, growth, sums, update, lost };

function main(pe: PE, args: unknown): unknown {
  const all = args as Args;
  return PLAYS[all.what](pe, all);
}

const program: Spmd = spmd(main);
export default program;
