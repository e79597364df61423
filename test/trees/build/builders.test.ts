/** The worked examples of the builders' headers, and uniform machines of every size. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { baselines, builders } from "../../../trees/build/builders.ts";
import { shuffle } from "../../../trees/build/smelt-shuffle.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { domainsOf } from "../../../trees/model/domains.ts";
import { broadcastLatency } from "../../../trees/model/latency.ts";
import { treeProblem } from "../../../trees/model/problem.ts";
import type { Baseline, Tree } from "../../../trees/model/tree.ts";
import { rounds } from "../../support/long.ts";
import { assertShape, assertSpans, model, uniform } from "../support/reference.ts";

const test = suite("builders");

const flat = (size: number) => model(uniform(size, 2), uniform(size, 3));
const build = (algorithm: Baseline, cores: number[], root?: number): Tree =>
  generateTrees(flat(10), { algorithm, cores, root }).broadcast;

test("sequential: in the order asked for, the first is the root", () => {
  assert.equal(build("sequential", [4, 2, 7]).children, { 4: [2, 7] });
  assert.equal(build("sequential", [4, 2, 7], 7).children, { 7: [4, 2] });
});

test("binary: a heap over ascending PEs", () => {
  assert.equal(build("binary", [5, 4, 3, 2, 1, 0]).children, { 0: [1, 2], 1: [3, 4], 2: [5] });
  assert.equal(build("binary", [0, 1, 2, 3], 2).children, { 2: [0, 1], 0: [3] });
});

test("fibonacci: the left subtree is one order larger", () => {
  assert.equal(build("fibonacci", [0, 1, 2, 3, 4, 5]).children, { 0: [1, 2], 1: [3, 4], 2: [5] });
  // order 5 has 12 places; on the third level the second child of 2 (order 2) has one child, not two
  const twelve = generateTrees(flat(12), { algorithm: "fibonacci" }).broadcast;
  assert.equal(twelve.children, { 0: [1, 2], 1: [3, 4], 2: [5, 6], 3: [7, 8], 4: [9], 5: [10], 7: [11] });
});

test("mst and bad: cheapest and dearest edges, two children at most", () => {
  const cost = [
    [0, 1, 5],
    [1, 0, 2],
    [5, 2, 0],
  ];
  const machine = model(cost, uniform(3, 0));
  assert.equal(generateTrees(machine, { algorithm: "mst" }).broadcast.children, { 0: [1], 1: [2] });
  assert.equal(generateTrees(machine, { algorithm: "bad" }).broadcast.children, { 0: [2], 2: [1] });
  for (const algorithm of ["mst", "bad"] as const) {
    const { children } = generateTrees(flat(31), { algorithm }).broadcast;
    for (const list of Object.values(children)) assert.ok(list.length <= 2);
  }
});

test("cluster: a heap of coordinators, stars below", () => {
  const machine = model(uniform(5, 1), uniform(5, 1), { numa: [0, 0, 0, 1, 1] });
  const children = (root?: number) => generateTrees(machine, { algorithm: "cluster", root }).broadcast.children;
  assert.equal(children(), { 0: [3, 1, 2], 3: [4] });
  assert.equal(children(4), { 4: [0, 3], 0: [1, 2] });
});

test("smelt: the far domain first, then its own", () => {
  const numa = [0, 0, 1, 1];
  const cost = (local: number, remote: number) =>
    numa.map((a, i) => numa.map((b, j) => (i === j ? 0 : a === b ? local : remote)));
  const machine = model(cost(0.5, 5), cost(0.5, 5), { numa });
  const tree = generateTrees(machine, { algorithm: "smelt", root: 0 }).broadcast;
  assert.equal(tree.children, { 0: [2, 1], 2: [3] });
  assert.is(tree.latency, 11);
});

test("shuffle: the last leaf moves to whoever delivers first", () => {
  const problem = treeProblem(model(uniform(3, 1), uniform(3, 9)), [0, 1, 2]);
  const moved = shuffle(problem, { root: 0, children: [[1], [2], []] }, { sort: true });
  assert.equal(moved.children, [[1, 2], [], []]);
  assert.is(broadcastLatency(problem, moved), 11);
});

test("domains: NUMA, else last-level cache, else package, else one", () => {
  const flat = (size: number) => new Float64Array(size * size).fill(1);
  const pe = { cpu: 0, core: null, l3: null, numa: null, package: null };
  const of = (key: "numa" | "l3" | "package", values: (number | null)[]) =>
    domainsOf(
      values.map((value) => ({ ...pe, [key]: value })),
      flat(values.length),
    ).map((level) => [...level]);
  assert.equal(of("numa", [4, 4, 7, 7]), [[0, 0, 1, 1]]);
  assert.equal(of("l3", [1, 0, 1, 0]), [[1, 0, 1, 0]]);
  assert.equal(of("package", [0, 1, 1]), [[0, 1, 1]]);
  assert.equal(of("numa", [4, 4, null, 7]), [[0, 0, 0, 0]]);
  assert.equal(of("numa", [4, 4]), [[0, 0]], "a level that tells nothing apart");
  const both = domainsOf(
    [0, 1, 2, 3, 4, 5, 6, 7].map((n) => ({ ...pe, numa: n >> 2, core: n >> 1 })),
    flat(8),
  );
  assert.equal(
    both.map((level) => level.join("")),
    ["00001111", "00112233"],
    "NUMA comes first",
  );
});

test("uniform, free and huge machines of 1 to 40 PEs", () => {
  for (const [send, receive] of [
    [2, 3],
    [0, 0],
    [0, 3],
    [3, 0],
    [1e99, 1e99],
  ] as const) {
    for (let size = 1; size <= 40; size += size < 9 ? 1 : 7) {
      const machine = model(uniform(size, send), uniform(size, receive));
      const all = machine.pes.map((_, pe) => pe);
      for (const name of baselines) assertShape(builders[name](treeProblem(machine, all)), size, name);
      const trees = generateTrees(machine, { moves: rounds(1000, 100_000) });
      assertSpans(trees.broadcast, all, "adaptive");
      assert.ok(Number.isFinite(trees.broadcast.latency));
      assert.ok(trees.bound.broadcast <= trees.broadcast.latency);
    }
  }
});

test("on uniform machines the shuffle reaches the bound", () => {
  for (const size of [2, 5, 16, 64, 200]) {
    const { broadcast, bound } = generateTrees(model(uniform(size, 2), uniform(size, 3)), {
      moves: rounds(1000, 100_000),
    });
    assert.is(broadcast.latency, bound.broadcast, `${size} PEs`);
  }
});

test.run();
