// PageRank of a graphology graph: each PE spreads the ranks of a block of vertices, one exchange a round adds up all.
import { writeFileSync } from "node:fs";
import { f64, launch, type PE, type Spmd, spmd } from "tundish";
import { array, containers } from "tundish/containers";
import { blocksOf, type Edges, edgesOf, type Halo, haloOf } from "./support/edges.ts";
import { example, type Problem } from "./support/example.ts";
import { drawTop, labelOf, loadLayout, topOf } from "./support/graph-picture.ts";
import { type Graph, randomGraph, readGraph } from "./support/graphs.ts";
import { oneOf, real, text, whole } from "./support/options.ts";
import { isMain, print } from "./support/print.ts";

type Rule = {
  readonly damping: number;
  readonly tolerance: number;
  readonly maxRounds: number;
  readonly exchange: "alltoallv" | "containers";
};
type Result = { ranks: Float64Array; rounds: number };

/** Every PE runs this function. PE 0 has all edges, and gets all ranks. */
async function onAll(pe: PE, all: Edges | undefined, rule: Rule): Promise<Result> {
  const parts = all && blocksOf(all, pe.size);
  const bounds = await pe.broadcastAsync(parts?.bounds ?? new Uint32Array(pe.size + 1)); // vertices bounds[p] to bounds[p + 1] - 1 are at PE p
  const edges: Edges = await pe.scatterAsync(parts?.blocks);
  const n = bounds[pe.size];
  const ranks = new Float64Array(bounds[pe.rank + 1] - bounds[pe.rank]).fill(1 / n);
  const halo = haloOf(edges.targets, bounds, pe.rank);
  const sums = new Float64Array(halo.slots); // what this PE's vertices get, then what others' vertices get from here
  const exchange = await (rule.exchange === "containers" ? byContainers : byCollective)(pe, halo, bounds);
  const totals = Float64Array.of(idleOf(edges, ranks), Infinity);
  let rounds = 0;
  for (; ; rounds++) {
    await pe.allreduceAsync(totals, "sum"); // rank of the vertices without edges; change by the last round
    if (totals[1] < rule.tolerance || rounds === rule.maxRounds) break;
    spread(edges, ranks, sums);
    await exchange(sums);
    settle(edges, sums, ranks, totals, rule.damping, n);
  }
  return { ranks: (await pe.gatherAsync(ranks)) ?? ranks, rounds };
}

/** The same on one thread. */
function onOne(edges: Edges, { damping, tolerance, maxRounds }: Rule): Result {
  const n = edges.starts.length - 1;
  const ranks = new Float64Array(n).fill(1 / n);
  const sums = new Float64Array(n);
  const totals = Float64Array.of(idleOf(edges, ranks), Infinity);
  let rounds = 0;
  for (; totals[1] >= tolerance && rounds < maxRounds; rounds++) {
    spread(edges, ranks, sums);
    settle(edges, sums, ranks, totals, damping, n);
  }
  return { ranks, rounds };
}

/** Each vertex gives its rank to those that its edges go to, in equal shares. */
function spread({ starts, targets }: Edges, ranks: Float64Array, sums: Float64Array): void {
  sums.fill(0);
  for (let v = 0; v < ranks.length; v++) {
    const end = starts[v + 1];
    const share = ranks[v] / (end - starts[v]);
    for (let e = starts[v]; e < end; e++) sums[targets[e]] += share;
  }
}

/** The next ranks: of what vertices have got, and of what those without edges give to all. Totals: as they are before the next round. */
function settle(
  edges: Edges,
  sums: Float64Array,
  ranks: Float64Array,
  totals: Float64Array,
  damping: number,
  n: number,
): void {
  const base = (1 - damping + damping * totals[0]) / n;
  let change = 0;
  for (let v = 0; v < ranks.length; v++) {
    const next = base + damping * sums[v];
    change += Math.abs(next - ranks[v]);
    ranks[v] = next;
  }
  totals[0] = idleOf(edges, ranks);
  totals[1] = change;
}

/** The rank of the vertices without edges. */
function idleOf({ starts }: Edges, ranks: Float64Array): number {
  let idle = 0;
  for (let v = 0; v < ranks.length; v++) if (starts[v] === starts[v + 1]) idle += ranks[v];
  return idle;
}

/** Adds what the PEs have for each other's vertices to the sums there. */
type Exchange = (sums: Float64Array) => Promise<void>;

