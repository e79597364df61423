/** Random sequences of collectives on arrays that stay; every PE also plays all the others, on one thread. */
import * as assert from "uvu/assert";
import type { PE, TypedArray } from "../../../src/index.ts";
import { type Spmd, spmd } from "../../../src/index.ts";
import { inHeap, PLACES, placeArray } from "../support/places.ts";
import { algorithmOf, combined, combinedArrays, type How } from "../support/play-reductions.ts";
import { elements, firstDifference, opsOf, random, stepOf, TYPE_NAMES, type TypeName } from "../support/reference.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly seed: number;
  readonly steps: number;
}

/** An array of each PE: the PE's own, and what those of all PEs must hold. */
interface Symmetric {
  readonly type: TypeName;
  readonly own: TypedArray;
  readonly all: TypedArray[];
  readonly allInHeap: boolean;
  free(): void;
}

/** NaN is itself, -0 is not 0. */
function same(got: unknown, expected: unknown): void {
  if (!Object.is(got, expected)) assert.unreachable(`expected ${expected}, got ${got}`);
}

class Play {
  readonly #pe: PE;
  readonly #next: () => number;
  readonly #arrays: Symmetric[] = [];

  constructor(pe: PE, seed: number) {
    this.#pe = pe;
    // the same numbers at every PE: all must make the same calls
    this.#next = random(seed);
  }

  step(): string {
    const kind = this.#below(10);
    if (kind === 0 || this.#arrays.length === 0) return this.#make();
    if (kind === 1 && this.#arrays.length > 4) return this.#drop();
    if (kind === 2) return this.#barrier();
    return kind < 5 ? this.#number() : this.#array();
  }

  /** That no step has touched another array than its own. */
  finish(): void {
    for (const { own, all, type } of this.#arrays) {
      assert.is(firstDifference(own, all[this.#pe.rank]), -1, `${type}[${own.length}] at the end`);
    }
  }

  #below(n: number): number {
    return Math.floor(this.#next() * n);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)];
  }

  #barrier(): string {
    this.#pe.barrier();
    return "barrier";
  }

  #make(): string {
    const { rank, size } = this.#pe;
    const type = this.#pick(TYPE_NAMES);
    const length = this.#below(4) === 0 ? this.#below(20_000) : this.#below(20);
    const first = this.#below(PLACES.length);
    const placeAt = (at: number) => PLACES[(first + at) % PLACES.length];
    const seed = this.#below(1_000_000);
    const { array, free } = placeArray(this.#pe, type, length, placeAt(rank));
    const all = Array.from({ length: size }, (_, at) => elements(type, length, seed + at));
    (array as Float64Array).set(all[rank] as Float64Array);
    const allInHeap = all.every((_, at) => inHeap(placeAt(at)));
    this.#arrays.push({ type, own: array, all, allInHeap, free });
    return `${type}[${length}], ${placeAt(rank)}`;
  }

  #drop(): string {
    this.#arrays.splice(this.#below(this.#arrays.length), 1)[0].free();
    return "free";
  }

  #how(call: How["call"], bytes: number, root: number): How {
    const { trees, rank } = this.#pe;
    const algorithm = algorithmOf(this.#pe.explain(), call, bytes, null);
    return { call, algorithm, tree: trees.reduce, root, rank };
  }

  #number(): string {
    const pe = this.#pe;
    const root = this.#below(pe.size);
    const seed = this.#below(1_000_000);
    const values = Array.from({ length: pe.size }, (_, at) => elements("Float64Array", 1, seed + at)[0]);
    const mine = values[pe.rank] as number;
    const op = this.#pick(opsOf("Float64Array"));
    const step = stepOf("Float64Array", op) as unknown as (a: unknown, b: unknown) => number;
    const result = (call: How["call"]) => combined<unknown>(this.#how(call, 8, root), values, step);
    switch (this.#below(4)) {
      case 0:
        same(pe.broadcast(mine, root), values[root]);
        return `broadcast of a number from ${root}`;
      case 1:
        same(pe.reduce(mine, op, root), pe.rank === root ? result("reduce") : undefined);
        return `reduce ${op} of numbers to ${root}`;
      case 2:
        same(pe.scan(mine, op), result("scan"));
        return `scan ${op} of numbers`;
      default:
        same(pe.allreduce(mine, op), result("allreduce"));
        return `allreduce ${op} of numbers`;
    }
  }

  #array(): string {
    const pe = this.#pe;
    const { type, own, all, allInHeap } = this.#pick(this.#arrays);
    const root = this.#below(pe.size);
    const op = this.#pick(opsOf(type));
    const result = (call: How["call"], rank: number): TypedArray => {
      const how = { ...this.#how(call, own.byteLength, root), rank };
      return combinedArrays(how, all, stepOf(type, op), allInHeap);
    };
    let what: string;
    switch (this.#below(4)) {
      case 0:
        what = `broadcast of ${type}[${own.length}] from ${root}`;
        pe.broadcast(own, root);
        all.fill(all[root]);
        break;
      case 1:
        what = `reduce ${op} of ${type}[${own.length}] to ${root}`;
        pe.reduce(own, op, root);
        all[root] = result("reduce", root);
        break;
      case 2:
        what = `scan ${op} of ${type}[${own.length}]`;
        pe.scan(own, op);
        all.splice(0, pe.size, ...all.map((_, rank) => result("scan", rank)));
        break;
      default:
        what = `allreduce ${op} of ${type}[${own.length}]`;
        pe.allreduce(own, op);
        all.fill(result("allreduce", 0));
    }
    assert.is(firstDifference(own, all[pe.rank]), -1, what);
    return what;
  }
}

const program: Spmd = spmd((pe, args) => {
  const { seed, steps } = args as Args;
  const play = new Play(pe, seed);
  const done: string[] = [];
  try {
    while (done.length < steps) done.push(play.step());
    play.finish();
  } catch (cause) {
    const before = done.slice(-5).join("; ");
    const why = (cause as Error).message;
    throw new Error(`seed ${seed}, step ${done.length} after ${before}: ${why}`, { cause });
  }
  return done.length;
});

export default program;
