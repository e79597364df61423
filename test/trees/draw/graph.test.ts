/** Trees as graphs of graphology: nodes, edges and what they say, beside the schedule and the reference. */
import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { baselines } from "../../../trees/build/builders.ts";
import { toGraph } from "../../../trees/draw/graph.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { treeLatency } from "../../../trees/model/latency.ts";
import type { Tree } from "../../../trees/model/tree.ts";
import { rounds } from "../../support/long.ts";
import { loadMachine, model, randomModel, uniform } from "../support/reference.ts";

const test = suite("graph");
const machine = model(uniform(5, 2), uniform(5, 3), { numa: [0, 0, 1, 1, 1] });
const tree: Tree = { algorithm: "smelt", root: 4, children: { 4: [1, 3], 1: [0, 2] }, latency: 12 };

test("a broadcast: edges from parent to child, in send order", () => {
  const graph = toGraph(tree, machine);
  assert.is(graph.type, "directed");
  assert.equal(graph.getAttributes(), {
    machine: "made up",
    unit: "ns",
    operation: "broadcast",
    algorithm: "smelt",
    latency: 12,
    root: 4,
  });
  assert.equal(graph.nodes(), ["4", "1", "0", "2", "3"]);
  assert.equal(graph.edges(), ["4->1", "4->3", "1->0", "1->2"]);
  const { domains, ...inner } = graph.getNodeAttributes(1);
  assert.equal(inner, { pe: 1, level: 1, parent: 4, domain: 0, at: 5, sends: 2 });
  assert.equal(domains, [0]);
  assert.equal(graph.getEdgeAttributes("1", "2"), { order: 2, start: 7, end: 9, seen: 12 });
  assert.is(graph.getNodeAttribute("4", "parent"), null);
  const late: string[] = graph.filterNodes((_, { at }) => at > 6);
  assert.equal(late, ["0", "2", "3"]);
});

test("a reduction: edges from child to parent", () => {
  const graph = toGraph(tree, machine, "reduce");
  assert.equal(graph.edges(), ["1->4", "0->1", "2->1", "3->4"]);
  assert.equal(graph.getEdgeAttributes("2->1"), { order: 2, start: 0, end: 2, seen: 8 });
  assert.is(graph.getAttribute("latency"), treeLatency(tree, machine, "reduce"));
  assert.is(graph.getNodeAttribute(4, "sends"), 0);
});

test("any tree: a node for each PE, an edge for each but the root, all from the root, numbers only", () => {
  fc.assert(
    fc.property(
      randomModel(14),
      fc.constantFrom(...baselines, "adaptive" as const),
      fc.constantFrom("broadcast" as const, "reduce" as const),
      (given, algorithm, operation) => {
        const found = generateTrees(given, { algorithm, moves: 0 })[operation];
        const graph = toGraph(found, given, operation);
        assert.is(graph.order, given.pes.length);
        assert.is(graph.size, given.pes.length - 1);
        assert.is(graph.getAttribute("latency"), treeLatency(found, given, operation));
        graph.forEachNode((node, { pe, parent, level, at, domain, domains }) => {
          assert.is(node, String(pe));
          assert.is(domains[0], domain);
          assert.ok(Number.isFinite(at) && at >= 0);
          const above = parent === null ? -1 : graph.getNodeAttribute(parent, "level");
          assert.is(level, above + 1);
        });
        graph.forEachEdge((_, { order, start, end, seen }, from, to) => {
          const [parent, child] = operation === "broadcast" ? [from, to] : [to, from];
          assert.is(found.children[parent]?.[order - 1], Number(child));
          assert.ok(start <= end && end <= seen && start >= graph.getNodeAttribute(from, "at"));
        });
      },
    ),
    { numRuns: rounds(50, 200) },
  );
});

test("domains at every level, the preferred one first", () => {
  const real = loadMachine("c2c-dual-amd-epyc-7702-64-core-processor");
  const graph = toGraph(generateTrees(real, { moves: 0 }).broadcast, real);
  const levels = graph.mapNodes((_, { domains }) => domains.length);
  assert.ok((levels[0] as number) > 1);
  assert.is(new Set(levels).size, 1);
});

test("what is no tree is refused", () => {
  const refused = (error: unknown) => error instanceof UsageError;
  assert.throws(() => toGraph({ ...tree, children: { 4: [9] } }, machine), refused);
  assert.throws(() => toGraph(null as never, machine), refused);
});

test("the library is loaded by the first call and not before", () => {
  const script = `
    import { createRequire } from "node:module";
    import { toGraph } from "tundish/trees";
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => /node_modules.graphology/.test(file));
    const tree = { algorithm: "binary", root: 0, children: { 0: [1] }, latency: 2 };
    const matrix = [[0, 1], [1, 0]];
    const before = loaded();
    toGraph(tree, { name: "two", unit: "ns", pes: [{}, {}], send: matrix, receive: matrix });
    console.log(before, loaded());`;
  const stdout = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.is(stdout, "false true\n");
});

test.run();