/** By a collective: once all tell each other which vertices they reach; afterwards only values go, in the same order. */
async function byCollective(pe: PE, { firsts, reached }: Halo): Promise<Exchange> {
  const given = await pe.alltoallvAsync(reached);
  return async (sums) => {
    const values = reached.map(({ length }, p) => sums.subarray(firsts[p], firsts[p] + length));
    for (const [p, got] of (await pe.alltoallvAsync(values)).entries()) {
      const vertices = given[p];
      for (let i = 0; i < got.length; i++) sums[vertices[i]] += got[i];
    }
  };
}

/** By an array over all PEs: each sum goes with its index, by a conveyor. Nothing need be settled before. */
async function byContainers(pe: PE, { firsts, reached }: Halo, bounds: Uint32Array): Promise<Exchange> {
  const room = bounds.reduce((most, bound, p) => (p > 0 ? Math.max(most, bound - bounds[p - 1]) : most), 1);
  const data = containers(pe, { given: array(f64, room * pe.size) }); // a block for each PE
  return async (sums) => {
    await data.runAsync(async ({ given }) => {
      for (const [p, vertices] of reached.entries()) {
        for (let i = 0; i < vertices.length; i++) {
          const full = given.add(p * room + vertices[i], sums[firsts[p] + i]);
          if (full) await full; // no room: others are received meanwhile
        }
      }
    });
    const { local } = data.given;
    for (let v = 0; v < bounds[pe.rank + 1] - bounds[pe.rank]; v++) sums[v] += local[v];
    local.fill(0);
  };
}

const OPTIONS = {
  /** Edges that are drawn for a random graph, ten for each vertex. */
  size: whole(200_000, 10, 1e7),
  graph: text(
    "a file with the graph: package-lock.json, other JSON of graphology, or GEXF; default: a random one",
  ),
  save: text("a file for the graph with its ranks, as JSON of graphology"),
  exchange: oneOf("alltoallv", "containers"),
  damping: real(0.85, 0, 1),
  tolerance: real(1e-8, 0, 1),
  maxRounds: whole(100, 0, 1e6),
};

const program: Spmd = spmd((pe, args) =>
  example(pe, args, "page-rank", OPTIONS, async (told): Promise<Problem<Result>> => {
    const graph = pe.rank === 0 ? await graphOf(told.graph, told.size, told.seed) : undefined;
    const edges = graph && edgesOf(graph);
    const layout = graph && told.picture !== undefined ? await loadLayout() : undefined;
    return {
      parallel: () => onAll(pe, edges, told),
      serial: () => onOne(edges as Edges, told),
      /** The ranks become attributes of the graph. */
      collect(found) {
        let v = 0;
        graph?.updateEachNodeAttributes((_node, known) => ({ ...known, pagerank: found.ranks[v++] }));
        if (graph && told.save !== undefined) writeFileSync(told.save, JSON.stringify(graph.export()));
        return found;
      },
      differs({ ranks, rounds }, expected) {
        // the order of sums differs, and by that perhaps which change is the first below the tolerance
        const slack = rounds === expected.rounds ? 0 : told.tolerance;
        const isNear = (rank: number, other: number) => Math.abs(rank - other) <= 1e-9 * other + slack;
        const far = ranks.findIndex((rank, v) => !isNear(rank, expected.ranks[v]));
        return far < 0 ? undefined : `the rank of vertex ${far} is ${ranks[far]}, not ${expected.ranks[far]}`;
      },
      spoil: ({ ranks }) => void ranks[0]++,
      tell({ rounds }) {
        if (graph === undefined) return {};
        const rankOf = (node: string): number => graph.getNodeAttribute(node, "pagerank");
        const top = topOf(graph, 5).map((node) => `${labelOf(graph, node)} ${rankOf(node).toFixed(5)}`);
        const { size: edges, order: vertices } = graph;
        return {
          ...(told.graph !== undefined && { size: edges }),
          vertices,
          edges,
          rounds,
          top,
        };
      },
      draw: () => (graph && layout ? drawTop(graph, layout) : ""),
    };
  }),
);
export default program;

const graphOf = (file: string | undefined, edges: number, seed: number): Graph | Promise<Graph> =>
  file === undefined ? randomGraph(Math.ceil(edges / 10), edges, seed) : readGraph(file);

// every PE imports this file as well: only the main thread starts them, one on each core
if (isMain(import.meta.url)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));
