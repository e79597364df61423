/**
 * The optimal tree for small groups: dynamic programming over subsets.
 *
 * What: T(v, S) is the time from v having the message until all of S has it by trees below v. The first send of v is to
 * some c in X, the PEs of its subtree, while v continues with the rest of S:
 *
 *     T(v, {}) = 0
 *     T(v, S)  = min over X in S, c in X of  max(edge[v][c] + U(c, X - c), send[v][c] + T(v, S - X))
 *
 * with edge = send + propagate + receive, and U(c, S) = relay[c] + T(c, S) unless S is empty: c forwards. Every tree is
 * such a choice, so the minimum is the optimum; one table serves all roots.
 *
 * Of most X it is seen without a look at each c that they are no better than what is known: F(v, X), the least of
 * edge[v][c] + U(c, X - c) over c, is found once for every X, and no send of v is cheaper than its cheapest.
 * With a root that is asked for, no other PE serves sets that hold it.
 *
 * Limits: n 3^(n-1) steps of some 2 ns and n 2^n numbers: 13 PEs take 20 ms, 15 PEs 200 ms, each one more three
 * times that; with a root that is asked for, under half.
 * Source: ours, after the published brute force, which takes hours for 8 PEs.
 *
 * Example: send 2, receive 3 everywhere, 3 PEs: T(0, {1}) = 5, T(0, {1, 2}) = max(5, 2 + 5) = 7.
 */
import { edgeCosts } from "../model/problem.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";

/** The largest group that is solved exactly without a request. */
export const EXACT_SIZE = 15;

/** The optimal trees of a group from every allowed root. */
export interface ExactTrees {
  /** The least latency from each root; Infinity for roots that are not allowed. */
  readonly latency: Float64Array;
  /** A tree from a root with that latency. */
  shape(root: number): Shape;
}

/** Builds the best broadcast tree from the forced root, else from the best one. */
export function exact(problem: TreeProblem): Shape {
  const { latency, shape } = solveExactly(problem);
  return shape(latency.indexOf(Math.min(...latency)));
}

/** Solves a group of at most {@link EXACT_SIZE} members (more take time and memory accordingly). */
export function solveExactly(problem: TreeProblem): ExactTrees {
  const { size } = problem;
  const edge = edgeCosts(problem);
  const table = new Float64Array(size * 2 ** (size - 1));
  // U; the same numbers where nobody has a relay
  const below = problem.relay.some((time) => time > 0) ? table.slice() : table;
  const first = new Float64Array(table.length);
  for (const sets of bySize(size)) {
    for (let v = 0; v < size; v++) fill(problem, edge, { table, below, first }, v, sets);
  }
  const latency = Float64Array.from({ length: size }, (_, v) =>
    (problem.root ?? v) === v ? (table[(v + 1) * 2 ** (size - 1) - 1] as number) : Number.POSITIVE_INFINITY,
  );
  return { latency, shape: (root) => unfold(problem, edge, { table, below }, root) };
}

/**
 * The sets of one member, of two and so on. In the tables sets that a member serves are numbers whose bits are
 * the others, without a bit for itself: so its part is small and stays in the cache.
 */
function bySize(size: number): number[][] {
  const sets: number[][] = Array.from({ length: size - 1 }, () => []);
  for (let set = 1; set < 2 ** (size - 1); set++) sets[bits(set) - 1]?.push(set);
  return sets;
}

function bits(set: number): number {
  let count = 0;
  for (let left = set; left !== 0; left &= left - 1) count++;
  return count;
}

/** Converts a set of all members to the numbers of `v`, which is not in it. */
function withoutBit(set: number, v: number): number {
  const low = (1 << v) - 1;
  return (set & low) | ((set >> 1) & ~low);
}

/** The reverse of {@link withoutBit}. */
function withBit(set: number, v: number): number {
  const low = (1 << v) - 1;
  return (set & low) | ((set & ~low) << 1);
}

/** T, U and F of all members. */
interface Tables {
  readonly table: Float64Array;
  readonly below: Float64Array;
  readonly first: Float64Array;
}

/** Computes T, U and F of one member for all sets of one size; those of smaller sets are known. */
function fill(
  { size, send, relay, root }: TreeProblem,
  edge: Float64Array,
  { table, below, first }: Tables,
  v: number,
  sets: readonly number[],
): void {
  const half = 2 ** (size - 1);
  const time = table.subarray(v * half, (v + 1) * half);
  const entry = first.subarray(v * half, (v + 1) * half);
  const banned = root === undefined || root === v ? 0 : withoutBit(1 << root, v);
  for (const set of sets) {
    if ((set & banned) !== 0) continue;
    let least = Number.POSITIVE_INFINITY;
    let shortest = Number.POSITIVE_INFINITY;
    const all = withBit(set, v);
    for (let left = all; left !== 0; left &= left - 1) {
      const c = 31 - Math.clz32(left & -left);
      const later = (edge[v * size + c] as number) + timeOf(below, half, c, all);
      if (later < least) least = later;
      const busy = send[v * size + c] as number;
      if (busy < shortest) shortest = busy;
    }
    entry[set] = least;
    // the whole set below one child takes that time; now all sets that leave something to v
    for (let part = (set - 1) & set; part !== 0; part = (part - 1) & set) {
      if ((entry[part] as number) >= least) continue;
      const rest = time[set ^ part] as number;
      if (rest + shortest >= least) continue;
      const served = withBit(part, v);
      for (let left = served; left !== 0; left &= left - 1) {
        const c = 31 - Math.clz32(left & -left);
        const after = (send[v * size + c] as number) + rest;
        if (after >= least) continue;
        const later = (edge[v * size + c] as number) + timeOf(below, half, c, served);
        if (later < least) least = Math.max(later, after);
      }
    }
    time[set] = least;
    below[v * half + set] = (relay[v] as number) + least;
  }
}

/** T(c, set - c), or U. */
function timeOf(table: Float64Array, half: number, c: number, set: number): number {
  return table[c * half + withoutBit(set & ~(1 << c), c)] as number;
}

/** Repeats the choices that led to the numbers of the table. */
function unfold(
  problem: TreeProblem,
  edge: Float64Array,
  { table, below }: Pick<Tables, "table" | "below">,
  root: number,
): Shape {
  const { size, send } = problem;
  const half = 2 ** (size - 1);
  const children: number[][] = Array.from({ length: size }, () => []);
  const left = [{ v: root, set: (2 ** size - 1) & ~(1 << root) }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { v, set } = next;
    if (set === 0) continue;
    const { c, part } = choiceOf(v, set);
    (children[v] as number[]).push(c);
    left.push({ v: c, set: part & ~(1 << c) }, { v, set: set ^ part });
  }
  return { root, children };

  function choiceOf(v: number, set: number): { c: number; part: number } {
    const least = timeOf(table, half, v, set);
    for (let part = set; part !== 0; part = (part - 1) & set) {
      const rest = timeOf(table, half, v, set ^ part);
      for (let c = 0; c < size; c++) {
        if ((part & (1 << c)) === 0) continue;
        const later = (edge[v * size + c] as number) + timeOf(below, half, c, part);
        if (Math.max(later, (send[v * size + c] as number) + rest) === least) return { c, part };
      }
    }
    throw new Error("unreachable: the table was made of these choices");
  }
}
