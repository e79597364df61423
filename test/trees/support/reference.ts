/**
 * What the tree tests share: models, and evaluations of trees written apart from trees/, straight
 * from the formulas of the model, by recursion over PE numbers.
 */
import { readdirSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import type { MachineModel, Matrix } from "../../../src/machine/model/machine-model.ts";
import type { HybridBarrier, Shape, Tree, TreeProblem } from "../../../trees/model/tree.ts";
import { fixture } from "../../support/paths.ts";

export const machineNames: string[] = readdirSync(fixture("machines"))
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length))
  .sort();

export function loadMachine(name: string): MachineModel {
  return JSON.parse(readFileSync(fixture("machines", `${name}.json`), "utf8"));
}

/** A model from its matrices, for tests. */
export function model(
  send: Matrix,
  receive: Matrix,
  more: { propagate?: Matrix; relay?: readonly number[]; numa?: readonly number[] } = {},
): MachineModel {
  return {
    schema: "tundish/machine@1",
    name: "made up",
    source: "test",
    unit: "ns",
    measured: "not at all",
    pes: send.map((_, i) => ({ cpu: i, core: null, numa: more.numa?.[i] ?? null, package: null })),
    send,
    receive,
    ...(more.propagate && { propagate: more.propagate }),
    ...(more.relay && { relay: more.relay }),
  };
}

/** The same cost on every edge. */
export function uniform(size: number, cost: number): Matrix {
  return Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (i === j ? 0 : cost)));
}

const childrenOf = (tree: Tree, pe: number): readonly number[] => tree.children[String(pe)] ?? [];

/** What a PE of a tree has between receiving and sending, if it does both. */
const relayIn = (tree: Tree, machine: MachineModel, pe: number): number =>
  pe === tree.root || childrenOf(tree, pe).length === 0 ? 0 : (machine.relay?.[pe] ?? 0);

/** Broadcast latency from the formula. */
export function broadcastReference(tree: Tree, machine: MachineModel): number {
  const informed = (pe: number, at: number): number => {
    const children = childrenOf(tree, pe);
    const begun = relayIn(tree, machine, pe);
    const latest = children.map((child, k) => {
      const sends = children.slice(0, k + 1).reduce((sum, c) => sum + cell(machine.send, pe, c), begun);
      const edge = cell(machine.propagate, pe, child) + cell(machine.receive, pe, child);
      return informed(child, at + sends + edge);
    });
    return Math.max(at, ...latest);
  };
  return informed(tree.root, 0);
}

/** Reduction latency by taking, again and again, the message that arrived first. */
export function reduceReference(tree: Tree, machine: MachineModel): number {
  const complete = (pe: number): number => {
    const waiting = childrenOf(tree, pe).map((child) => ({
      child,
      at:
        complete(child) +
        relayIn(tree, machine, child) +
        cell(machine.send, child, pe) +
        cell(machine.propagate, child, pe),
    }));
    let now = 0;
    while (waiting.length > 0) {
      const first = Math.min(...waiting.map(({ at }) => at));
      const [message] = waiting.splice(
        waiting.findIndex(({ at }) => at === first),
        1,
      );
      now = Math.max(now, first) + cell(machine.receive, message?.child as number, pe);
    }
    return now;
  };
  return complete(tree.root);
}

/** When each leaves a dissemination barrier that they enter at `starts`, by simulating round by round. */
export function disseminationTimes(
  order: readonly number[],
  machine: MachineModel,
  starts: ReadonlyMap<number, number>,
): Map<number, number> {
  let now = new Map(starts);
  for (let step = 1; step < order.length; step *= 2) {
    const at = (i: number): number => order[(i + order.length) % order.length] as number;
    const begun = (pe: number): number => (now.get(pe) as number) + (step > 1 ? (machine.relay?.[pe] ?? 0) : 0);
    const sent = new Map(order.map((pe, i) => [pe, begun(pe) + cell(machine.send, pe, at(i + step))]));
    now = new Map(
      order.map((pe, i) => {
        const from = at(i - step);
        const there = (sent.get(from) as number) + cell(machine.propagate, from, pe);
        return [pe, Math.max(sent.get(pe) as number, there) + cell(machine.receive, from, pe)];
      }),
    );
  }
  return now;
}

/** Latency of a dissemination barrier that all enter at once. */
export function disseminationReference(order: readonly number[], machine: MachineModel): number {
  return Math.max(...disseminationTimes(order, machine, new Map(order.map((pe) => [pe, 0]))).values());
}

