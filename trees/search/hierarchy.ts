/**
 * Trees of groups too large to be searched whole: part by part.
 *
 * What: the group falls into parts of at most {@link PART} members that are near each other (linkage.ts). Each part has
 * a tree of its own, parts with the same costs the same one; all but the root's are contracted, what is left is
 * searched and expanded (contraction.ts). Then, in the whole tree, the last member moves to the parent that could
 * deliver first, as long as that helps. A reduction is the same on the mirrored costs, with the same root, so the two
 * make a barrier.
 *
 * Limits: a part is entered once, before those last steps. Where the levels are not far apart that costs much, up to 45
 * % on machines of 128 to 512 PEs; such groups are better searched whole (large-search.ts). Parts are found among a
 * sample of the members; each other member joins the nearest. Most of the time is spent on reading the matrix.
 *
 * Example: see contraction.ts.
 */

import { binary } from "../build/binary.ts";
import { canonicalOrder } from "../model/canonical.ts";
import type { Deadline } from "../model/deadline.ts";
import { type Edges, edgesOf, mirroredEdgesOf, sortChildren, timesBelow } from "../model/edges.ts";
import { boundedDomains, linkageLevels } from "../model/linkage.ts";
import { edgeCost, edgeCosts, mirror, part } from "../model/problem.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";
import { anneal } from "./anneal.ts";
import { type Candidate, ecefTrees, least, type Pair } from "./candidates.ts";
import { type Children, type ContractedPart, overParts } from "./contraction.ts";

/** Largest number of members of a part. */
const PART = 64;
/** Changes that the annealing of a part, and of the contracted problem, tries. */
const PART_MOVES = 2000;
const MOVES = 150_000;
/** The first stage of the annealing of a part. */
const FIRST = 8;
/** Number of members moved in the whole tree. */
const POLISHED = 400;

/** A part with its tree for one operation. */
interface Solved extends ContractedPart {
  readonly own: TreeProblem;
}

/** Trees of a large group, the best ones last, all with both operations from one root. */
export function searchParts(
  problem: TreeProblem,
  deadline: Deadline,
  find: (contracted: TreeProblem) => Shape,
): Pair[] {
  const there = edgesOf(problem);
  const back = mirroredEdgesOf(problem);
  const pairs: Pair[] = [plainPair(problem)];
  if (deadline.isOver()) return pairs;
  const parts = partsOf(problem);
  const down = solveAll(parts, deadline);
  if (down === undefined) return pairs;
  const at = homeOf(problem, down);
  const root = (down[at] as Solved).tree.root;
  const home = { ...(parts[at] as TreeProblem), root };
  const up = solveAll(parts.with(at, home).map(mirror), deadline);
  if (up === undefined) return pairs;
  const over = (solved: readonly Solved[], edges: Edges, until: Deadline): Candidate => {
    const search = {
      seed: problem.seed,
      moves: Math.min(MOVES, problem.moves ?? MOVES),
      budget: until.isSet ? until.left() : undefined,
      find,
    };
    const inOrder = [solved[at] as Solved, ...solved.toSpliced(at, 1)];
    const found = overParts(edges, inOrder, root, search);
    const latency = polish(edges, found, deadline);
    return { from: "annealing", shape: { root: found.root, children: found.lists }, latency };
  };
  const broadcast = over(down, there, deadline.share(1 / 2));
  const reduce = over(up, back, deadline);
  pairs.push({ broadcast, reduce });
  return pairs;
}

/** The minimum: a binary tree in canonical order. */
export function plainPair(problem: TreeProblem): Pair {
  const { canonical, root } = problem;
  const order = root === undefined ? canonical : [root, ...canonical.filter((v) => v !== root)];
  const places = binary({ ...problem, root: undefined });
  const judged = (edges: Edges): Candidate => {
    const children: number[][] = [];
    for (const [place, list] of places.children.entries()) {
      children[order[place] as number] = list.map((child) => order[child] as number);
    }
    const shape = { root: order[0] as number, children };
    return { from: "binary", shape, latency: sortChildren(edges, shape.root, children) };
  };
  return { broadcast: judged(edgesOf(problem)), reduce: judged(mirroredEdgesOf(problem)) };
}

