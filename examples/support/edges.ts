/** The edges of a graph as typed arrays. */
import type { Graph } from "./graphs.ts";

/** The edges of some vertices: those of vertex v go to `targets[starts[v]]`, …, `targets[starts[v + 1] - 1]`. */
export interface Edges {
  readonly starts: Uint32Array;
  readonly targets: Uint32Array;
}

/** Numbers the vertices in the order of the graph. An edge without a direction goes in both. */
export function edgesOf(graph: Graph): Edges {
  const numbers = new Map(graph.nodes().map((node, v) => [node, v]));
  const ends: number[] = [];
  graph.forEachEdge((_edge, _attributes, source, target, _1, _2, undirected) => {
    const [from, to] = [numbers.get(source) as number, numbers.get(target) as number];
    ends.push(from, to);
    if (undirected) ends.push(to, from);
  });
  const starts = new Uint32Array(graph.order + 1);
  for (let e = 0; e < ends.length; e += 2) starts[ends[e] + 1]++;
  for (let v = 0; v < graph.order; v++) starts[v + 1] += starts[v];
  const next = starts.slice();
  const targets = new Uint32Array(ends.length / 2);
  for (let e = 0; e < ends.length; e += 2) targets[next[ends[e]]++] = ends[e + 1];
  return { starts, targets };
}

/** Cuts the edges into those of blocks of vertices, about as many edges for each. @returns block p has the vertices from bounds[p] to bounds[p + 1] - 1 */
export function blocksOf(
  { starts, targets }: Edges,
  count: number,
): { bounds: Uint32Array; blocks: Edges[] } {
  const n = starts.length - 1;
  const bounds = new Uint32Array(count + 1);
  for (let v = 0, p = 1; p <= count; bounds[p++] = v)
    while (v < n && starts[v] + v < ((targets.length + n) * p) / count) v++;
  const blocks = Array.from({ length: count }, (_, p) => {
    const [first, end] = [bounds[p], bounds[p + 1]];
    return {
      starts: starts.slice(first, end + 1).map((start) => start - starts[first]),
      targets: targets.subarray(starts[first], starts[end]),
    };
  });
  return { bounds, blocks };
}

/** Where the vertices are that edges of a PE go to. */
export interface Halo {
  /** Vertices of this PE, and of all others that its edges go to. */
  readonly slots: number;
  /** By PE: the slot of the first of its vertices that edges from here go to, and which these are, numbered as they are there. */
  readonly firsts: Uint32Array;
  readonly reached: readonly Uint32Array[];
}

/**
 * Numbers the vertices that edges go to anew, in `targets` too: those of this PE, then all others, each once, however many edges go
 * there. So what many edges bring to a vertex of another PE is one sum, which is sent once.
 */
export function haloOf(targets: Uint32Array, bounds: Uint32Array, rank: number): Halo {
  const size = bounds.length - 1;
  const slotOf = new Uint32Array(bounds[size]);
  for (let e = 0; e < targets.length; e++) slotOf[targets[e]] = 1;
  let slots = bounds[rank + 1] - bounds[rank];
  const firsts = new Uint32Array(size);
  const reached = Array.from(firsts, (_, p) => {
    firsts[p] = slots;
    const list = new Uint32Array(p === rank ? 0 : bounds[p + 1] - bounds[p]);
    for (let v = bounds[p]; v < bounds[p + 1]; v++) {
      if (p === rank) slotOf[v] = v - bounds[p];
      else if (slotOf[v] === 1) {
        list[slots - firsts[p]] = v - bounds[p];
        slotOf[v] = slots++;
      }
    }
    return list.subarray(0, slots - firsts[p]);
  });
  for (let e = 0; e < targets.length; e++) targets[e] = slotOf[targets[e]];
  return { slots, firsts, reached };
}