/** Latency of a hybrid barrier; fails unless its trees reach each of `cores` once in both directions. */
export function hybridReference(barrier: HybridBarrier, cores: readonly number[], machine: MachineModel): number {
  const { leaders, reduce, broadcast } = barrier;
  for (const trees of [reduce, broadcast]) {
    const members = trees.flatMap((tree) => [tree.root, ...Object.values(tree.children).flat()]);
    assert.equal(
      members.sort((a, b) => a - b),
      [...cores].sort((a, b) => a - b),
    );
    assert.equal(
      trees.map(({ root }) => root),
      leaders,
    );
  }
  const forwards = ({ root, children }: Tree) => (children[root] === undefined ? 0 : (machine.relay?.[root] ?? 0));
  const starts = new Map(reduce.map((tree) => [tree.root, reduceReference(tree, machine) + forwards(tree)]));
  const met = disseminationTimes(leaders, machine, starts);
  const ends = broadcast.map(
    (tree) => (met.get(tree.root) as number) + forwards(tree) + broadcastReference(tree, machine),
  );
  return Math.max(...ends);
}

/** The latency of the best tree, over every order of sends (small groups only). */
export function bestBroadcast(problem: TreeProblem): number {
  const { size } = problem;
  let best = Number.POSITIVE_INFINITY;
  const extend = (idle: Map<number, number>, latest: number): void => {
    if (latest >= best) return;
    if (idle.size === size) {
      best = latest;
      return;
    }
    for (const [from, at] of idle) {
      for (let to = 0; to < size; to++) {
        if (idle.has(to)) continue;
        const edge = from * size + to;
        const sent = at + (problem.send[edge] as number);
        const informed = sent + (problem.propagate[edge] as number) + (problem.receive[edge] as number);
        const idleAt = informed + (problem.relay[to] as number);
        extend(new Map(idle).set(from, sent).set(to, idleAt), Math.max(latest, informed));
      }
    }
  };
  for (let root = 0; root < size; root++) {
    if (problem.root === undefined || problem.root === root) extend(new Map([[root, 0]]), 0);
  }
  return best;
}

/** Fails unless the tree reaches each of `cores` once and nothing else. */
export function assertSpans(tree: Tree, cores: readonly number[], what: string): void {
  const reached = [tree.root, ...Object.values(tree.children).flat()].sort((a, b) => a - b);
  assert.equal(
    reached,
    [...cores].sort((a, b) => a - b),
    `${what}: members`,
  );
  const walked = [tree.root];
  for (const pe of walked) walked.push(...childrenOf(tree, pe));
  assert.is(walked.length, cores.length, `${what}: all below the root`);
  for (const [pe, list] of Object.entries(tree.children)) assert.ok(list.length > 0, `${what}: ${pe} has none`);
}

/** Fails unless the shape reaches every member once. */
export function assertShape(shape: Shape, size: number, what: string): void {
  const walked = [shape.root];
  for (const member of walked) walked.push(...(shape.children[member] as readonly number[]));
  assert.equal(
    walked.sort((a, b) => a - b),
    Array.from({ length: size }, (_, i) => i),
    what,
  );
}

/** Equal but for rounding. */
export function assertClose(got: number, expected: number, what: string): void {
  assert.ok(Math.abs(got - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${what}: ${got}, ${expected}`);
}

/** Costs as they come and as they should not: zeros, ties, asymmetric, huge. */
const costs: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 4 }) },
  { weight: 3, arbitrary: fc.double({ min: 0, max: 1000, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1e12, 1e30) },
);

const matrix = (size: number): fc.Arbitrary<number[][]> =>
  fc
    .array(fc.array(costs, { minLength: size, maxLength: size }), { minLength: size, maxLength: size })
    .map((rows) => rows.map((row, i) => row.map((cost, j) => (i === j ? 0 : cost))));

/** Random models with or without propagate, relays and NUMA nodes. */
export const randomModel = (maxSize: number): fc.Arbitrary<MachineModel> =>
  fc
    .integer({ min: 1, max: maxSize })
    .chain((size) =>
      fc.tuple(
        matrix(size),
        matrix(size),
        fc.option(matrix(size), { nil: undefined }),
        fc.option(fc.array(costs, { minLength: size, maxLength: size }), { nil: undefined }),
        fc.option(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: size, maxLength: size }), {
          nil: undefined,
        }),
      ),
    )
    .map(([send, receive, propagate, relay, numa]) =>
      model(send, receive, { ...(propagate && { propagate }), ...(relay && { relay }), ...(numa && { numa }) }),
    );

function cell(matrix: Matrix | undefined, i: number, j: number): number {
  return matrix?.[i]?.[j] ?? 0;
}