/** The problems of all parts, with their members in `cores` as numbered in the group. */
function partsOf(problem: TreeProblem): TreeProblem[] {
  const { canonical } = problem;
  const domain = boundedDomains(edgeCosts(problem), canonical, PART);
  const parts = new Map<number, number[]>();
  for (const v of canonical) {
    const home = domain[v] as number;
    const members = parts.get(home);
    if (members === undefined) parts.set(home, [v]);
    else members.push(v);
  }
  return [...parts.values()].map((members) => {
    const { size, send, receive, propagate, relay } = part(problem, members);
    const place = problem.root === undefined ? -1 : members.indexOf(problem.root);
    const root = place < 0 ? undefined : place;
    // each separately, so that parts with the same costs get the same order
    const order = canonicalOrder({ size, costs: [send, receive, propagate], relay, hints: [], root });
    const sorted = order.map((v) => members[v] as number);
    return {
      ...part(problem, sorted),
      cores: sorted,
      root: root === undefined ? undefined : order.indexOf(root),
    };
  });
}

/** A tree for each part, shared by parts with the same costs. Undefined if there was no time. */
function solveAll(parts: readonly TreeProblem[], deadline: Deadline): Solved[] | undefined {
  const solved: Solved[] = [];
  for (const own of parts) {
    if (deadline.isOver()) return undefined;
    const { tree, latency } = solved.find((one) => isSame(one.own, own)) ?? treeOfPart(own);
    solved.push({ own, members: own.cores, tree, latency });
  }
  return solved;
}

function isSame(a: TreeProblem, b: TreeProblem): boolean {
  return (
    a.size === b.size &&
    a.root === b.root &&
    a.relay.every((time, member) => time === b.relay[member]) &&
    a.send.every((cost, edge) => cost === b.send[edge]) &&
    a.receive.every((cost, edge) => cost === b.receive[edge]) &&
    a.propagate.every((cost, edge) => cost === b.propagate[edge])
  );
}

function treeOfPart(problem: TreeProblem): { tree: Shape; latency: number } {
  const levels = problem.size > 2 ? linkageLevels(edgeCosts(problem), problem.canonical) : [];
  const domains = levels.length > 0 ? levels : problem.domains;
  const best = least(ecefTrees({ ...problem, domains }), ({ latency }) => latency);
  const searchBudget = { moves: Math.min(PART_MOVES, problem.moves ?? PART_MOVES), first: FIRST };
  const { shape, latency } = anneal(problem, [best.shape], searchBudget, problem.seed);
  return { tree: shape, latency };
}

/** The part of the given root, else the part whose entry reaches the other entries at the least cost. */
function homeOf(problem: TreeProblem, solved: readonly Solved[]): number {
  const given = solved.findIndex(({ own }) => own.root !== undefined);
  if (given >= 0) return given;
  const entries = solved.map(({ members, tree }) => members[tree.root] as number);
  const sums = entries.map((from) =>
    entries.reduce((sum, to) => sum + (from === to ? 0 : edgeCost(problem, from, to)), 0),
  );
  return sums.indexOf(Math.min(...sums));
}

/** Repeatedly moves the last member to the parent that can deliver first, children in the best order. */
function polish(edges: Edges, { root, lists }: Children, deadline: Deadline): number {
  let latency = sortChildren(edges, root, lists);
  const parent = new Int32Array(edges.size).fill(-1);
  for (const [v, list] of lists.entries()) for (const child of list) parent[child] = v;
  for (let left = POLISHED; left > 0 && !deadline.isOver(); left--) {
    const { informed, idle } = timesBelow(edges, root, lists, true);
    const last = informed.reduce((late, time, v) => (time > (informed[late] as number) ? v : late), root);
    if (last === root || (lists[last] as number[]).length > 0) break;
    const above = parent[last] as number;
    let to = -1;
    let earliest = informed[last] as number;
    for (let v = 0; v < edges.size; v++) {
      if (v === last || v === above) continue;
      const delivery = (idle[v] as number) + edges.send(v, last) + edges.tail(v, last);
      if (delivery < earliest) {
        earliest = delivery;
        to = v;
      }
    }
    if (to < 0) break;
    const list = lists[above] as number[];
    list.splice(list.indexOf(last), 1);
    (lists[to] as number[]).push(last);
    parent[last] = to;
    latency = sortChildren(edges, root, lists);
  }
  return latency;
}
