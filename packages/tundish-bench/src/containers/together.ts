/** The same by all PEs, in containers. */

import { array, containers, countingMap, disjointSet, map, set, text } from "../../../../src/containers.ts";
import { conveyor } from "../../../../src/conveyor.ts";
import { f64, u32 } from "../../../../src/ground/item/item-type.ts";
import type { PE } from "../../../../src/index.ts";
import { blockOf } from "../programs/program.ts";
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

type Together = (pe: PE, size: number) => Work;

/** Bytes for each entry, of all PEs together. */
const perEntry = (pe: PE, { localBytes, localSize }: { localBytes: number; localSize: number }): number =>
  pe.allreduce(localBytes, "sum") / pe.allreduce(localSize, "sum");

function counted<K>(pe: PE, kind: typeof text | typeof u32, keys: ArrayLike<K>, numberOf: (key: K) => number): Work {
  const data = containers(pe, { counts: countingMap(kind as typeof text) });
  return {
    run: () => {
      data.clear();
      data.run(({ counts }) => {
        for (let i = 0; i < keys.length; i++) counts.insert(keys[i] as string);
      });
    },
    result: () => {
      let sum = 0;
      data.counts.forAll((key, count) => {
        sum += mixed(numberOf(key as K), count);
      });
      return [data.counts.size(), pe.allreduce(sum, "sum")];
    },
    entryBytes: () => perEntry(pe, data.counts),
  };
}

const kmersCounted: Together = (pe, size) => {
  const { first, end } = blockOf(size, pe);
  const letters = genome(first, end);
  const data = containers(pe, { counts: countingMap(u32) });
  return {
    run: () => {
      data.clear();
      // as the table of one thread
      data.counts.reserve(size);
      data.run(({ counts }) => eachKmer(letters, (kmer) => counts.insert(kmer)));
    },
    result: () => {
      let sum = 0;
      data.counts.forAll((kmer, count) => {
        sum = (sum + mixed(kmer, count)) >>> 0;
      });
      return [data.counts.size(), pe.allreduce(sum, "sum") % 2 ** 32];
    },
    entryBytes: () => perEntry(pe, data.counts),
  };
};

/** Each PE counts the k-mers that are its own, as one thread does, in what it writes by hand. */
const kmersSent: Together = (pe, size) => {
  const { first, end } = blockOf(size, pe);
  const letters = genome(first, end);
  const c = conveyor(pe, u32);
  let table = new TypedTable(0);
  return {
    run: () => {
      table = new TypedTable(Math.ceil(size / pe.size));
      c.run(
        (push) => eachKmer(letters, (kmer) => push(ownerOf(kmer, pe.size), kmer)),
        (kmer) => table.add(kmer),
      );
    },
    result: () => {
      const [entries, sum] = table.entriesAndSum();
      return [pe.allreduce(entries, "sum"), pe.allreduce(sum, "sum") % 2 ** 32];
    },
    entryBytes: () => pe.allreduce(table.bytes, "sum") / pe.allreduce(table.entriesAndSum()[0], "sum"),
  };
};

/** By other bits than those that say the slot in the table of a PE. */
const ownerOf = (key: number, pes: number): number => (Math.imul(key, 0x85ebca6b) >>> 16) % pes;

const inserted: Together = (pe, size) => {
  const { first, end } = blockOf(size, pe);
  const keys = distinctKeys(first, end);
  const data = containers(pe, { entries: map(u32, f64) });
  return {
    run: () => {
      data.clear();
      data.run(({ entries }) => {
        for (let i = 0; i < keys.length; i++) entries.insert(keys[i], (first + i) / 2);
      });
    },
    result: () => [data.entries.size(), sumOf(pe, data.entries)],
    entryBytes: () => perEntry(pe, data.entries),
  };
};

const visited: Together = (pe, size) => {
  const { first, end } = blockOf(size, pe);
  const keys = repeatedKeys(size, first, end);
  const data = containers(pe, {
    entries: map(u32, f64, {
      add: {
        args: f64,
        run(entry, amount: number) {
          entry.value = (entry.value as number) + amount;
        },
      },
    }),
  });
  data.run(({ entries }) => {
    for (const key of keys) entries.insert(key, 0);
  });
  let runs = 0;
  return {
    run: () => {
      runs++;
      data.run(({ entries }) => {
        for (let i = 0; i < keys.length; i++) entries.visit(keys[i], "add", 2);
      });
    },
    result: () => [data.entries.size(), sumOf(pe, data.entries) / runs],
    entryBytes: () => null,
  };
};

const collected: Together = (pe, size) => {
  const { first, end } = blockOf(size, pe);
  const keys = repeatedKeys(size, first, end);
  const data = containers(pe, { keys: set(u32) });
  return {
    run: () => {
      data.clear();
      data.run((all) => {
        for (let i = 0; i < keys.length; i++) all.keys.insert(keys[i]);
      });
    },
    result: () => {
      let sum = 0;
      data.keys.forAll((key) => {
        sum += key;
      });
      return [data.keys.size(), pe.allreduce(sum, "sum")];
    },
    entryBytes: () => perEntry(pe, data.keys),
  };
};

const added: Together = (pe, size) => {
  const { first, end } = blockOf(size, pe);
  const indices = indicesOf(size, first, end);
  const data = containers(pe, { sums: array(f64, elementsOf(size)) });
  return {
    run: () => {
      data.clear();
      data.run(({ sums }) => {
        for (let i = 0; i < indices.length; i++) sums.add(indices[i], 2);
      });
    },
    result: () => {
      let sum = 0;
      data.sums.forAll((index, value) => {
        sum += mixed(index, value);
      });
      return [pe.allreduce(sum, "sum")];
    },
    entryBytes: () => null,
  };
};

const united: Together = (pe, size) => {
  const { first, end } = blockOf(size, pe);
  const edges = edgesOf(size, first, end);
  const data = containers(pe, { parts: disjointSet(size) });
  return {
    run: () => {
      data.clear();
      data.run(({ parts }) => {
        for (let i = 0; i < edges.length; i += 2) parts.union(edges[i], edges[i + 1]);
      });
    },
    result: () => {
      let sum = 0;
      data.parts.forAll((_, smallest) => {
        sum += smallest;
      });
      return [data.parts.countSets(), pe.allreduce(sum, "sum")];
    },
    entryBytes: () => null,
  };
};

/** The values of a map over all PEs. */
function sumOf(pe: PE, entries: { forAll(visit: (key: number, value: number) => unknown): void }): number {
  let sum = 0;
  entries.forAll((_, value) => {
    sum += value;
  });
  return pe.allreduce(sum, "sum");
}

export const TOGETHER_WORKS: Readonly<Record<WorkName, Together>> = {
  "counting map, u32": (pe, size) => {
    const { first, end } = blockOf(size, pe);
    return counted(pe, u32, repeatedKeys(size, first, end), (key) => key);
  },
  "counting map, words": (pe, size) => {
    const { first, end } = blockOf(size, pe);
    return counted(pe, text, zipfWords(size, first, end), (word) => word.length);
  },
  "counting map, k-mers": kmersCounted,
  "run of a conveyor, k-mers": kmersSent,
  "map, insert": inserted,
  "map, visit": visited,
  "set, insert": collected,
  "array, add": added,
  "disjoint set, union": united,
};
