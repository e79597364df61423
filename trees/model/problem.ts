/**
 * The problem that a builder solves: a group's costs extracted from a machine model, and its mirror image.
 *
 * Mirror: run a broadcast tree backwards in time and it is a reduction: the child sends where it received, the parent
 * receives where it sent. So the best reduce tree is the best broadcast tree of the transposed problem with send and
 * receive exchanged: s'[p][c] = r[c][p], r'[p][c] = s[c][p], and the propagation times transposed. Relays are the same.
 */
import type { MachineModel, Matrix } from "../../src/machine/model/machine-model.ts";
import { canonicalOrder } from "./canonical.ts";
import { domainsBeside, saidDomains } from "./domains.ts";
import { numbered } from "./linkage.ts";
import type { Shape, TreeProblem } from "./tree.ts";

export { checkMachine } from "./check-machine.ts";

/** Further parameters of a problem. */
export interface ProblemOptions {
  /** PE number of the root to use. */
  readonly root?: number | undefined;
  readonly seed?: number | undefined;
  readonly budget?: number | undefined;
  readonly moves?: number | undefined;
}

/** Extracts the group `cores` (PE numbers of the model, all different) from a checked model. */
export function treeProblem(
  machine: MachineModel,
  cores: readonly number[],
  options: ProblemOptions = {},
): TreeProblem {
  const members = [...cores].sort((a, b) => a - b);
  const memberOf = new Map(members.map((core, member) => [core, member]));
  const { root } = options;
  const send = cut(machine.send, members);
  const receive = cut(machine.receive, members);
  const propagate = machine.propagate ? cut(machine.propagate, members) : new Float64Array(members.length ** 2);
  const relay = cutRelays(machine, members);
  const pes = members.map((core) => machine.pes[core] as MachineModel["pes"][number]);
  const own = {
    size: members.length,
    root: root === undefined ? undefined : memberOf.get(root),
  };
  const costs = [send, receive, propagate];
  const hints = saidDomains(pes);
  const order = canonicalOrder({ ...own, costs, relay, hints });
  return {
    ...own,
    cores: members,
    order: cores.map((core) => memberOf.get(core) as number),
    canonical: order,
    send,
    receive,
    propagate,
    relay,
    domains: domainsBeside(hints, edgeCosts({ send, receive, propagate }), order),
    hints,
    seed: options.seed ?? 1,
    budget: options.budget,
    moves: options.moves,
  };
}

/** The problem whose broadcast trees are the reduce trees of the given one, and the reverse. */
export function mirror(problem: TreeProblem): TreeProblem {
  const { size } = problem;
  return {
    ...problem,
    send: transpose(problem.receive, size),
    receive: transpose(problem.send, size),
    propagate: transpose(problem.propagate, size),
  };
}

/**
 * The mirrored problem as it would be extracted from the mirrored machine, with an order and domains of its own: a
 * search finds the same reduce latency there as a broadcast latency on that machine.
 */
export function reversed(problem: TreeProblem): TreeProblem {
  const mirrored = mirror(problem);
  const { size, root, send, receive, propagate, relay, hints } = mirrored;
  const canonical = canonicalOrder({ size, root, costs: [send, receive, propagate], relay, hints });
  return { ...mirrored, canonical, domains: domainsBeside(hints, edgeCosts(mirrored), canonical) };
}

/** Converts a shape over the members in canonical order to their numbers in the problem. */
export function fromCanonicalOrder({ canonical }: TreeProblem, { root, children }: Shape): Shape {
  const own: (readonly number[])[] = [...children];
  const member = (place: number): number => canonical[place] as number;
  for (const [place, list] of children.entries()) own[member(place)] = list.map(member);
  return { root: member(root), children: own };
}

/** The domains numbered by their first members in canonical order. */
export function canonicalDomains({ canonical, domains }: TreeProblem): Int32Array[] {
  return domains.map((domain) => {
    const inOrder = numbered(Int32Array.from(canonical, (member) => domain[member] as number));
    const home = new Int32Array(domain.length);
    for (const [place, member] of canonical.entries()) home[member] = inOrder[place] as number;
    return home;
  });
}

