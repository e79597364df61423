/**
 * Earliest completing edge first, with lookahead to domains without a reached member.
 *
 * Of all sends from a PE that has the message to one that does not, the one that arrives first is made next. The first
 * member of a domain is preferred: the time that its domain will need (a postal broadcast with the domain's median
 * costs) is subtracted from its arrival time.
 *
 * Limits: it looks one step ahead, on one level of domains; sends are never reconsidered. O(n^2) or little more: a PE
 * whose best sender has made another send since is reconsidered when it seems to be next.
 *
 * Source: Bhat, Raghavendra, Prasanna, "Efficient collective communication in distributed heterogeneous systems"
 * (2003): ECEF with lookahead; credit by domains: ours.
 *
 * Example: send 1, receive 9 everywhere and one domain, 3 PEs: 0 sends to 1 (there at 10), then to 2 (11).
 */
import { membersByDomain } from "../model/domains.ts";
import { postalTime } from "../model/postal.ts";
import { edgeCosts } from "../model/problem.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";

/** Data for all roots: the costs of edges, a partition of the group, and the time of each domain. */
export interface LookAhead {
  readonly cost: Float64Array;
  readonly domain: Int32Array;
  readonly credit: Float64Array;
}

/** Prepares the lookahead over one partition of the group. */
export function lookAhead(problem: TreeProblem, domain: Int32Array): LookAhead {
  const cost = edgeCosts(problem);
  return { cost, domain, credit: domainTimes(problem, cost, domain) };
}

/** Builds the tree from `root`. */
export function ecef(problem: TreeProblem, root: number, { cost, domain, credit }: LookAhead): Shape {
  const { size, send, relay } = problem;
  const untouched = new Uint8Array(credit.length).fill(1);
  untouched[domain[root] as number] = 0;
  const children: number[][] = Array.from({ length: size }, () => []);
  // of reached members the time when they can send again; of others the best sender, and the arrival time
  const idle = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  const sender = new Int32Array(size).fill(root);
  const arrival = Float64Array.from({ length: size }, (_, v) => cost[root * size + v] as number);
  // its sender has made another send since: the arrival is not earlier than the known time
  const isStale = new Uint8Array(size);
  const reached = [root];
  idle[root] = 0;
  for (let left = size - 1; left > 0; left--) {
    const next = nearest();
    const from = sender[next] as number;
    (children[from] as number[]).push(next);
    untouched[domain[next] as number] = 0;
    idle[next] = (arrival[next] as number) + (relay[next] as number);
    idle[from] = (idle[from] as number) + (send[from * size + next] as number);
    reached.push(next);
    for (let v = 0; v < size; v++) {
      if ((idle[v] as number) < Number.POSITIVE_INFINITY) continue;
      if (sender[v] === from) isStale[v] = 1;
      offer(next, v);
    }
  }
  return { root, children };

  function nearest(): number {
    let next = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let v = 0; v < size; v++) {
      if ((idle[v] as number) < Number.POSITIVE_INFINITY) continue;
      const home = domain[v] as number;
      const ahead = untouched[home] === 1 ? (credit[home] as number) : 0;
      if ((arrival[v] as number) - ahead >= least) continue;
      if (isStale[v] === 1) refresh(v);
      if ((arrival[v] as number) - ahead >= least) continue;
      least = (arrival[v] as number) - ahead;
      next = v;
    }
    return next;
  }

  function refresh(v: number): void {
    isStale[v] = 0;
    arrival[v] = Number.POSITIVE_INFINITY;
    for (const other of reached) offer(other, v);
  }

  function offer(from: number, v: number): void {
    const there = (idle[from] as number) + (cost[from * size + v] as number);
    if (there < (arrival[v] as number)) {
      arrival[v] = there;
      sender[v] = from;
      isStale[v] = 0;
    }
  }
}

/** The time of each domain after its first member is reached: its relay and a postal broadcast, by median costs. */
function domainTimes(problem: TreeProblem, cost: Float64Array, domain: Int32Array): Float64Array {
  const { size, send, relay } = problem;
  const homes = membersByDomain(domain);
  // the only domain is entered with the root
  if (homes.length === 1) return new Float64Array(1);
  return Float64Array.from(homes, (list) => {
    if (list.length === 1) return 0;
    const inside = list.flatMap((i) => list.filter((j) => j !== i).map((j) => i * size + j));
    const edge = median(Float64Array.from(inside, (e) => cost[e] as number));
    const busy = median(Float64Array.from(inside, (e) => send[e] as number));
    const wait = median(Float64Array.from(list, (v) => relay[v] as number));
    return wait + postalTime(list.length, busy, edge, wait);
  });
}

/** The upper one where two are in the middle: a cost that a pair has. Other medians are those of base/math.ts. */
function median(values: Float64Array): number {
  return values.sort()[values.length >> 1] as number;
}
