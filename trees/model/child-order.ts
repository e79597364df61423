/**
 * The best order of children in a given tree.
 *
 * From the leaves up, every parent sends first to the child with the most time left after the send: propagate + receive
 * + the time of its subtree, descending. Why: a parent's sends are sequential and each child then continues
 * independently: jobs on one machine with tails, whose makespan is minimal by Jackson's rule. Subtrees are optimised
 * first, so the whole tree is optimal for its topology. Source: Jackson's rule for tails; Bruno, Coffman, Sethi 1974.
 * Smelt sorts without the receive time.
 *
 * Example: send 1 everywhere; children a (receive 2, a leaf) and b (receive 1, its subtree takes 3): b, a.
 */
import { relayOf } from "./latency.ts";
import { topDown } from "./shape.ts";
import type { Shape, TreeProblem } from "./tree.ts";

/** A tree and its latency. */
export interface Judged {
  readonly shape: Shape;
  readonly latency: number;
}

/** The shape with its children in the best order, and its broadcast latency. */
export function bestOrder(problem: TreeProblem, shape: Shape): Judged {
  const { size, send, receive, propagate } = problem;
  const children: (readonly number[])[] = [...shape.children];
  // time from a member having the message until its whole subtree has it
  const time = new Float64Array(size);
  const tail = new Float64Array(size);
  for (const parent of topDown(shape).reverse()) {
    const list = children[parent] as readonly number[];
    if (list.length === 0) continue;
    for (const child of list) {
      const edge = parent * size + child;
      tail[child] = (propagate[edge] as number) + (receive[edge] as number) + (time[child] as number);
    }
    const sorted = [...list].sort((a, b) => (tail[b] as number) - (tail[a] as number));
    let clock = relayOf(problem, shape.root, parent);
    let latest = 0;
    for (const child of sorted) {
      clock += send[parent * size + child] as number;
      latest = Math.max(latest, clock + (tail[child] as number));
    }
    children[parent] = sorted;
    time[parent] = latest;
  }
  return { shape: { root: shape.root, children }, latency: time[shape.root] as number };
}
