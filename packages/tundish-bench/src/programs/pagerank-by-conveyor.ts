/**
 * PageRank as it may run over many nodes: no PE has the sums of all vertices.
 *
 * Each PE has a block of the vertices, with the edges that leave them. Edges to its own block add to its
 * table; for the others it sums up what it has for each vertex, so that this is one item, however many edges go there,
 * and the conveyor adds the items to the tables. Which vertices those are is found out once for all iterations: their
 * columns stay, only the values change.
 *
 *     own edges ───── spread ───▶ sums ◀─── accumulate ──── items of other PEs
 *     other edges ─── spread ───▶ value, with dests and index ─── pushAll ───▶ other PEs
 */
import { type Conveyor, conveyor } from "../../../../src/conveyor.ts";
import { f64, type PE, struct, u32 } from "../../../../src/index.ts";
import { type Edges, edgesOf, verticesOf } from "./graph.ts";
import { ITERATIONS, settle } from "./pagerank.ts";
import { type Block, blockOf, type Run } from "./program.ts";

/** Edges of a block's vertices, with the element of a table that each adds to, grouped by vertex as {@link Edges}. */
interface Ways {
  readonly offsets: Uint32Array;
  readonly slots: Uint32Array;
}

/** The edges of a block. */
interface Split {
  /** Those to vertices of this PE, and of others. */
  readonly own: Ways;
  readonly other: Ways;
  /** The vertices of others that these go to, in their order. */
  readonly reached: Uint32Array;
}

/** Tells edges to vertices of this PE from the others, and numbers the vertices that those go to. */
function split({ offsets, targets }: Edges, { first, end }: Block, vertices: number): Split {
  const slotOf = new Uint32Array(vertices);
  for (let e = 0; e < targets.length; e++) slotOf[targets[e]] = 1;
  const reached = new Uint32Array(vertices - (end - first));
  let count = 0;
  for (let v = 0; v < vertices; v++) {
    if (v >= first && v < end) slotOf[v] = v - first;
    else if (slotOf[v] === 1) {
      reached[count] = v;
      slotOf[v] = count++;
    }
  }
  const own = { offsets: new Uint32Array(offsets.length), slots: new Uint32Array(targets.length) };
  const other = { offsets: new Uint32Array(offsets.length), slots: new Uint32Array(targets.length) };
  let [ownCount, otherCount] = [0, 0];
  for (let v = 0; v < end - first; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      const to = targets[e];
      if (to >= first && to < end) own.slots[ownCount++] = slotOf[to];
      else other.slots[otherCount++] = slotOf[to];
    }
    own.offsets[v + 1] = ownCount;
    other.offsets[v + 1] = otherCount;
  }
  return { own, other, reached: reached.subarray(0, count) };
}

/** The share that each vertex gives over each of its edges; returns the rank of those without edges. */
function sharesOf(offsets: Uint32Array, ranks: Float64Array, shares: Float64Array): number {
  let idle = 0;
  for (let v = 0; v < ranks.length; v++) {
    const edges = offsets[v + 1] - offsets[v];
    if (edges === 0) idle += ranks[v];
    shares[v] = ranks[v] / edges;
  }
  return idle;
}

function spread({ offsets, slots }: Ways, shares: Float64Array, table: Float64Array): void {
  for (let v = 0; v < shares.length; v++) {
    const share = shares[v];
    const end = offsets[v + 1];
    for (let e = offsets[v]; e < end; e++) table[slots[e]] += share;
  }
}

const ITEM = struct({ index: u32, value: f64 });

/** A session: pushes all values, adds those of others to the sums. */
function exchange(c: Conveyor<typeof ITEM>, { dests, index, value, sums }: Columns, count: number): void {
  c.begin();
  for (let i = 0; c.advance(i === count); ) {
    i = c.pushAll(dests, { index, value }, i, count);
    c.accumulate(sums, { op: "sum", index: "index", value: "value" });
  }
  c.reset();
}

/** Columns of items, and the table that they are added to: in the heap, so that nothing is copied. */
interface Columns {
  readonly dests: Uint32Array;
  readonly index: Uint32Array;
  readonly value: Float64Array;
  readonly sums: Float64Array;
}

/** Arrays for the vertices that other PEs have and edges from here go to. Collective. */
function columnsOf(pe: PE, reached: Uint32Array, each: number): Columns {
  const room = pe.allreduce(reached.length, "max");
  const dests = pe.alloc(Uint32Array, room);
  const index = pe.alloc(Uint32Array, room);
  for (let i = 0; i < reached.length; i++) {
    dests[i] = Math.floor(reached[i] / each);
    index[i] = reached[i] % each;
  }
  return { dests, index, value: pe.alloc(Float64Array, room), sums: pe.alloc(Float64Array, each) };
}

/** As Program.together. */
export function rankByConveyor(pe: PE, edges: number): Run {
  const vertices = verticesOf(edges);
  const block = blockOf(vertices, pe);
  const mine = edgesOf(edges, block.first, block.end);
  const ranks = new Float64Array(block.end - block.first);
  return {
    run: () => {
      const { own, other, reached } = split(mine, block, vertices);
      const columns = columnsOf(pe, reached, block.each);
      const { value, sums } = columns;
      const shares = new Float64Array(ranks.length);
      using c = conveyor(pe, ITEM);
      ranks.fill(1 / vertices);
      sums.fill(0);
      for (let i = 0; i < ITERATIONS; i++) {
        const idle = sharesOf(mine.offsets, ranks, shares);
        value.fill(0);
        spread(other, shares, value);
        spread(own, shares, sums);
        exchange(c, columns, reached.length);
        settle(ranks, sums, pe.allreduce(idle, "sum"), vertices);
      }
      for (const array of Object.values(columns)) pe.free(array);
    },
    result: () => ({ first: block.first, values: ranks }),
  };
}
