/**
 * The kinds of barriers other than a pair of trees, and the choice of the fastest by the model.
 *
 * - dissemination (dissemination.ts) with the domains side by side, or striped over those of one level or of all:
 *   position p holds a PE of domain p mod m, so that where m is a power of two only the first log2 m rounds go from
 *   domain to domain;
 * - hybrid: a reduction to a leader in each domain, dissemination among the leaders, a broadcast in each domain.
 *
 * For both kinds of orders, some exchanges of two positions are tried.
 *
 * Limits: no contention. A striped round sends a message from every PE at once; confirm by measurement.
 * Source: hybrids as in the shared-memory barriers of MPI libraries.
 *
 * Example: domains {0, 1} and {2, 3}: striped 0, 2, 1, 3, so round 0 crosses (0>2, 2>1, 1>3, 3>0) and round 1 stays
 * inside (0>1, 2>3, 1>0, 3>2).
 */

import { randomNumbers } from "../../src/ground/base/random.ts";
import { ecef, lookAhead } from "../build/ecef.ts";
import { smeltRoot } from "../build/smelt.ts";
import { bestOrder, type Judged } from "../model/child-order.ts";
import { type Deadline, NEVER_OVER } from "../model/deadline.ts";
import { membersByDomain } from "../model/domains.ts";
import { broadcastTimes, reduceTimes } from "../model/latency.ts";
import { mirror, part } from "../model/problem.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";
import { least } from "../search/candidates.ts";
import { EXACT_SIZE, solveExactly } from "../search/exact.ts";
import { disseminate, disseminationLatency } from "./dissemination.ts";

/** An order for dissemination, with its latency. */
export interface Dissemination {
  readonly order: readonly number[];
  readonly latency: number;
}

/** Trees in the domains and an order of their leaders; members as numbered in the problem. */
export interface Hybrid {
  readonly leaders: readonly number[];
  /** One in each domain, in the order of the leaders; members as numbered in the whole problem. */
  readonly reduce: readonly Shape[];
  readonly broadcast: readonly Shape[];
  readonly latency: number;
}

/** Domains up to this size are solved exactly. */
const SMALL = Math.min(9, EXACT_SIZE);

/** The best known order for dissemination; in canonical order independent of the PEs' numbers. */
export function bestDissemination(problem: TreeProblem, deadline: Deadline = NEVER_OVER): Dissemination {
  return bestOrderOf(problem, (order) => disseminationLatency(problem, order), deadline);
}

function bestOrderOf(
  problem: TreeProblem,
  judge: (order: readonly number[]) => number,
  deadline: Deadline,
): Dissemination {
  const finestFirst = problem.domains.toSorted((a, b) => Math.max(...b) - Math.max(...a));
  const plain = problem.canonical;
  // by domains of the coarsest level, within each by those of the next, and so on
  const side = finestFirst.reduce((order, domain) => grouped(order, domain), plain);
  const nested = finestFirst.reduce((order, domain) => striped(order, domain), side);
  const orders = [side, ...problem.domains.map((domain) => striped(side, domain)), nested];
  const judged = orders.map((order) => ({ order, latency: judge(order) }));
  return climb(
    least(judged, ({ latency }) => latency),
    judge,
    problem.seed,
    deadline,
  );
}

/** Exchanges random positions as long as that makes it faster, or not slower. */
function climb(
  { order, latency }: Dissemination,
  judge: (order: readonly number[]) => number,
  seed: number,
  deadline: Deadline,
): Dissemination {
  const size = order.length;
  const random = randomNumbers(seed);
  const own = [...order];
  let now = latency;
  for (let left = triesOf(size); left > 0 && !deadline.isOver(); left--) {
    const i = Math.floor(random() * size);
    const j = Math.floor(random() * size);
    const [there, here] = [own[j] as number, own[i] as number];
    if (i === j) continue;
    own[i] = there;
    own[j] = here;
    const then = judge(own);
    if (then <= now) now = then;
    else {
      own[i] = here;
      own[j] = there;
    }
  }
  // a sum in another order must not reject an order that is as good
  return now < latency ? { order: own, latency: now } : { order, latency };
}

/** Number of exchanges tried: some milliseconds of work, none for three PEs and fewer. */
function triesOf(size: number): number {
  return size <= 3 ? 0 : Math.min(1000, Math.floor(TRIES / (size * Math.log2(size))));
}

const TRIES = 1e6;

