/** Random directed graphs for PageRank and breadth-first search. */
import { randomArray } from "../../../../microbench/turns/random.ts";

/**
 * The edges of some vertices, from `first` on: those of vertex v end at targets[offsets[v - first]] … offsets[v - first
 * + 1] - 1.
 */
export interface Edges {
  readonly first: number;
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/** Average number of edges of a vertex. */
const DEGREE = 10;

export const verticesOf = (edges: number): number => Math.ceil(edges / DEGREE);

/** The edges of vertices `first` to `end` - 1 in a graph of so many edges: each goes between two random vertices. */
export function edgesOf(edges: number, first: number, end: number): Edges {
  const vertices = verticesOf(edges);
  const offsets = new Uint32Array(vertices + 1);
  for (const source of randomArray(edges, vertices, 1)) offsets[source + 1]++;
  for (let v = 0; v < vertices; v++) offsets[v + 1] += offsets[v];
  const targets = randomArray(edges, vertices, 2);
  return {
    first,
    offsets: offsets.slice(first, end + 1).map((offset) => offset - offsets[first]),
    targets: targets.slice(offsets[first], offsets[end]),
  };
}
