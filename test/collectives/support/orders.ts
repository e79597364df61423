/**
 * The orders in which reductions combine the values of all PEs, as the heads of src/collectives/*.ts
 * document them; written here once more, from the documentation.
 */
import type { TypedArray } from "../../../src/index.ts";
import type { Tree } from "../../../trees/model/tree.ts";
import { combineArrays, type Step } from "./reference.ts";

type Combine<T> = (a: T, b: T) => T;

/**
 * tree-reduce.ts: each PE starts with its own value and takes its neighbours in the tree from the last
 * to the first, all but the one towards the root.
 */
export function treeOrder<T>(tree: Pick<Tree, "children">, root: number, values: readonly T[], combine: Combine<T>): T {
  const neighbours = values.map((): number[] => []);
  for (const [parent, children] of Object.entries(tree.children)) {
    for (const child of children) neighbours[child].unshift(Number(parent));
    neighbours[Number(parent)].push(...children);
  }
  const gather = (rank: number, from: number): T => {
    let value = values[rank];
    for (const other of [...neighbours[rank]].reverse()) {
      if (other !== from) value = combine(value, gather(other, rank));
    }
    return value;
  };
  return gather(root, -1);
}

/** exchange.ts: those beyond the largest power of two are right operands; then halves of halves. */
export function exchangeOrder<T>(values: readonly T[], combine: Combine<T>): T {
  const core = 2 ** Math.floor(Math.log2(values.length));
  const half = (from: number, to: number): T => {
    if (to - from > 1) {
      const middle = (from + to) / 2;
      return combine(half(from, middle), half(middle, to));
    }
    return from + core < values.length ? combine(values[from], values[from + core]) : values[from];
  };
  return half(0, core);
}

/** scatter-reduce.ts: `first`, then the next, …, cyclically. */
export function ringOrder<T>(values: readonly T[], first: number, combine: Combine<T>): T {
  let value = values[first];
  for (let i = 1; i < values.length; i++) value = combine(value, values[(first + i) % values.length]);
  return value;
}

/** scan.ts: a loop over the ranks up to `last`. */
export function rankOrder<T>(values: readonly T[], last: number, combine: Combine<T>): T {
  return values.slice(1, last + 1).reduce((a, b) => combine(a, b), values[0]);
}

/**
 * scatter-reduce.ts: of each segment (the whole array when all lie in the heap) PE i combines chunk i,
 * which begins at a multiple of 128 bytes, in the cyclic order from i on.
 */
export function chunkOrder(values: readonly TypedArray[], inHeap: boolean, step: Step): TypedArray {
  const { length, BYTES_PER_ELEMENT } = values[0];
  const result = values[0].slice() as Float64Array;
  const segment = inHeap ? length : 65_536 / BYTES_PER_ELEMENT;
  const line = 128 / BYTES_PER_ELEMENT;
  for (let from = 0; from < length; from += segment) {
    const count = Math.min(segment, length - from);
    for (let pe = 0; pe < values.length; pe++) {
      const start = Math.floor((count * pe) / values.length / line) * line;
      const next = Math.floor((count * (pe + 1)) / values.length / line) * line;
      const end = pe + 1 === values.length ? count : next;
      if (end <= start) continue;
      const parts = values.map((value) => value.subarray(from + start, from + end));
      const chunk = ringOrder(parts, pe, (a, b) => combineArrays(a, b, step));
      result.set(chunk as Float64Array, from + start);
    }
  }
  return result;
}
