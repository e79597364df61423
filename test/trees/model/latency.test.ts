/** The model on hand-made cases, where every number can be checked with a pencil. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { disseminationLatency } from "../../../trees/barrier/dissemination.ts";
import { countingBound, lowerBound, pathBound } from "../../../trees/bound/bound.ts";
import { treeLatency } from "../../../trees/model/latency.ts";
import { postalTime } from "../../../trees/model/postal.ts";
import { treeProblem } from "../../../trees/model/problem.ts";
import type { Tree } from "../../../trees/model/tree.ts";
import { model, uniform } from "../support/reference.ts";

const test = suite("latency");

const tree = (root: number, children: Record<string, number[]>): Tree => ({
  algorithm: "smelt",
  root,
  children,
  latency: 0,
});
const flat = (size: number) => model(uniform(size, 2), uniform(size, 3));

test("one PE takes no time", () => {
  assert.is(treeLatency(tree(0, {}), flat(1)), 0);
  assert.is(treeLatency(tree(0, {}), flat(1), "reduce"), 0);
});

test("sends follow one another, receives at a parent too", () => {
  const star = tree(0, { 0: [1, 2] });
  assert.is(treeLatency(star, flat(3)), 7);
  assert.is(treeLatency(star, flat(3), "reduce"), 8);
  const chain = tree(2, { 2: [0], 0: [1] });
  assert.is(treeLatency(chain, flat(3)), 10);
  assert.is(treeLatency(chain, flat(3), "reduce"), 10);
});

test("row is the sender, in both directions", () => {
  const machine = model(
    [
      [0, 1],
      [10, 0],
    ],
    [
      [0, 100],
      [1000, 0],
    ],
  );
  assert.is(treeLatency(tree(0, { 0: [1] }), machine), 101);
  assert.is(treeLatency(tree(0, { 0: [1] }), machine, "reduce"), 1010);
});

test("propagation delays a message and occupies nobody", () => {
  const machine = model(uniform(3, 2), uniform(3, 3), { propagate: uniform(3, 50) });
  assert.is(treeLatency(tree(0, { 0: [1, 2] }), machine), 57);
  assert.is(treeLatency(tree(0, { 0: [1, 2] }), machine, "reduce"), 58);
});

test("a reduction takes messages in order of arrival, not of children", () => {
  const send = [
    [0, 0, 0],
    [90, 0, 0],
    [5, 0, 0],
  ];
  const machine = model(send, uniform(3, 10));
  assert.is(treeLatency(tree(0, { 0: [1, 2] }), machine, "reduce"), 100);
});

test("a tree of another model, a cycle and a loose end are refused", () => {
  const usage = (broken: Tree, message: RegExp) =>
    assert.throws(
      () => treeLatency(broken, flat(3)),
      (error: unknown) => error instanceof UsageError && message.test(error.message),
    );
  usage(tree(0, { 0: [3] }), /PE 3; the model made up has PEs 0 to 2/);
  usage(tree(0, { 0: [1], 1: [0] }), /PE 0 is reached twice/);
  usage(tree(0, { 0: [1], 2: [2] }), /PE 2 is not reached from the root 0/);
});

test("dissemination: ceil(log2 n) rounds", () => {
  for (const [size, rounds] of [
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 3],
    [8, 3],
    [9, 4],
  ] as const) {
    const order = Array.from({ length: size }, (_, i) => i);
    assert.is(disseminationLatency(treeProblem(flat(size), order), order), 5 * rounds);
  }
});

test("dissemination: a late message holds up its receiver only", () => {
  const send = uniform(4, 1).map((row) => [...row]);
  (send[0] as number[])[1] = 10;
  const problem = treeProblem(model(send, uniform(4, 1)), [0, 1, 2, 3]);
  // round 1: PEs 0 and 1 are done at 11, the others at 2; round 2 takes 2 and all wait for those two
  assert.is(disseminationLatency(problem, [0, 1, 2, 3]), 13);
  assert.is(disseminationLatency(problem, [0, 2, 3, 1]), 4, "0 never sends to 1");
});

test("bounds: paths and counting", () => {
  const problem = treeProblem(flat(4), [0, 1, 2, 3]);
  assert.is(pathBound(problem), 5);
  assert.is(countingBound(problem), 9);
  assert.is(lowerBound(problem), 9);
  const line = [
    [0, 1, 9],
    [1, 0, 1],
    [9, 1, 0],
  ];
  const onLine = (root?: number) => treeProblem(model(line, uniform(3, 0)), [0, 1, 2], { root });
  assert.is(pathBound(onLine()), 1, "the middle reaches both ends at once, as far as paths know");
  assert.is(pathBound(onLine(0)), 2, "by way of the middle");
  assert.is(lowerBound(onLine()), 2);
  assert.is(lowerBound(treeProblem(flat(1), [0])), 0);
});

test("the postal model: two queues give what looking at all of them gives", () => {
  const time = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.double({ min: 0, max: 1e6, noNaN: true }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), time, time, (count, busy, edge) => {
      const deliveries = [edge];
      let latest = 0;
      while (deliveries.length < count) {
        latest = Math.min(...deliveries);
        deliveries[deliveries.indexOf(latest)] = latest + busy;
        deliveries.push(latest + edge);
      }
      assert.is(postalTime(count, busy, edge), latest);
    }),
  );
});

test.run();
