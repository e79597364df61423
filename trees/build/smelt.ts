/**
 * Smelt's adaptive tree.
 *
 * What: a simulation of the broadcast in which every idle PE that has the message decides whom to send it to next. It
 * may choose any PE of its own domain that nobody has sent to, and any PE of a domain that nobody has sent to. It takes
 * the most expensive of these ("remote first"); when that one is in another domain, it sends to the PE of that domain
 * that is cheapest to send to. PEs and domains count as reached from the moment of the send. Then `smelt-shuffle.ts`
 * improves the tree.
 *
 * Limits: one level of domains, a domain is entered once before shuffling, the root is chosen by send cost alone; on
 * real machines 25 % above the best tree known on average. O(n^2) and the shuffle.
 *
 * Source: Smelt (OSDI'16) section 3.3, Algorithm 1, read as its Simulator does it: the candidates include the sender's
 * own domain (the paper's set leaves them out), the cheapest PE of a domain is sought among those not reached, root =
 * the PE with the least sum of send costs.
 *
 * Ties: costs that agree to 1 part in 10^4 count as equal, then the cheaper send goes first (the sender is free
 * sooner), then the lower PE of the lower domain. Smelt has the exact maximum; its published machine needs the
 * tolerance, because the model file keeps two decimals: 285.757, 285.756 and 285.756 cycles from 13 to 14, 19 and 11
 * became 285.75, 285.76 and 285.76.
 *
 * Example: domains {0, 1} and {2, 3}, local edges cost 1, remote ones 10 (half of it send), root 0: 0 sends to 2, and
 * at time 5 to 1; 2 has the message at 10 and sends to 3. 0: 2, 1; 2: 3.
 */
import { edgeCost } from "../model/problem.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";
import { shuffle } from "./smelt-shuffle.ts";

const EQUAL = 1 - 1e-4;

/** Builds the tree that libsmelt builds by default: adaptive, shuffled, sorted. */
export function smelt(problem: TreeProblem): Shape {
  return shuffle(problem, smeltBase(problem), { sort: true });
}

/** The adaptive tree before shuffling and sorting. */
export function smeltBase(problem: TreeProblem): Shape {
  const { size, send, relay } = problem;
  const domain = problem.domains[0] as Int32Array;
  const members = byDomain(problem);
  const root = problem.root ?? smeltRoot(problem);
  const children: number[][] = Array.from({ length: size }, () => []);

  const reached = new Uint8Array(size);
  const entered = new Uint8Array(size);
  entered[domain[root] as number] = 1;
  reached[root] = 1;
  // time when each reached PE can send again; infinite before it is reached and when it is done
  const idle = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  idle[root] = 0;

  for (let left = size - 1; left > 0; ) {
    const from = earliest(idle);
    const home = domain[from];
    const candidates: number[] = [];
    for (const pe of members) {
      if (reached[pe] === 0 && (domain[pe] === home || entered[domain[pe] as number] === 0)) {
        candidates.push(pe);
      }
    }
    if (candidates.length === 0) {
      idle[from] = Number.POSITIVE_INFINITY;
      continue;
    }
    let highest = 0;
    for (const pe of candidates) highest = Math.max(highest, edgeCost(problem, from, pe));
    const expensive = candidates.filter((pe) => edgeCost(problem, from, pe) >= highest * EQUAL);
    let to = cheapestSend(problem, from, expensive);
    if (domain[to] !== home) {
      const target = domain[to];
      to = cheapestSend(
        problem,
        from,
        candidates.filter((pe) => domain[pe] === target),
      );
    }
    (children[from] as number[]).push(to);
    reached[to] = 1;
    entered[domain[to] as number] = 1;
    left--;
    const started = idle[from] as number;
    idle[from] = started + (send[from * size + to] as number);
    idle[to] = started + edgeCost(problem, from, to) + (relay[to] as number);
  }
  return { root, children };
}

/** Smelt's choice of a root: the least sum of send costs to the group. */
export function smeltRoot(problem: TreeProblem): number {
  const { size, send } = problem;
  let root = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const from of byDomain(problem)) {
    let sum = 0;
    for (let to = 0; to < size; to++) if (to !== from) sum += send[from * size + to] as number;
    if (sum < least) {
      least = sum;
      root = from;
    }
  }
  return root;
}

function byDomain(problem: TreeProblem): number[] {
  const domain = problem.domains[0] as Int32Array;
  return Array.from({ length: problem.size }, (_, member) => member).sort(
    (a, b) => (domain[a] as number) - (domain[b] as number) || a - b,
  );
}

function earliest(idle: Float64Array): number {
  let first = 0;
  for (let pe = 1; pe < idle.length; pe++) if ((idle[pe] as number) < (idle[first] as number)) first = pe;
  return first;
}

function cheapestSend(problem: TreeProblem, from: number, to: readonly number[]): number {
  const cost = (pe: number): number => problem.send[from * problem.size + pe] as number;
  return to.reduce((best, pe) => (cost(pe) < cost(best) ? pe : best));
}
