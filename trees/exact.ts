/**
 * The best tree there is, for small groups: dynamic programming over subsets.
 *
 * What: T(v, S) is the time from v having the message until all of S has it by trees below v. The first send
 * of v goes to some c in S, which takes a part A of the rest as its own subtree, while v goes on with what
 * is left:
 *
 *     T(v, {}) = 0
 *     T(v, S)  = min over c in S, A in S - c of  max(edge[v][c] + T(c, A), send[v][c] + T(v, S - c - A))
 *
 * with edge = send + propagate + receive. Every tree is such a choice, so the minimum is the optimum; all
 * roots come out of one table.
 *
 * Limits: n (n-1) 3^(n-2) steps and n 2^n numbers: 13 PEs take some 30 ms, each one more three times that.
 * Source: TREES.md part 2 (after the published brute force, which takes hours for 8 PEs).
 *
 * Example: send 2, receive 3 everywhere, 3 PEs: T(0, {1}) = 5, T(0, {1, 2}) = max(5, 2 + 5) = 7.
 */
import { edgeCosts } from "./problem.ts";
import type { Shape, TreeProblem } from "./types.ts";

/** The largest group that it is used for. */
export const EXACT_SIZE = 13;

/** The best trees of a group from every root. */
export interface ExactTrees {
  /** The least latency from each root. */
  readonly latency: Float64Array;
  /** A tree from a root that has it. */
  shape(root: number): Shape;
}

/** Builds the best broadcast tree from the forced root, else from the best one. */
export function exact(problem: TreeProblem): Shape {
  const { latency, shape } = solveExactly(problem);
  return shape(problem.root ?? latency.indexOf(Math.min(...latency)));
}

/** Solves a group of at most {@link EXACT_SIZE} members (more take time and memory accordingly). */
export function solveExactly(problem: TreeProblem): ExactTrees {
  const { size } = problem;
  const all = 2 ** size;
  const edge = edgeCosts(problem);
  const time = new Float64Array(size * all);
  // subsets come before the sets that hold them
  for (let set = 1; set < all; set++) {
    for (let v = 0; v < size; v++) {
      if ((set & (1 << v)) === 0) time[v * all + set] = leastTime(problem, edge, time, v, set);
    }
  }
  const whole = all - 1;
  const latency = Float64Array.from(
    { length: size },
    (_, v) => time[v * all + (whole & ~(1 << v))] as number,
  );
  return { latency, shape: (root) => unfold(problem, edge, time, root) };
}

function leastTime(
  { size, send }: TreeProblem,
  edge: Float64Array,
  time: Float64Array,
  v: number,
  set: number,
): number {
  const all = 2 ** size;
  let least = Number.POSITIVE_INFINITY;
  for (let c = 0; c < size; c++) {
    const bit = 1 << c;
    if ((set & bit) === 0) continue;
    const rest = set & ~bit;
    const there = edge[v * size + c] as number;
    const busy = send[v * size + c] as number;
    const theirs = c * all;
    const own = v * all;
    for (let part = rest; ; part = (part - 1) & rest) {
      const later = there + (time[theirs + part] as number);
      if (later < least) {
        const after = busy + (time[own + (rest ^ part)] as number);
        if (after < least) least = Math.max(later, after);
      }
      if (part === 0) break;
    }
  }
  return least;
}

/** Finds the choices again that led to the numbers of the table. */
function unfold(problem: TreeProblem, edge: Float64Array, time: Float64Array, root: number): Shape {
  const { size, send } = problem;
  const all = 2 ** size;
  const children: number[][] = Array.from({ length: size }, () => []);
  const left = [{ v: root, set: (all - 1) & ~(1 << root) }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { v, set } = next;
    if (set === 0) continue;
    const choice = choiceOf(v, set);
    (children[v] as number[]).push(choice.c);
    left.push({ v: choice.c, set: choice.part }, { v, set: set & ~(1 << choice.c) & ~choice.part });
  }
  return { root, children };

  function choiceOf(v: number, set: number): { c: number; part: number } {
    const least = time[v * all + set] as number;
    for (let c = 0; c < size; c++) {
      if ((set & (1 << c)) === 0) continue;
      const rest = set & ~(1 << c);
      for (let part = rest; ; part = (part - 1) & rest) {
        const later = (edge[v * size + c] as number) + (time[c * all + part] as number);
        const after = (send[v * size + c] as number) + (time[v * all + (rest ^ part)] as number);
        if (Math.max(later, after) === least) return { c, part };
        if (part === 0) break;
      }
    }
    throw new Error("unreachable: the table was made of these choices");
  }
}
