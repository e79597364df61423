/** The edges of a graph as typed arrays, in memory that the PEs of a node share. */
import type { PE } from "tundish";
import type { Graph } from "./graphs.ts";

/** Those of vertex v are `ends[starts[v]]`, …, `ends[starts[v + 1] - 1]`, vertices too. */
export interface Edges {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** All edges, by the vertex that they come from and by the vertex that they go to. */
export interface Links {
  readonly outgoing: Edges;
  readonly incoming: Edges;
}

/** Numbers the vertices in the order of the graph. An edge without a direction goes in both. */
export function linksOf(graph: Graph): Links {
  const numbers = new Map(graph.nodes().map((node, v) => [node, v]));
  const from: number[] = [];
  const to: number[] = [];
  graph.forEachEdge((_edge, _attributes, source, target, _1, _2, undirected) => {
    const [a, b] = [numbers.get(source) as number, numbers.get(target) as number];
    from.push(a);
    to.push(b);
    if (!undirected) return;
    from.push(b);
    to.push(a);
  });
  return { outgoing: sorted(graph.order, from, to), incoming: sorted(graph.order, to, from) };
}

/** The edges by the vertex at one end. */
function sorted(vertices: number, at: readonly number[], others: readonly number[]): Edges {
  const starts = new Uint32Array(vertices + 1);
  for (const v of at) starts[v + 1]++;
  for (let v = 0; v < vertices; v++) starts[v + 1] += starts[v];
  const next = starts.slice();
  const ends = new Uint32Array(at.length);
  for (let e = 0; e < at.length; e++) ends[next[at[e]]++] = others[e];
  return { starts, ends };
}

/** The links that PE 0 has, once on every node. Collective; {@link freeLinks} frees them. @param links at PE 0 */
export async function shareLinks(pe: PE, links: Links | undefined): Promise<Links> {
  const [vertices, edges] = await pe.broadcastAsync([
    (links?.incoming.starts.length ?? 1) - 1,
    links?.incoming.ends.length ?? 0,
  ]);
  const firsts = pe.nodes > 1 ? await pe.splitAsync(pe.nodeRank === 0 ? 0 : null) : null;
  const shared = async (length: number, own: Uint32Array | undefined) => {
    const array = await pe.allocSharedAsync(Uint32Array, length);
    if (own) array.set(own);
    await firsts?.broadcastAsync(array); // from node to node
    return array;
  };
  const both = async (own: Edges | undefined) => ({
    starts: await shared(vertices + 1, own?.starts),
    ends: await shared(edges, own?.ends),
  });
  const all = { outgoing: await both(links?.outgoing), incoming: await both(links?.incoming) };
  await pe.barrierAsync(); // after it all may read
  return all;
}

export async function freeLinks(pe: PE, { outgoing, incoming }: Links): Promise<void> {
  for (const array of [outgoing.starts, outgoing.ends, incoming.starts, incoming.ends]) await pe.freeAsync(array);
}

/** The block of vertices of a PE: blocks with about as many edges each. */
export function blockOf({ starts, ends }: Edges, rank: number, size: number): readonly [first: number, end: number] {
  const n = starts.length - 1;
  const bound = (p: number) => {
    let [low, high] = [0, n];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] + middle < ((ends.length + n) * p) / size) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [bound(rank), bound(rank + 1)];
}