/** The reverse of {@link fromCanonicalOrder}. */
export function toCanonicalOrder({ canonical }: TreeProblem, { root, children }: Shape): Shape {
  const place = new Int32Array(canonical.length);
  for (const [at, member] of canonical.entries()) place[member] = at;
  const own = canonical.map((member) => (children[member] ?? []).map((child) => place[child] as number));
  return { root: place[root] as number, children: own };
}

/** The same problem with its members in canonical order: what a search sees. */
export function inCanonicalOrder(problem: TreeProblem): TreeProblem {
  const { canonical, root, domains } = problem;
  return {
    ...part(problem, canonical),
    root: root === undefined ? undefined : canonical.indexOf(root),
    domains: domains.map((domain) => numbered(Int32Array.from(canonical, (member) => domain[member] as number))),
  };
}

/** The problem of some members only, numbered by their position in the list; without domains or a given root. */
export function part(problem: TreeProblem, members: readonly number[]): TreeProblem {
  const size = members.length;
  const cutOut = (matrix: Float64Array): Float64Array => {
    const own = new Float64Array(size * size);
    for (const [i, from] of members.entries()) {
      for (const [j, to] of members.entries()) own[i * size + j] = matrix[from * problem.size + to] as number;
    }
    return own;
  };
  return {
    ...problem,
    size,
    cores: members.map((member) => problem.cores[member] as number),
    order: members.map((_, i) => i),
    canonical: members.map((_, i) => i),
    send: cutOut(problem.send),
    receive: cutOut(problem.receive),
    propagate: cutOut(problem.propagate),
    relay: Float64Array.from(members, (member) => problem.relay[member] as number),
    root: undefined,
    domains: [new Int32Array(size)],
    hints: [],
  };
}

/** All of {@link edgeCost}, size x size; cached, so the same array for the same costs, which must not be changed. */
export function edgeCosts({
  send,
  receive,
  propagate,
}: Pick<TreeProblem, "send" | "receive" | "propagate">): Float64Array {
  const known = sums.get(send);
  if (known !== undefined) return known;
  const cost = new Float64Array(send.length);
  for (let edge = 0; edge < cost.length; edge++) {
    cost[edge] = (send[edge] as number) + (propagate[edge] as number) + (receive[edge] as number);
  }
  sums.set(send, cost);
  return cost;
}

/** By the matrix of sends, which belongs to one problem; cached, as a large matrix takes long to read. */
const sums = new WeakMap<Float64Array, Float64Array>();

/** Time from the start of a send until the receiver has the message. */
export function edgeCost(problem: TreeProblem, from: number, to: number): number {
  const edge = from * problem.size + to;
  return (problem.send[edge] as number) + (problem.propagate[edge] as number) + (problem.receive[edge] as number);
}

/** The relays of some members; 0 where a model has none. */
export function cutRelays({ relay }: MachineModel, members: readonly number[]): Float64Array {
  return Float64Array.from(members, (member) => relay?.[member] ?? 0);
}

/** The least relay of those that may be inner members: of all but a given root. */
export function leastRelay({ relay, root }: TreeProblem): number {
  return relay.reduce(
    (least, time, member) => (member === root ? least : Math.min(least, time)),
    Number.POSITIVE_INFINITY,
  );
}

/** The costs among some members, size x size; 0 from one to itself. */
export function cut(matrix: Matrix, members: readonly number[]): Float64Array {
  const size = members.length;
  const part = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    const row = matrix[members[i] as number] as readonly number[];
    for (let j = 0; j < size; j++) {
      // + 0: turns -0 into 0
      if (i !== j) part[i * size + j] = (row[members[j] as number] as number) + 0;
    }
  }
  return part;
}

/** Cached: the same result for the same matrix. */
function transpose(matrix: Float64Array, size: number): Float64Array {
  const known = transposed.get(matrix);
  if (known !== undefined) return known;
  const turned = new Float64Array(matrix.length);
  // by blocks that fit in the cache
  for (let top = 0; top < size; top += BLOCK) {
    for (let left = 0; left < size; left += BLOCK) {
      for (let i = top; i < Math.min(size, top + BLOCK); i++) {
        for (let j = left; j < Math.min(size, left + BLOCK); j++) {
          turned[j * size + i] = matrix[i * size + j] as number;
        }
      }
    }
  }
  transposed.set(matrix, turned);
  transposed.set(turned, matrix);
  return turned;
}

const transposed = new WeakMap<Float64Array, Float64Array>();
const BLOCK = 32;
