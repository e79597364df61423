/**
 * PageRank by the power method: each vertex gives an equal share of its rank to the vertices that its edges go to, and one
 * without edges gives to all.
 *
 * Several PEs: each has a block of the vertices, with the edges that leave them. What a PE has for a vertex of another one
 * is summed up first, so that it is one item, however many edges go there; the columns of destinations and slots are made
 * once for all iterations.
 *
 *     sums    ┌───────────────────────┬──────────────────────────────────────────────┐
 *             │ this PE's vertices    │ vertices of others that edges from here go to │  ── pushAll ──▶ their PEs
 *             └───────────────────────┴──────────────────────────────────────────────┘
 */
import { f64, type PE, struct, u32 } from "../../src/index.ts";
import { type Edges, edgesOf, verticesOf } from "./graph.ts";
import { type Block, blockOf, type Program, type Run } from "./program.ts";

const ITERATIONS = 20;
const DAMPING = 0.85;

/** Adds the shares of some vertices to `sums`, whose element slots[e] belongs to edge e; gives the rank of those without edges. */
function spread(offsets: Uint32Array, slots: Uint32Array, ranks: Float64Array, sums: Float64Array): number {
  let idle = 0;
  for (let v = 0; v < ranks.length; v++) {
    const [begin, end] = [offsets[v], offsets[v + 1]];
    if (begin === end) {
      idle += ranks[v];
      continue;
    }
    const share = ranks[v] / (end - begin);
    for (let e = begin; e < end; e++) sums[slots[e]] += share;
  }
  return idle;
}

/** The next ranks from the sums, which become 0. */
function settle(ranks: Float64Array, sums: Float64Array, idle: number, vertices: number): void {
  const base = (1 - DAMPING + DAMPING * idle) / vertices;
  for (let v = 0; v < ranks.length; v++) {
    ranks[v] = base + DAMPING * sums[v];
    sums[v] = 0;
  }
}

function alone(edges: number): Run {
  const vertices = verticesOf(edges);
  const { offsets, targets } = edgesOf(edges, 0, vertices);
  const ranks = new Float64Array(vertices);
  return {
    run: () => {
      const sums = new Float64Array(vertices);
      ranks.fill(1 / vertices);
      for (let i = 0; i < ITERATIONS; i++)
        settle(ranks, sums, spread(offsets, targets, ranks, sums), vertices);
    },
    result: () => ({ first: 0, values: ranks }),
  };
}

/** Where the sums of a PE are, and where those of other PEs' vertices go. */
interface Outgoing {
  /** By edge: an element of the sums. */
  readonly slots: Uint32Array;
  /** By vertex of another PE: its PE, and its number there. */
  readonly dests: Uint32Array;
  readonly index: Uint32Array;
}

/** Numbers the vertices of other PEs that edges from here go to, in their order. */
function outgoing({ targets }: Edges, { each, first, end }: Block, vertices: number): Outgoing {
  const slotOf = new Uint32Array(vertices);
  for (let e = 0; e < targets.length; e++) slotOf[targets[e]] = 1;
  slotOf.fill(0, first, end);
  const foreign = slotOf.reduce((sum, used) => sum + used, 0);
  const dests = new Uint32Array(foreign);
  const index = new Uint32Array(foreign);
  const own = end - first;
  for (let v = 0, next = 0; v < vertices; v++) {
    if (v >= first && v < end) slotOf[v] = v - first;
    else if (slotOf[v] === 1) {
      dests[next] = Math.floor(v / each);
      index[next] = v % each;
      slotOf[v] = own + next++;
    }
  }
  const slots = new Uint32Array(targets.length);
  for (let e = 0; e < targets.length; e++) slots[e] = slotOf[targets[e]];
  return { slots, dests, index };
}

function together(pe: PE, edges: number): Run {
  const vertices = verticesOf(edges);
  const block = blockOf(vertices, pe);
  const own = edgesOf(edges, block.first, block.end);
  const ranks = new Float64Array(block.end - block.first);
  return {
    run: () => {
      const { slots, dests, index } = outgoing(own, block, vertices);
      const sums = new Float64Array(ranks.length + dests.length);
      const value = sums.subarray(ranks.length);
      const columns = { index, value };
      using c = pe.conveyor(struct({ index: u32, value: f64 }));
      ranks.fill(1 / vertices);
      for (let i = 0; i < ITERATIONS; i++) {
        const idle = spread(own.offsets, slots, ranks, sums);
        c.begin();
        for (let i = 0; c.advance(i === dests.length); ) {
          i = c.pushAll(dests, columns, i);
          for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
            const { index, value } = batch.columns;
            for (let k = 0; k < batch.count; k++) sums[index[k]] += value[k];
          }
        }
        c.reset();
        value.fill(0);
        settle(ranks, sums, pe.allreduce(idle, "sum"), vertices);
      }
    },
    result: () => ({ first: block.first, values: ranks }),
  };
}

export const pagerank: Program = { alone, together, tolerance: 1e-10 };
