/** page-rank: its ranks are those of graphology-metrics, go back into the graph, and graphs come from files of three kinds. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DirectedGraph, MultiGraph, UndirectedGraph } from "graphology";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Graph, randomGraph, readGraph } from "../../examples/support/graphs.ts";
import { root } from "../support/paths.ts";
import { launchPooled } from "../support/thread-pool.ts";

const folder = mkdtempSync(join(tmpdir(), "tundish-graphs-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const require = createRequire(import.meta.url);
const reference = require("graphology-metrics/centrality/pagerank") as (
  graph: Graph,
  options: { readonly tolerance: number; readonly getEdgeWeight: null },
) => Record<string, number>;

const test = suite("page-rank");

/** Ranks a graph by the example, on some PEs. @returns the graph that it saves */
async function ranked(graph: Graph, pes: number, exchange: string): Promise<Graph> {
  const [file, saved] = [join(folder, "graph.json"), join(folder, "saved.json")];
  writeFileSync(file, JSON.stringify(graph.export()));
  const args = [
    "--graph",
    file,
    "--save",
    saved,
    "--exchange",
    exchange,
    "--tolerance",
    "1e-12",
    "--turns",
    "1",
    "--warm",
    "0",
  ];
  await launchPooled(pathToFileURL(join(root, "dist/examples/page-rank.js")), { pes, args });
  return readGraph(saved);
}

function isRanked(found: Graph, graph: Graph): void {
  const expected = reference(graph, { tolerance: 1e-14, getEdgeWeight: null });
  assert.equal(found.nodes(), graph.nodes());
  found.forEachNode((node, { pagerank }) => {
    assert.ok(Math.abs(pagerank - (expected[node] as number)) < 1e-10, `${node}: ${pagerank}, not ${expected[node]}`);
  });
}

test("a directed graph with vertices without edges, on 1 to 3 PEs, by both exchanges", async () => {
  const graph = randomGraph(50, 100, 3);
  assert.ok(graph.someNode((node) => graph.outDegree(node) === 0));
  isRanked(await ranked(graph, 1, "shared"), graph);
  isRanked(await ranked(graph, 2, "containers"), graph);
  isRanked(await ranked(graph, 3, "shared"), graph);
});

test("an undirected graph: each edge goes in both directions", async () => {
  const graph = new UndirectedGraph();
  for (const [a, b] of [
    ["a", "b"],
    ["b", "c"],
    ["c", "d"],
    ["b", "d"],
  ] as const)
    graph.mergeEdge(a, b);
  isRanked(await ranked(graph, 2, "shared"), graph);
});

test("what is saved is the file's graph: its options, and no keys of edges that it does not have", async () => {
  const [file, saved] = [join(folder, "given.json"), join(folder, "ranked.json")];
  const given = {
    attributes: { name: "two" },
    options: { type: "directed", multi: false, allowSelfLoops: true },
    nodes: [{ key: "a", attributes: { label: "A" } }, { key: "b" }],
    edges: [{ source: "a", target: "b", attributes: { weight: 2 } }],
  };
  writeFileSync(file, JSON.stringify(given));
  const args = ["--graph", file, "--save", saved, "--turns", "1", "--warm", "0", "--max-rounds", "2"];
  const [report] = await launchPooled(pathToFileURL(join(root, "dist/examples/page-rank.js")), {
    pes: 2,
    args,
  });
  const { rounds, converged, change } = report as Record<string, unknown>;
  assert.equal([rounds, converged], [2, false]);
  assert.ok((change as number) > 1e-8);
  const { nodes, ...rest } = JSON.parse(readFileSync(saved, "utf8"));
  assert.equal(rest, { attributes: given.attributes, options: given.options, edges: given.edges });
  assert.is(nodes[0].attributes.label, "A");
  assert.ok(nodes[1].attributes.pagerank > nodes[0].attributes.pagerank);
});

test("more PEs than vertices", async () => {
  const graph = new DirectedGraph();
  graph.mergeEdge("a", "b");
  for (const exchange of ["shared", "containers"]) isRanked(await ranked(graph, 4, exchange), graph);
});

test("files: GEXF with both kinds of edges, JSON of graphology, package-lock.json", async () => {
  const gexf = join(folder, "mixed.gexf");
  const edge = (id: number, from: string, to: string, type: string) =>
    `<edge id="${id}" source="${from}" target="${to}" type="${type}"/>`;
  writeFileSync(
    gexf,
    `<gexf version="1.2"><graph defaultedgetype="directed"><nodes><node id="a" label="A"/><node id="b" label="B"/></nodes>` +
      `<edges>${edge(0, "a", "b", "directed")}${edge(1, "b", "a", "undirected")}</edges></graph></gexf>`,
  );
  const mixed = await readGraph(gexf);
  assert.equal([mixed.order, mixed.directedSize, mixed.undirectedSize], [2, 1, 1]);
  assert.is(mixed.getNodeAttribute("a", "label"), "A");

  const json = join(folder, "multi.json");
  const multi = new MultiGraph();
  multi.addNode("a");
  for (let i = 0; i < 3; i++) multi.addDirectedEdge("a", "a");
  writeFileSync(json, JSON.stringify(multi.export()));
  assert.is((await readGraph(json)).size, 3);

  const lock = join(folder, "package-lock.json");
  const packages = {
    "": { dependencies: { a: "1" }, devDependencies: { b: "1" } },
    "node_modules/a": { dependencies: { b: "2", gone: "1" } },
    "node_modules/a/node_modules/b": {},
    "node_modules/b": { peerDependencies: { a: "1" } },
  };
  writeFileSync(lock, JSON.stringify({ name: "first", packages }));
  const packed = await readGraph(lock);
  const names = packed.mapEdges((_edge, _attributes, from, to) => `${from} > ${to}`);
  assert.equal(names, [
    " > node_modules/a",
    " > node_modules/b",
    "node_modules/a > node_modules/a/node_modules/b",
    "node_modules/b > node_modules/a",
  ]);
  assert.equal(
    packed.mapNodes((_node, { label }) => label),
    ["first", "a", "b", "b"],
  );
});

test("files without a graph are refused in one line", async () => {
  const file = join(folder, "none.json");
  for (const [text, reason] of [
    ["{", "JSON"],
    ["{}", "neither packages nor nodes"],
    ["null", "neither packages nor nodes"],
    [`{"packages":{}}`, "no vertices"],
  ] as const) {
    writeFileSync(file, text);
    const error = await readGraph(file).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    assert.match(
      error?.message ?? "",
      new RegExp(`^--graph: expected a graph, in GEXF, .*, got .*none.json: .*${reason}`),
    );
    assert.is((error as { exitCode?: number }).exitCode, 2);
  }
  const gexf = join(folder, "none.gexf");
  writeFileSync(gexf, "no XML at all");
  await readGraph(gexf).then(
    () => assert.unreachable(),
    ({ message }) => assert.match(message, /none\.gexf: it is not GEXF \[ERR_/),
  );
});
test.run();
