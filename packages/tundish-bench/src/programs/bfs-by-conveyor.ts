/**
 * Breadth-first search as it may run over many nodes: each PE has a block of the vertices, with the edges that leave
 * them. A level is a session: vertices of other PEs that the level reaches are items. A PE keeps which vertices it has
 * seen, of all PEs, so that it sends each once.
 */
import { conveyor } from "../../../../src/conveyor.ts";
import { type PE, u32 } from "../../../../src/index.ts";
import { type Edges, edgesOf, verticesOf } from "./graph.ts";
import { type Block, blockOf, type Run } from "./program.ts";

/** The vertices that a PE's search has reached. */
class Frontier {
  /** By vertex of all PEs: 1 if this PE has reached it. */
  readonly seen: Uint8Array;
  /** Reached vertices of this PE in their order, by their number here, and their count. */
  readonly queue: Uint32Array;
  tail = 0;
  /** Those of other PEs that the level has reached, and their count. */
  readonly others: Uint32Array;
  reached = 0;

  constructor(vertices: number, own: number) {
    this.seen = new Uint8Array(vertices);
    this.queue = new Uint32Array(own);
    this.others = new Uint32Array(vertices - own);
  }

  /** Follows the edges of the queue's elements from `head` to `stop` - 1. */
  expand({ offsets, targets }: Edges, head: number, stop: number, { first, end }: Block): void {
    const { seen, queue, others } = this;
    let { tail } = this;
    let reached = 0;
    for (let i = head; i < stop; i++) {
      const v = queue[i];
      const last = offsets[v + 1];
      for (let e = offsets[v]; e < last; e++) {
        const to = targets[e];
        if (seen[to] !== 0) continue;
        seen[to] = 1;
        if (to >= first && to < end) queue[tail++] = to - first;
        else others[reached++] = to;
      }
    }
    this.tail = tail;
    this.reached = reached;
  }

  /** Vertices of this PE that others have reached. */
  add(vertices: Uint32Array, first: number): void {
    const { seen, queue } = this;
    let { tail } = this;
    for (let i = 0; i < vertices.length; i++) {
      const v = vertices[i];
      if (seen[v] !== 0) continue;
      seen[v] = 1;
      queue[tail++] = v - first;
    }
    this.tail = tail;
  }
}

/** As Program.together. */
export function searchByConveyor(pe: PE, edges: number): Run {
  const vertices = verticesOf(edges);
  const block = blockOf(vertices, pe);
  const own = edgesOf(edges, block.first, block.end);
  const distances = new Int32Array(block.end - block.first);
  return {
    run: () => searchTogether(pe, own, block, vertices, distances),
    result: () => ({ first: block.first, values: distances }),
  };
}

function searchTogether(pe: PE, own: Edges, block: Block, vertices: number, distances: Int32Array): void {
  const frontier = new Frontier(vertices, distances.length);
  const dests = new Uint32Array(frontier.others.length);
  using c = conveyor(pe, u32);
  distances.fill(-1);
  if (block.first === 0) frontier.add(Uint32Array.of(0), 0);
  for (let level = 0, head = 0; pe.allreduce(frontier.tail - head, "sum") > 0; level++) {
    const stop = frontier.tail;
    for (let i = head; i < stop; i++) distances[frontier.queue[i]] = level;
    frontier.expand(own, head, stop, block);
    head = stop;
    const { others, reached } = frontier;
    for (let i = 0; i < reached; i++) dests[i] = Math.floor(others[i] / block.each);
    c.begin();
    for (let i = 0; c.advance(i === reached); ) {
      i = c.pushAll(dests, others, i, reached);
      for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) frontier.add(batch.columns, block.first);
    }
    c.reset();
  }
}
