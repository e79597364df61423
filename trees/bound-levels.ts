/**
 * A lower bound that knows of domains: how fast a group could be served if every edge of a kind were as cheap
 * as the cheapest of that kind.
 *
 * What: edges are of three kinds: inside a fine domain, inside a coarse one, and any other. Each kind has its
 * least send s and its least edge e. T(a, b, c) is the time a member needs at least when its subtree has a
 * members that are reached by paths inside its fine domain, b others by paths inside its coarse domain, and c
 * by any path. Its first child takes a share of these; of the share of a child in another domain any number may
 * be close to it, up to what the largest domain holds, whether they are or not, which only makes the bound lower:
 *
 *     T(0, 0, 0) = 0
 *     T(a, b, c) = min of  max(e0 + T(a', b', c'), s0 + T(a-1-a', b-b', c-c'))     a child in the fine domain
 *                          max(e1 + near(b', c'),  s1 + T(a, b-1-b', c-c'))        in the coarse one
 *                          max(e2 + far(c'),       s2 + T(a, b, c-1-c'))           anywhere
 *
 * where near and far give the child the best share of close ones. Where costs depend on the kind alone, the
 * bound was the optimum in all cases that were solved exactly.
 *
 * Limits: knows the cheapest edge of each kind, so noise makes it low. Up to n a^2 b^2 steps: the cheapest pairs
 * of levels are done that take `steps` together.
 * Source: TREES.md part 2, section 4 (lbOwn), worked out here.
 *
 * Example: two domains of 2, send 1, edge 2 inside and 10 across, 4 PEs: across first, there at 10, and the
 * last one at 12; no tree is faster.
 */
import { type Deadline, NEVER_OVER } from "./deadline.ts";
import { membersByDomain } from "./domains.ts";
import { postalTime } from "./postal.ts";
import { edgeCosts } from "./problem.ts";
import type { TreeProblem } from "./types.ts";

/** A kind of edges: the least cost of each sort. */
export interface Kind {
  send: number;
  edge: number;
}

/** Three kinds and the sizes of the largest domains; without a level in between, both sizes are the same. */
interface Levels {
  readonly kinds: readonly [Kind, Kind, Kind];
  readonly fine: number;
  readonly coarse: number;
}

/** About half a second. */
export const MOST_STEPS = 1e8;

/** The best bound by two levels of domains, or by one; 0 when none is affordable, or came to its end in time. */
export function levelsBound(problem: TreeProblem, steps: number, deadline: Deadline = NEVER_OVER): number {
  if (deadline.isOver()) return 0;
  const { size, domains } = problem;
  const flat = new Int32Array(size);
  // as its own largest domain, a group has one kind of edges only, which countingBound does
  const sorted = domains
    .filter((domain) => Math.max(...domain) > 0)
    .toSorted((a, b) => Math.max(...b) - Math.max(...a));
  const pairs = sorted.flatMap((fine, i) =>
    [flat, ...sorted.slice(i + 1).filter((other) => isInside(fine, other))].map((coarse) => ({
      fine,
      coarse,
      cost: cost(size, largest(fine), largest(coarse)),
    })),
  );
  let bound = 0;
  let left = steps;
  for (const pair of pairs.sort((a, b) => a.cost - b.cost)) {
    left -= pair.cost;
    if (left < 0 || deadline.isOver()) break;
    bound = Math.max(bound, leastTime(size, levelsOf(problem, pair.fine, pair.coarse), deadline));
  }
  return bound;
}

/** The bound by one level, without a matrix; by counting where that would take too long. */
export function levelBound(size: number, largest: number, inside: Kind, across: Kind): number {
  const least = { send: Math.min(inside.send, across.send), edge: Math.min(inside.edge, across.edge) };
  if (largest === 1) return postalTime(size, across.send, across.edge);
  if (largest === size) return postalTime(size, inside.send, inside.edge);
  const levels: Levels = { kinds: [least, across, across], fine: largest, coarse: size };
  return cost(size, largest, size) > MOST_STEPS
    ? postalTime(size, least.send, least.edge)
    : leastTime(size, levels, NEVER_OVER);
}

/** Whether every domain of one partition lies in one of the other. */
function isInside(fine: Int32Array, coarse: Int32Array): boolean {
  return membersByDomain(fine).every((members) => new Set(members.map((v) => coarse[v])).size === 1);
}

const largest = (domain: Int32Array): number =>
  Math.max(...membersByDomain(domain).map(({ length }) => length));

