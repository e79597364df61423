// PageRank of a graphology graph: each PE ranks a block of vertices, with one allreduce a round.
import { f64, isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { array, containers } from "tundish/containers";
import { blockOf, type Edges, freeLinks, type Links, linksOf, shareLinks } from "./support/edges.ts";
import { example, type Problem } from "./support/example.ts";
import { drawTop, labelOf, loadLayout, topOf } from "./support/graph-picture.ts";
import { type Graph, jsonOf, randomGraph, readGraph } from "./support/graphs.ts";
import { input, oneOf, real, text, whole } from "./support/options.ts";
import { checkWritable, save } from "./support/output.ts";
import { print } from "./support/print.ts";

type Rule = { readonly damping: number; readonly tolerance: number; readonly maxRounds: number };
/** Change: of all ranks together, by the last round. */
type Result = { ranks: Float64Array; rounds: number; change: number };

/**
 * Every PE runs this function. The PEs of a node share what the vertices give, of this round and of the next. Over nodes each
 * PE's block goes to all.
 */
async function onAll(pe: PE, links: Links, given: readonly Float64Array[], rule: Rule): Promise<Result> {
  const [first, end] = blockOf(links.incoming, pe.rank, pe.size);
  const ranks = new Float64Array(end - first);
  const totals = new Float64Array(2); // rank of the vertices without edges; change by the last round
  begin(links.outgoing, ranks, first, given[0], totals);
  let rounds = 0;
  for (; ; rounds++) {
    const gives = given[rounds % 2];
    if (pe.nodes > 1) await spread(pe, gives, first, end);
    await pe.allreduceAsync(totals, "sum"); // now all have written what their vertices give
    if (totals[1] < rule.tolerance || rounds === rule.maxRounds) break;
    rank(links, ranks, first, gives, given[(rounds + 1) % 2], totals, rule.damping);
  }
  return { ranks: (await pe.gatherAsync(ranks)) ?? ranks, rounds, change: totals[1] };
}

/** What the vertices of all PEs give, to the memory of every node. */
async function spread(pe: PE, gives: Float64Array, first: number, end: number): Promise<void> {
  const all = await pe.allgatherAsync(gives.slice(first, end));
  if (pe.nodeRank === 0) gives.set(all);
}

/** The same on one thread. */
function onOne(links: Links, { damping, tolerance, maxRounds }: Rule): Result {
  const n = links.outgoing.starts.length - 1;
  const ranks = new Float64Array(n);
  const totals = new Float64Array(2);
  let [gives, next] = [new Float64Array(n), new Float64Array(n)];
  begin(links.outgoing, ranks, 0, gives, totals);
  let rounds = 0;
  for (; totals[1] >= tolerance && rounds < maxRounds; rounds++) {
    rank(links, ranks, 0, gives, next, totals, damping);
    [gives, next] = [next, gives];
  }
  return { ranks, rounds, change: totals[1] };
}

/** All vertices of a block have the same rank at first. */
function begin(outgoing: Edges, ranks: Float64Array, first: number, gives: Float64Array, totals: Float64Array): void {
  ranks.fill(1 / gives.length);
  totals[0] = 0;
  totals[1] = Infinity;
  for (let v = 0; v < ranks.length; v++) totals[0] += give(outgoing, first + v, ranks[v], gives);
}

/** The next ranks of a block: of what its vertices get by their edges, and of what those without edges give to all. */
function rank(
  { outgoing, incoming: { starts, ends } }: Links,
  ranks: Float64Array,
  first: number,
  gives: Float64Array,
  next: Float64Array,
  totals: Float64Array,
  damping: number,
): void {
  const base = (1 - damping + damping * totals[0]) / gives.length;
  let idle = 0;
  let change = 0;
  for (let v = 0, e = starts[first]; v < ranks.length; v++) {
    let sum = 0;
    for (const end = starts[first + v + 1]; e < end; e++) sum += gives[ends[e]];
    const now = base + damping * sum;
    change += Math.abs(now - ranks[v]);
    ranks[v] = now;
    idle += give(outgoing, first + v, now, next);
  }
  totals[0] = idle;
  totals[1] = change;
}

/** A vertex gives its rank to those that its edges go to, in equal shares; returns the rank if there are none. */
function give({ starts }: Edges, vertex: number, rank: number, gives: Float64Array): number {
  const edges = starts[vertex + 1] - starts[vertex];
  gives[vertex] = edges > 0 ? rank / edges : 0;
  return edges > 0 ? 0 : rank;
}

/** By an array over all PEs: no PE sees what the others have, each adds to the vertices that its edges go to. */
async function byContainers(pe: PE, { outgoing }: Links, { damping, tolerance, maxRounds }: Rule): Promise<Result> {
  const { starts, ends } = outgoing;
  const n = starts.length - 1;
  const data = containers(pe, { sums: array(f64, n) }); // in blocks: an element for each vertex
  const { local } = data.sums;
  const first = local.length > 0 ? data.sums.indexOf(0) : 0;
  const ranks = new Float64Array(local.length);
  const gives = new Float64Array(n);
  const totals = new Float64Array(2);
  begin(outgoing, ranks, first, gives, totals);
  let rounds = 0;
  for (; ; rounds++) {
    await pe.allreduceAsync(totals, "sum");
    if (totals[1] < tolerance || rounds === maxRounds) break;
    await data.runAsync(async ({ sums }) => {
      for (let v = first; v < first + ranks.length; v++) {
        for (let e = starts[v]; e < starts[v + 1]; e++) {
          const full = sums.add(ends[e], gives[v]);
          if (full) await full; // no room: others are received meanwhile
        }
      }
    });
    const base = (1 - damping + damping * totals[0]) / n;
    totals.fill(0);
    for (let v = 0; v < ranks.length; v++) {
      const now = base + damping * local[v];
      totals[1] += Math.abs(now - ranks[v]);
      ranks[v] = now;
      totals[0] += give(outgoing, first + v, now, gives);
    }
    local.fill(0);
  }
  data.free();
  return { ranks: (await pe.gatherAsync(ranks)) ?? ranks, rounds, change: totals[1] };
}

const OPTIONS = {
  size: whole(200_000, 10, 1e7, "edges that are drawn for a random graph, ten for each vertex"),
  graph: input(
    "a file with the graph: package-lock.json, JSON of graphology, or GEXF; weights are not used; default: a random one",
  ),
  save: text("a file for the graph with its ranks, as JSON of graphology"),
  exchange: oneOf("shared", "containers"),
  damping: real(0.85, 0, 1, "part of a rank that goes on by edges"),
  tolerance: real(1e-8, 0, 1, "ends when a round changes all ranks together by less"),
  maxRounds: whole(100, 0, 1e6, "rounds after which it ends all the same"),
};

const program: Spmd = spmd((pe, args) =>
  example(pe, args, "page-rank", OPTIONS, async (told): Promise<Problem<Result>> => {
    if (pe.rank === 0 && told.save !== undefined) checkWritable("--save", told.save);
    const graph = pe.rank === 0 ? await graphOf(told.graph, told.size, told.seed) : undefined;
    const links = await shareLinks(pe, graph && linksOf(graph));
    const n = links.incoming.starts.length - 1;
    const given = [await pe.allocSharedAsync(Float64Array, n), await pe.allocSharedAsync(Float64Array, n)];
    const layout = graph && told.picture !== undefined ? await loadLayout() : undefined;
    return {
      parallel: () => (told.exchange === "containers" ? byContainers(pe, links, told) : onAll(pe, links, given, told)),
      serial: () => onOne(links, told),
      /** The ranks become attributes of the graph. */
      collect(found) {
        let v = 0;
        graph?.updateEachNodeAttributes((_node, known) => ({ ...known, pagerank: found.ranks[v++] }));
        if (graph && told.save !== undefined) save("--save", told.save, jsonOf(graph, told.graph));
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
      tell({ rounds, change }) {
        if (graph === undefined) return {};
        const rankOf = (node: string): number => graph.getNodeAttribute(node, "pagerank");
        const top = topOf(graph, 5).map((node) => `${labelOf(graph, node)} ${rankOf(node).toFixed(5)}`);
        const { size: edges, order: vertices } = graph;
        return {
          ...(told.graph !== undefined && { size: edges }),
          vertices,
          edges,
          rounds,
          ...(rounds > 0 && { change }),
          converged: change < told.tolerance,
          top,
        };
      },
      draw: () => (graph && layout ? drawTop(graph, layout) : ""),
      async free() {
        await freeLinks(pe, links);
        for (const array of given) await pe.freeAsync(array);
      },
    };
  }),
);
export default program;

const graphOf = (file: string | undefined, edges: number, seed: number): Graph | Promise<Graph> =>
  file === undefined ? randomGraph(Math.ceil(edges / 10), edges, seed) : readGraph(file);

// every PE imports this file as well: only the main thread starts them, one on each core
if (isEntry(import.meta)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));
