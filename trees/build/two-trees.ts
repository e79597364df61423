/**
 * Two binary trees at once: each transfers every other segment, and every PE has children in only one of them, so no PE
 * has more work than two receives and two sends for two segments.
 *
 * The PEs other than the root form a row, neighbours next to each other. The first tree is the binary search tree over
 * the positions 1, 2, ... whose inner positions are the even ones; in the second one all positions are shifted by one,
 * so that the odd ones are inner. The root sends the segments to the roots of the two trees in turn.
 *
 * Limits: with an even number of PEs besides the root, one of them may be inner in both. The estimate ignores
 * contention. Source: Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan"
 * (2009).
 *
 * Example: root 0, PEs 1 to 3: the first tree 0: 2; 2: 1, 3; the second 0: 3; 3: 2, 1.
 */
import { membersByDomain } from "../model/domains.ts";
import { broadcastLatency } from "../model/latency.ts";
import type { Shape, TreeProblem } from "../model/types.ts";

/** The two trees, and the time of a message of some segments on them. */
export interface TwoTrees {
  readonly shapes: readonly [Shape, Shape];
  readonly latency: number;
}

/** Builds the two trees from a root. */
export function twoTrees(problem: TreeProblem, root: number, segments: number): TwoTrees {
  const row = membersByDomain(problem.domains[0] as Int32Array)
    .flat()
    .filter((v) => v !== root);
  const first = rowTree(problem.size, root, row);
  const second = rowTree(problem.size, root, [...row.slice(1), ...row.slice(0, 1)]);
  const latency = Math.max(broadcastLatency(problem, first), broadcastLatency(problem, second));
  const turns = Math.ceil(segments / 2) - 1;
  return { shapes: [first, second], latency: latency + turns * turn(problem, [first, second]) };
}

/** The binary search tree over a row below the root: even positions (from 1) are inner. */
function rowTree(size: number, root: number, row: readonly number[]): Shape {
  const children: number[][] = Array.from({ length: size }, () => []);
  const hang = (parent: number, from: number, to: number): void => {
    if (from > to) return;
    const top = middle(from, to);
    const v = row[top - 1] as number;
    (children[parent] as number[]).push(v);
    hang(v, from, top - 1);
    hang(v, top + 1, to);
  };
  hang(root, 1, row.length);
  return { root, children };
}

/** The position between two that is divisible by the highest power of two: the root of the subtree in between. */
function middle(from: number, to: number): number {
  let place = from;
  for (let power = 1; ; power *= 2) {
    const next = Math.ceil(from / power) * power;
    if (next > to) return place;
    place = next;
  }
}

/** Time in which the busiest PE receives a segment of each tree and forwards both. */
function turn({ size, send, receive }: TreeProblem, shapes: readonly Shape[]): number {
  const busy = new Float64Array(size);
  for (const { children } of shapes) {
    for (const [parent, list] of children.entries()) {
      for (const child of list) {
        busy[parent] = (busy[parent] as number) + (send[parent * size + child] as number);
        busy[child] = (busy[child] as number) + (receive[parent * size + child] as number);
      }
    }
  }
  return busy.reduce((most, time) => Math.max(most, time), 0);
}
