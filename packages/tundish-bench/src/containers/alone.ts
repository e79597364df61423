/** The same by one thread that uses nothing of the library, as one would write it. */
import {
  distinctKeys,
  eachKmer,
  edgesOf,
  elementsOf,
  genome,
  indicesOf,
  mixed,
  repeatedKeys,
  zipfWords,
} from "./inputs.ts";
import { TypedTable } from "./typed-table.ts";
import type { Work, WorkName } from "./works.ts";

/** @param used bytes of the heap after garbage collection */
type Alone = (size: number, used: () => number) => Work;

/** A holder of entries: bytes of the heap for each, as the difference when it is no longer there. */
class Held<T extends { readonly size: number }> {
  one: T;
  readonly #make: () => T;
  readonly #used: () => number;

  constructor(make: () => T, used: () => number) {
    this.#make = make;
    this.#used = used;
    this.one = make();
  }

  renew(): T {
    this.one = this.#make();
    return this.one;
  }

  entryBytes(): number {
    const { size } = this.one;
    const before = this.#used();
    this.renew();
    return (before - this.#used()) / size;
  }
}

function counted<K>(keys: ArrayLike<K>, numberOf: (key: K) => number, used: () => number): Work {
  const held = new Held(() => new Map<K, number>(), used);
  return {
    run: () => {
      const counts = held.renew();
      for (let i = 0; i < keys.length; i++) counts.set(keys[i], (counts.get(keys[i]) ?? 0) + 1);
    },
    result: () => {
      let sum = 0;
      for (const [key, count] of held.one) sum += mixed(numberOf(key), count);
      return [held.one.size, sum];
    },
    entryBytes: () => held.entryBytes(),
  };
}

const kmersCounted: Alone = (size) => {
  const letters = genome(0, size);
  let table = new TypedTable(0);
  return {
    run: () => {
      table = new TypedTable(size);
      eachKmer(letters, (kmer) => table.add(kmer));
    },
    result: () => table.entriesAndSum(),
    entryBytes: () => table.bytes / table.entriesAndSum()[0],
  };
};

const inserted: Alone = (size, used) => {
  const keys = distinctKeys(0, size);
  const held = new Held(() => new Map<number, number>(), used);
  return {
    run: () => {
      const map = held.renew();
      for (let i = 0; i < size; i++) map.set(keys[i], i / 2);
    },
    result: () => [held.one.size, sumOf(held.one.values())],
    entryBytes: () => held.entryBytes(),
  };
};

const visited: Alone = (size) => {
  const keys = repeatedKeys(size, 0, size);
  const map = new Map<number, number>();
  for (const key of keys) map.set(key, 0);
  let runs = 0;
  return {
    run: () => {
      runs++;
      for (let i = 0; i < size; i++) map.set(keys[i], (map.get(keys[i]) as number) + 2);
    },
    result: () => [map.size, sumOf(map.values()) / runs],
    entryBytes: () => null,
  };
};

const collected: Alone = (size, used) => {
  const keys = repeatedKeys(size, 0, size);
  const held = new Held(() => new Set<number>(), used);
  return {
    run: () => {
      const set = held.renew();
      for (let i = 0; i < size; i++) set.add(keys[i]);
    },
    result: () => [held.one.size, sumOf(held.one)],
    entryBytes: () => held.entryBytes(),
  };
};

const added: Alone = (size) => {
  const indices = indicesOf(size, 0, size);
  const array = new Float64Array(elementsOf(size));
  return {
    run: () => {
      array.fill(0);
      for (let i = 0; i < size; i++) array[indices[i]] += 2;
    },
    result: () => [array.reduce((sum, x, i) => sum + mixed(i, x), 0)],
    entryBytes: () => null,
  };
};

/** The smaller root becomes the root, paths are halved. Source: Tarjan and van Leeuwen, 1984. */
const united: Alone = (size) => {
  const edges = edgesOf(size, 0, size);
  const parents = new Uint32Array(size);
  const find = (of: number): number => {
    let x = of;
    while (parents[x] !== x) {
      parents[x] = parents[parents[x]];
      x = parents[x];
    }
    return x;
  };
  return {
    run: () => {
      for (let x = 0; x < size; x++) parents[x] = x;
      for (let i = 0; i < edges.length; i += 2) {
        const a = find(edges[i]);
        const b = find(edges[i + 1]);
        if (a < b) parents[b] = a;
        else parents[a] = b;
      }
    },
    result: () => {
      let [sets, sum] = [0, 0];
      for (let x = 0; x < size; x++) {
        sets += Number(parents[x] === x);
        sum += find(x);
      }
      return [sets, sum];
    },
    entryBytes: () => null,
  };
};

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

export const ALONE_WORKS: Readonly<Record<WorkName, Alone>> = {
  "counting map, u32": (size, used) => counted(repeatedKeys(size, 0, size), (key) => key, used),
  "counting map, words": (size, used) => counted(zipfWords(size, 0, size), (word) => word.length, used),
  "counting map, k-mers": kmersCounted,
  "run of a conveyor, k-mers": kmersCounted,
  "map, insert": inserted,
  "map, visit": visited,
  "set, insert": collected,
  "array, add": added,
  "disjoint set, union": united,
};