/** All of the first domain, then all of the second, and so on; within a domain in the order given. */
function grouped(order: readonly number[], domain: Int32Array): number[] {
  return order.toSorted((a, b) => (domain[a] as number) - (domain[b] as number));
}

/** The first of each domain, then the second of each, and so on; within a domain in the order given. */
function striped(order: readonly number[], domain: Int32Array): number[] {
  const place = new Map<number, number>();
  const sorted = order.map((member) => {
    const home = domain[member] as number;
    const stripe = place.get(home) ?? 0;
    place.set(home, stripe + 1);
    return { member, stripe, home };
  });
  return sorted.sort((a, b) => a.stripe - b.stripe || a.home - b.home).map(({ member }) => member);
}

/** The best hybrid over a level of domains; undefined if there is only one domain, or no time. */
export function bestHybrid(problem: TreeProblem, deadline: Deadline = NEVER_OVER): Hybrid | undefined {
  const hybrids = problem.domains
    .filter((domain) => Math.max(...domain) > 0)
    .flatMap((domain) => hybridOver(problem, domain, deadline) ?? []);
  return hybrids.length === 0 ? undefined : least(hybrids, ({ latency }) => latency);
}

/** The trees of a domain, numbered as in the problem; when its leader is ready, and the time from then on. */
interface Home {
  readonly broadcast: Shape;
  readonly reduce: Shape;
  readonly ready: number;
  readonly spread: number;
}

function homeOf(problem: TreeProblem, members: readonly number[]): Home {
  const own = part(problem, members);
  const { broadcast, reduce } = pairOf(own);
  const renamed = ({ root, children }: Shape): Shape => {
    // built from its own members only: there may be many domains
    const all: number[][] = [];
    children.forEach((list, v) => {
      all[members[v] as number] = list.map((child) => members[child] as number);
    });
    return { root: members[root] as number, children: all };
  };
  // a leader of others forwards: up to the other leaders, and down again
  const relay = members.length > 1 ? (own.relay[reduce.shape.root] as number) : 0;
  return {
    broadcast: renamed(broadcast.shape),
    reduce: renamed(reduce.shape),
    // computed on the tree itself, as it is run
    ready: (reduceTimes(own, reduce.shape)[reduce.shape.root] as number) + relay,
    spread: relay + Math.max(...broadcastTimes(own, broadcast.shape).informed),
  };
}

function hybridOver(problem: TreeProblem, domain: Int32Array, deadline: Deadline): Hybrid | undefined {
  const homes: Home[] = [];
  for (const members of membersByDomain(domain, problem.canonical)) {
    if (deadline.isOver()) return undefined;
    homes.push(homeOf(problem, members));
  }
  const leaders = homes.map(({ broadcast }) => broadcast.root);
  const between: TreeProblem = {
    ...part(problem, leaders),
    domains: problem.domains.map((level) => Int32Array.from(leaders, (leader) => level[leader] as number)),
  };
  const starts = Float64Array.from(homes, ({ ready }) => ready);
  const judge = (order: readonly number[]): number => {
    const done = disseminate(
      between,
      order,
      Float64Array.from(order, (i) => starts[i] as number),
    );
    return order.reduce((latest, i, at) => Math.max(latest, (done[at] as number) + (homes[i]?.spread ?? 0)), 0);
  };
  const { order, latency } = bestOrderOf(between, judge, deadline);
  return {
    leaders: order.map((i) => leaders[i] as number),
    reduce: order.map((i) => homes[i]?.reduce as Shape),
    broadcast: order.map((i) => homes[i]?.broadcast as Shape),
    latency,
  };
}

/** Good trees with a common root for a domain. */
function pairOf(problem: TreeProblem): { broadcast: Judged; reduce: Judged } {
  const mirrored = mirror(problem);
  if (problem.size <= SMALL) {
    const [out, back] = [solveExactly(problem), solveExactly(mirrored)];
    const sums = out.latency.map((time, root) => time + (back.latency[root] as number));
    const root = sums.indexOf(Math.min(...sums));
    return {
      broadcast: bestOrder(problem, out.shape(root)),
      reduce: bestOrder(mirrored, back.shape(root)),
    };
  }
  const root = smeltRoot(problem);
  const flat = new Int32Array(problem.size);
  return {
    broadcast: bestOrder(problem, ecef(problem, root, lookAhead(problem, flat))),
    reduce: bestOrder(mirrored, ecef(mirrored, root, lookAhead(mirrored, flat))),
  };
}
