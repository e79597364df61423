/**
 * PageRank by the power method: each vertex gives an equal share of its rank to the vertices that its edges go to, and
 * one without edges gives to all.
 *
 * PEs of one node: each has a block of the vertices, with the edges that leave them, and adds to sums of its own for
 * all vertices. One reduceScatter adds these up and gives each PE those of its block: memory for P times the vertices,
 * and nothing is sent for an edge.
 */
import type { PE } from "../../../../src/index.ts";
import { type Edges, edgesOf, verticesOf } from "./graph.ts";
import { blockOf, type Program, type Run } from "./program.ts";

export const ITERATIONS = 20;
const DAMPING = 0.85;

/** The next ranks from the sums, which become 0. */
export function settle(ranks: Float64Array, sums: Float64Array, idle: number, vertices: number): void {
  const base = (1 - DAMPING + DAMPING * idle) / vertices;
  for (let v = 0; v < ranks.length; v++) {
    ranks[v] = base + DAMPING * sums[v];
    sums[v] = 0;
  }
}

/** Adds the shares of the vertices of a block; gives the rank of those without edges. */
function spread({ offsets, targets }: Edges, ranks: Float64Array, sums: Float64Array): number {
  let idle = 0;
  for (let v = 0; v < ranks.length; v++) {
    const [begin, end] = [offsets[v], offsets[v + 1]];
    if (begin === end) idle += ranks[v];
    const share = ranks[v] / (end - begin);
    for (let e = begin; e < end; e++) sums[targets[e]] += share;
  }
  return idle;
}

function alone(edges: number): Run {
  const vertices = verticesOf(edges);
  const all = edgesOf(edges, 0, vertices);
  const ranks = new Float64Array(vertices);
  return {
    run: () => {
      const sums = new Float64Array(vertices);
      ranks.fill(1 / vertices);
      for (let i = 0; i < ITERATIONS; i++) settle(ranks, sums, spread(all, ranks, sums), vertices);
    },
    result: () => ({ first: 0, values: ranks }),
  };
}

function together(pe: PE, edges: number): Run {
  const vertices = verticesOf(edges);
  const { each, first, end } = blockOf(vertices, pe);
  const mine = edgesOf(edges, first, end);
  const ranks = new Float64Array(end - first);
  return {
    run: () => {
      const sums = pe.alloc(Float64Array, each * pe.size);
      const own = pe.alloc(Float64Array, each);
      ranks.fill(1 / vertices);
      for (let i = 0; i < ITERATIONS; i++) {
        sums.fill(0);
        const idle = pe.allreduce(spread(mine, ranks, sums), "sum");
        settle(ranks, pe.reduceScatter(sums, "sum", { into: own }), idle, vertices);
      }
      for (const array of [sums, own]) pe.free(array);
    },
    result: () => ({ first, values: ranks }),
  };
}

export const pagerank: Program = { alone, together, tolerance: 1e-10 };