function levelsOf(problem: TreeProblem, fine: Int32Array, coarse: Int32Array): Levels {
  const { size, send } = problem;
  const edge = edgeCosts(problem);
  const kinds: [Kind, Kind, Kind] = [none(), none(), none()];
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      if (i === j) continue;
      const kind = kinds[fine[i] === fine[j] ? 0 : coarse[i] === coarse[j] ? 1 : 2] as Kind;
      kind.send = Math.min(kind.send, send[i * size + j] as number);
      kind.edge = Math.min(kind.edge, edge[i * size + j] as number);
    }
  }
  // near is never dearer than far: what the shares of close ones are chosen by
  for (const at of [1, 0] as const) {
    kinds[at].send = Math.min(kinds[at].send, kinds[at + 1]?.send as number);
    kinds[at].edge = Math.min(kinds[at].edge, kinds[at + 1]?.edge as number);
  }
  return { kinds, fine: largest(fine), coarse: largest(coarse) };
}

const none = (): Kind => ({ send: Number.POSITIVE_INFINITY, edge: Number.POSITIVE_INFINITY });

/** About how many steps {@link leastTime} takes. */
function cost(size: number, fine: number, coarse: number): number {
  const between = coarse < size ? coarse : 1;
  const any = coarse < size ? size : size - fine + 1;
  return ((fine * between * any) / 2) * ((fine * between) / 4 + between);
}

function leastTime(size: number, { kinds, fine, coarse }: Levels, deadline: Deadline): number {
  const [k0, k1, k2] = kinds;
  // one level of domains: what is not inside the fine domain is inside the coarse one, and b is never used
  const two = coarse === size;
  // a mate of the fine domain may be reached by a way round the coarse one, and counts there
  const most = { a: fine - 1, b: two ? 0 : coarse - 1, c: size - 1 };
  const across = two ? k1 : k2;
  const [nb, nc] = [most.b + 1, most.c + 1];
  const time = new Float64Array((most.a + 1) * nb * nc);
  const row = (a: number, b: number): number => (a * nb + b) * nc;
  // of m members that a child in another domain gets: the best share of those that are close to it
  const near = new Float64Array((most.a + nb) * nc).fill(Number.POSITIVE_INFINITY);
  const far = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  near[0] = 0;
  far[0] = 0;
  // where the last split of the same a, b, a', b' was made: for a larger c it is there or beyond
  const splits = new Int32Array(splitsOf(most.a + 1, nb));

  for (let c = 0; c <= most.c; c++) {
    if (deadline.isOver()) return 0;
    let next = 0;
    for (let b = 0; b <= most.b; b++) {
      for (let a = 0; a <= most.a; a++) {
        let at = next;
        next += (a + 1) * (b + 1);
        if (a + b + c === 0 || a + b + c >= size || (!two && a + b >= coarse)) continue;
        let least = Number.POSITIVE_INFINITY;
        for (let a1 = 0; a1 < a; a1++) {
          for (let b1 = 0; b1 <= b; b1++) {
            const rest = row(a - 1 - a1, b - b1);
            least = split(time, row(a1, b1), time, rest, k0, c, least, splits, at++);
          }
        }
        for (let b1 = 0; b1 < b; b1++) {
          least = split(near, b1 * nc, time, row(a, b - 1 - b1), k1, c, least, splits, at++);
        }
        if (c > 0) least = split(far, 0, time, row(a, b), across, c - 1, least, splits, at);
        time[row(a, b) + c] = least;
        near[(a + b) * nc + c] = Math.min(near[(a + b) * nc + c] as number, least);
        far[a + b + c] = Math.min(far[a + b + c] as number, least);
      }
    }
  }
  return far[size - 1] as number;
}

/**
 * The best way to share c members of any kind between a child, whose times begin at `theirs` in `child`, and
 * the rest of the subtree, whose times begin at `own` in `rest`; `least` when that is better. Both grow with
 * what they get: of one member less, a plan for more makes one that is as fast, by leaving a leaf out.
 */
function split(
  child: Float64Array,
  theirs: number,
  rest: Float64Array,
  own: number,
  { send, edge }: Kind,
  c: number,
  least: number,
  splits: Int32Array,
  at: number,
): number {
  if (edge + (child[theirs] as number) >= least || send + (rest[own] as number) >= least) return least;
  // the first share for which the child is the later one
  let low = splits[at] as number;
  let there = edge + (child[theirs + low] as number);
  let after = send + (rest[own + c - low] as number);
  while (low < c && there < after) {
    low++;
    there = edge + (child[theirs + low] as number);
    after = send + (rest[own + c - low] as number);
  }
  splits[at] = low;
  const best = Math.max(there, after);
  const before = low > 0 ? send + (rest[own + c - low + 1] as number) : Number.POSITIVE_INFINITY;
  return Math.min(best, before, least);
}

/** How many splits there are of all a and b. */
function splitsOf(na: number, nb: number): number {
  return ((na * (na + 1)) / 2) * ((nb * (nb + 1)) / 2);
}
