/**
 * Smelt's improvement of a tree: shuffle and sort.
 *
 * What: again and again, take the PE that gets the message last (a leaf) and give it to the PE that can deliver it
 * first after its own last send, if that is earlier than now. Before each such step, `sort` has every PE send first to
 * the child whose subtree takes longest, and keeps that order unless the broadcast gets longer.
 *
 * Limits: moves one leaf at a time; the sort key leaves out the child's own receive time (optimal is receive +
 * subtree), as Smelt's does. Stops when neither the latency nor the number of PEs that reach it shrinks, where the
 * Simulator fails on an assertion (uniform matrices). Costs O(n log n) per step; the number of steps was below 3n on
 * all machines at hand.
 *
 * Source: Smelt (OSDI'16) section 3.3.2, as its Simulator does it: the new sender is the one that could deliver first
 * (the paper: the one idle first), sorting comes before a shuffle, not after it.
 *
 * Example: send 1, receive 9 everywhere, 0: 1; 1: 2. PE 2 is last at 20; PE 0 is idle at 1 and could deliver at 11, so
 * 0: 1, 2.
 */
import { type BroadcastTimes, broadcastTimes } from "../model/latency.ts";
import { edgeCost } from "../model/problem.ts";
import { topDown } from "../model/shape.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";

/** A shape with its times, its latency and the number of PEs that receive the message last. */
interface Timed extends BroadcastTimes {
  readonly shape: Shape;
  readonly latency: number;
  readonly critical: number;
}

/** Improves a broadcast tree; never makes it slower. */
export function shuffle(problem: TreeProblem, shape: Shape, options: { readonly sort: boolean }): Shape {
  let current = timed(problem, shape);
  for (;;) {
    const sorted = options.sort ? sortBySubtree(problem, current) : current;
    const moved = moveLast(problem, sorted);
    if (moved === undefined || !isBetter(moved, current)) return sorted.shape;
    current = moved;
  }
}

function timed(problem: TreeProblem, shape: Shape): Timed {
  const { informed, idle } = broadcastTimes(problem, shape);
  let latency = 0;
  let critical = 0;
  for (const time of informed) {
    if (time > latency) critical = 0;
    latency = Math.max(latency, time);
    if (time === latency) critical++;
  }
  return { shape, informed, idle, latency, critical };
}

/** Every step is better in this order than the one before, so that shuffling terminates. */
function isBetter(a: Timed, b: Timed): boolean {
  return a.latency < b.latency || (a.latency === b.latency && a.critical < b.critical);
}

function sortBySubtree(problem: TreeProblem, current: Timed): Timed {
  const { shape, informed } = current;
  const order = topDown(shape);
  // time from having the message until the whole subtree has it
  const subtree = informed.slice();
  for (const parent of order.reverse()) {
    for (const child of shape.children[parent] as readonly number[])
      subtree[parent] = Math.max(subtree[parent] as number, subtree[child] as number);
  }
  for (const pe of order) subtree[pe] = (subtree[pe] as number) - (informed[pe] as number);
  const children = [...shape.children];
  for (const parent of order) {
    const list = children[parent] as readonly number[];
    if (list.length > 1) children[parent] = [...list].sort((a, b) => (subtree[b] as number) - (subtree[a] as number));
  }
  const sorted = timed(problem, { root: shape.root, children });
  return sorted.latency <= current.latency ? sorted : current;
}

function moveLast(problem: TreeProblem, { shape, informed, idle, latency }: Timed): Timed | undefined {
  // at zero cost a parent may be as late as its children: only a leaf can be moved
  const last = informed.findIndex((time, pe) => time === latency && shape.children[pe]?.length === 0);
  const parent = shape.children.findIndex((list) => list.includes(last));
  let sender = -1;
  let earliest = latency;
  for (let pe = 0; pe < problem.size; pe++) {
    if (pe === last || pe === parent) continue;
    const delivery = (idle[pe] as number) + edgeCost(problem, pe, last);
    if (delivery < earliest) {
      earliest = delivery;
      sender = pe;
    }
  }
  if (sender < 0) return undefined;
  const children = [...shape.children];
  children[parent] = (children[parent] as readonly number[]).filter((child) => child !== last);
  children[sender] = [...(children[sender] as readonly number[]), last];
  return timed(problem, { root: shape.root, children });
}
