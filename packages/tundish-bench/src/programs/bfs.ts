/**
 * Breadth-first search: the distance of every vertex from vertex 0, in edges; -1 for those that cannot be reached.
 *
 * PEs of one node share the graph and the distances. A level is what the last one has found: each PE follows the edges
 * of an equal part of it, and keeps what it finds in a queue of its own. Two may find a vertex in the same level: both
 * write the same distance, and its edges are followed twice.
 *
 *     queues   PE 0  ┌───────────┬──────── this level ──┬ next …      the parts of a level: of all queues one after the other
 *              PE 1  ┌───────┬──── this level ────┬ next …
 */
import type { PE } from "../../../../src/index.ts";
import { type Edges, edgesOf, verticesOf } from "./graph.ts";
import { blockOf, type Program, type Run } from "./program.ts";

function alone(edges: number): Run {
  const vertices = verticesOf(edges);
  const { offsets, targets } = edgesOf(edges, 0, vertices);
  const distances = new Int32Array(vertices);
  return {
    run: () => search(offsets, targets, distances),
    result: () => ({ first: 0, values: distances }),
  };
}

function search(offsets: Uint32Array, targets: Uint32Array, distances: Int32Array): void {
  const queue = new Uint32Array(distances.length);
  distances.fill(-1);
  distances[0] = 0;
  for (let head = 0, tail = 1; head < tail; head++) {
    const v = queue[head];
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      const to = targets[e];
      if (distances[to] !== -1) continue;
      distances[to] = distances[v] + 1;
      queue[tail++] = to;
    }
  }
}

/** What all PEs see. */
interface Shared extends Pick<Edges, "offsets" | "targets"> {
  readonly distances: Int32Array;
  /** By PE: the vertices that it has found, in their order. */
  readonly queues: readonly Uint32Array[];
  /** By PE: how many that are, after levels of even and of odd numbers. */
  readonly counts: readonly Int32Array[];
}

/** Collective. */
function share(pe: PE, edges: number): Shared {
  const vertices = verticesOf(edges);
  const shared = {
    offsets: pe.allocShared(Uint32Array, vertices + 1),
    targets: pe.allocShared(Uint32Array, edges),
    distances: pe.allocShared(Int32Array, vertices),
    queues: Array.from({ length: pe.size }, () => pe.allocShared(Uint32Array, vertices)),
    counts: [pe.allocShared(Int32Array, pe.size), pe.allocShared(Int32Array, pe.size)],
  };
  if (pe.rank === 0) {
    const { offsets, targets } = edgesOf(edges, 0, vertices);
    shared.offsets.set(offsets);
    shared.targets.set(targets);
  }
  pe.barrier();
  return shared;
}

function together(pe: PE, edges: number): Run {
  const shared = share(pe, edges);
  const { first, end } = blockOf(verticesOf(edges), pe);
  const distances = shared.distances.subarray(first, end);
  return {
    run: () => {
      distances.fill(-1);
      searchTogether(pe, shared);
    },
    result: () => ({ first, values: distances }),
  };
}

function searchTogether(pe: PE, shared: Shared): void {
  const { distances, queues, counts } = shared;
  const own = queues[pe.rank];
  let begins: readonly number[] = queues.map(() => 0);
  let tail = 0;
  pe.barrier();
  if (pe.rank === 0) {
    distances[0] = 0;
    own[tail++] = 0;
  }
  for (let level = 0; ; level++) {
    const ends = counts[level % 2];
    ends[pe.rank] = tail;
    // when all have written theirs; those of the level before are read by then
    pe.barrier();
    const found = begins.map((begin, rank) => ends[rank] - begin);
    const all = found.reduce((sum, count) => sum + count, 0);
    if (all === 0) return;
    let left = Math.floor((all * pe.rank) / pe.size);
    let most = Math.floor((all * (pe.rank + 1)) / pe.size) - left;
    for (let rank = 0; rank < pe.size && most > 0; rank++) {
      const from = Math.min(left, found[rank]);
      const count = Math.min(most, found[rank] - from);
      const begin = begins[rank] + from;
      tail = expand(shared, queues[rank], begin, begin + count, level + 1, own, tail);
      left -= from;
      most -= count;
    }
    begins = begins.map((begin, rank) => begin + found[rank]);
  }
}

/**
 * Follows the edges of vertices `begin` to `end` - 1 of a queue; adds what it finds to another.
 * @returns that one's end
 */
function expand(
  { offsets, targets, distances }: Shared,
  from: Uint32Array,
  begin: number,
  end: number,
  distance: number,
  to: Uint32Array,
  tail: number,
): number {
  for (let i = begin; i < end; i++) {
    const v = from[i];
    const last = offsets[v + 1];
    for (let e = offsets[v]; e < last; e++) {
      const next = targets[e];
      if (distances[next] !== -1) continue;
      distances[next] = distance;
      to[tail++] = next;
    }
  }
  return tail;
}

export const bfs: Program = { alone, together };
