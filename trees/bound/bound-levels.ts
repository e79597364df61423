/**
 * A lower bound that takes domains into account: the time to reach a group if every edge of a kind were as cheap as the
 * cheapest of that kind.
 *
 * What: edges are of three kinds: inside a fine domain, inside a coarse one, and any other. With the least send and the
 * least edge of each kind, and the least relay, service-time.ts computes the least time to reach the group.
 *
 * Limits: it uses the cheapest edge of each kind, so noise makes the bound lower. Of the pairs of levels, the cheapest
 * to compute are evaluated, up to `steps` steps together. Source: ours.
 *
 * Example: two domains of 2, send 1, edge 2 inside and 10 across, 4 PEs: across first, there at 10, and the
 * last one at 12; no tree is faster.
 */
import { type Deadline, NEVER_OVER } from "../model/deadline.ts";
import { membersByDomain } from "../model/domains.ts";
import { postalTime } from "../model/postal.ts";
import { edgeCosts, leastRelay } from "../model/problem.ts";
import type { TreeProblem } from "../model/tree.ts";
import { type Kind, type Levels, leastTime, workOf } from "./service-time.ts";

/** About a tenth of a second. */
export const MOST_STEPS = 1e8;

/** The best bound by two levels of domains, or by one; 0 if none is affordable or finished in time. */
export function levelsBound(problem: TreeProblem, steps: number, deadline: Deadline = NEVER_OVER): number {
  if (deadline.isOver()) return 0;
  const { size, domains } = problem;
  const flat = new Int32Array(size);
  // with the whole group as a domain there is only one kind of edges, which countingBound handles
  const sorted = domains
    .filter((domain) => Math.max(...domain) > 0)
    .toSorted((a, b) => Math.max(...b) - Math.max(...a));
  const edge = edgeCosts(problem);
  const relay = leastRelay(problem);
  const pairs = sorted
    .flatMap((fine, i) =>
      [flat, ...sorted.slice(i + 1).filter((other) => isInside(fine, other))].map((coarse) => ({
        fine,
        coarse,
        cost: workOf(size, largest(fine), largest(coarse)),
      })),
    )
    .filter((pair) => pair.cost <= steps)
    .map(({ fine, coarse, cost }) => ({ cost, levels: { ...levelsOf(problem, edge, fine, coarse), relay } }))
    // a bound whose costs are nowhere larger is not higher
    .filter(({ levels }, i, all) => !all.some((other, j) => isBelow(levels, other.levels, i < j)));
  let bound = 0;
  let left = steps;
  for (const { levels, cost } of pairs.sort((a, b) => a.cost - b.cost)) {
    left -= cost;
    if (left < 0 || deadline.isOver()) break;
    bound = Math.max(bound, leastTime(size, levels, deadline));
  }
  return bound;
}

/** Whether no domain is smaller and no kind of edge is dearer; of two equal ones only the first. */
function isBelow(one: Levels, other: Levels, isBefore: boolean): boolean {
  if (one.fine !== other.fine || one.coarse !== other.coarse) return false;
  const differences = one.kinds.flatMap(({ send, edge }, i) => {
    const kind = other.kinds[i] as Kind;
    return [kind.send - send, kind.edge - edge];
  });
  return differences.every((more) => more >= 0) && (isBefore || differences.some((more) => more > 0));
}

/** The bound by one level, without a matrix; by counting if that would take too long. */
export function levelBound(size: number, largest: number, inside: Kind, across: Kind, relay: number): number {
  const least = { send: Math.min(inside.send, across.send), edge: Math.min(inside.edge, across.edge) };
  if (largest === 1) return postalTime(size, across.send, across.edge, relay);
  if (largest === size) return postalTime(size, inside.send, inside.edge, relay);
  const levels: Levels = { kinds: [least, across, across], relay, fine: largest, coarse: size };
  return workOf(size, largest, size) > MOST_STEPS
    ? postalTime(size, least.send, least.edge, relay)
    : leastTime(size, levels, NEVER_OVER);
}

/** Whether every domain of one partition lies in one of the other. */
function isInside(fine: Int32Array, coarse: Int32Array): boolean {
  return membersByDomain(fine).every((members) => new Set(members.map((v) => coarse[v])).size === 1);
}

const largest = (domain: Int32Array): number => Math.max(...membersByDomain(domain).map(({ length }) => length));

function levelsOf(
  { size, send }: TreeProblem,
  edge: Float64Array,
  fine: Int32Array,
  coarse: Int32Array,
): Omit<Levels, "relay"> {
  const kinds: [Kind, Kind, Kind] = [none(), none(), none()];
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      if (i === j) continue;
      const kind = kinds[fine[i] === fine[j] ? 0 : coarse[i] === coarse[j] ? 1 : 2] as Kind;
      kind.send = Math.min(kind.send, send[i * size + j] as number);
      kind.edge = Math.min(kind.edge, edge[i * size + j] as number);
    }
  }
  // a near edge never costs more than a far one, which the choice of shares relies on
  for (const at of [1, 0] as const) {
    kinds[at].send = Math.min(kinds[at].send, kinds[at + 1]?.send as number);
    kinds[at].edge = Math.min(kinds[at].edge, kinds[at + 1]?.edge as number);
  }
  return { kinds, fine: largest(fine), coarse: largest(coarse) };
}

const none = (): Kind => ({ send: Number.POSITIVE_INFINITY, edge: Number.POSITIVE_INFINITY });
